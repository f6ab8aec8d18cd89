import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { openCursor } from "../../../../../server/agent/inputs/journald/cursor.ts";

function folderOfTest(): string {
  const folder = mkdtempSync(path.join(tmpdir(), "millrace-cursor-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return path.join(folder, "journald");
}

async function openIn(folder: string) {
  const warnings: string[] = [];
  const cursor = await openCursor(folder, { warn: (text: string) => void warnings.push(text) });
  return { cursor, warnings };
}

it("returns the last saved cursor, from a file that only its owner may read", async () => {
  const folder = folderOfTest();
  const { cursor } = await openIn(folder);
  expect(cursor.value).toBe("");
  await cursor.save("s=1;i=1;b=a-b");
  await cursor.save("s=1;i=2;b=a-b");
  const { cursor: again, warnings } = await openIn(folder);
  expect([again.value, warnings]).toEqual(["s=1;i=2;b=a-b", []]);
  expect([statSync(folder).mode & 0o777, statSync(path.join(folder, "cursor")).mode & 0o777]).toEqual([0o700, 0o600]);
  await again.forget();
  expect((await openIn(folder)).cursor.value).toBe("");
});

it("reports a damaged file, and returns no cursor", async () => {
  const folder = folderOfTest();
  await (await openIn(folder)).cursor.save("s=1;i=1");
  const file = path.join(folder, "cursor");
  const text = readFileSync(file, "utf8");
  for (const damaged of [
    "",
    text.slice(0, -1),
    text.slice(0, 10),
    text.replace("i=1", "i=\u0000"),
    `${text}x`,
    text.replace(" 1\n", " 2\n"),
  ]) {
    writeFileSync(file, damaged);
    const { cursor, warnings } = await openIn(folder);
    expect([damaged, cursor.value, warnings]).toEqual([damaged, "", [expect.stringContaining("is damaged")]]);
  }
});
