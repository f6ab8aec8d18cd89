import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { findFiles } from "../../../../../server/agent/inputs/tail/find-files.ts";
import { anyPattern, parseFilePattern } from "../../../../../server/config/file-pattern.ts";

/** Makes files below a new folder, and returns the folder. */
function folderWith(files: readonly string[]): string {
  const folder = mkdtempSync(path.join(tmpdir(), "millrace-find-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  for (const file of files) {
    mkdirSync(path.dirname(path.join(folder, file)), { recursive: true });
    writeFileSync(path.join(folder, file), "");
  }
  return folder;
}

async function foundIn(folder: string, pattern: string, exclude: readonly string[] = []): Promise<readonly string[]> {
  const { paths } = await findFiles(parseFilePattern(`${folder}/${pattern}`), anyPattern(exclude));
  return paths.map((each) => path.relative(folder, each));
}

const tree = ["a.log", "b.log", "b.log.gz", ".hidden.log", "x/a.log", "x/y/a.log", "x/.z/a.log", "w/c.log"];

it.each<[pattern: string, exclude: readonly string[], found: readonly string[]]>([
  ["*.log", [], ["a.log", "b.log"]],
  ["*", ["*.gz"], ["a.log", "b.log"]],
  ["*", ["b*"], ["a.log"]],
  ["*/*.log", [], ["w/c.log", "x/a.log"]],
  ["**/*.log", [], ["a.log", "b.log", "w/c.log", "x/a.log", "x/y/a.log"]],
  ["**/*.log", ["/**/x/**"], ["a.log", "b.log", "w/c.log"]],
  ["**", ["*.gz", "*.log"], []],
  ["**/**/a.log", [], ["a.log", "x/a.log", "x/y/a.log"]],
  ["x/.z/a.log", [], ["x/.z/a.log"]],
  ["{x,w}/?.log", [], ["w/c.log", "x/a.log"]],
  ["missing/*.log", [], []],
  ["a.log/*.log", [], []],
  ["later.log", [], ["later.log"]],
])("finds %s without %j", async (pattern, exclude, found) => {
  expect(await foundIn(folderWith(tree), pattern, exclude)).toEqual(found);
});

it("finds links to files, follows links to folders named by the pattern, and avoids cycles", async () => {
  const folder = folderWith(["real/a.log"]);
  symlinkSync(path.join(folder, "real/a.log"), path.join(folder, "link.log"));
  symlinkSync(folder, path.join(folder, "real/up"));
  expect(await foundIn(folder, "*.log")).toEqual(["link.log"]);
  expect(await foundIn(folder, "**/a.log")).toEqual(["real/a.log"]);
  expect(await foundIn(folder, "real/*/link.log")).toEqual(["real/up/link.log"]);
});

it("returns the folders in which files may appear, also those without a match yet", async () => {
  const folder = folderWith(["x/a.log", "y/b.txt"]);
  const foldersOf = async (pattern: string) =>
    (await findFiles(parseFilePattern(`${folder}/${pattern}`))).folders
      .map((each) => path.relative(folder, each))
      .sort();
  expect(await foldersOf("*/*.log")).toEqual(["", "x", "y"]);
  expect(await foldersOf("**/*.log")).toEqual(["", "x", "y"]);
  expect(await foldersOf("x/later.log")).toEqual(["x"]);
});

it.skipIf(process.getuid?.() === 0)("reports folders that cannot be read", async () => {
  const folder = folderWith(["x/a.log"]);
  chmodSync(path.join(folder, "x"), 0);
  onTestFinished(() => chmodSync(path.join(folder, "x"), 0o700));
  const { problems } = await findFiles(parseFilePattern(`${folder}/*/*.log`));
  expect(problems).toEqual([{ path: path.join(folder, "x"), code: "EACCES" }]);
});

it("goes no deeper than 32 folders", async () => {
  const deep = (depth: number) => `${"d/".repeat(depth)}a.log`;
  const folder = folderWith([deep(0), deep(32), deep(33)]);
  expect(await foundIn(folder, "**/a.log")).toEqual(["a.log", deep(32)]);
});

it("returns at most 10,000 files, and reports when there are more", async () => {
  const folder = folderWith([]);
  for (let at = 0; at < 10_001; at++) writeFileSync(path.join(folder, `${at}.log`), "");
  const { paths, isCut } = await findFiles(parseFilePattern(`${folder}/*.log`));
  expect([paths.length, isCut]).toEqual([10_000, true]);
});
