import { mkdtemp, readdir, readFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { createFileOutput } from "../../../server/agent/output.ts";
import type { Batch } from "../../../server/agent/write/protocol.ts";
import { createLog } from "../../../server/http/log.ts";

const batch = (text: string): Batch => ({ category: "metric", body: Buffer.from(text), points: 1 });

async function open(fileBytes: number, totalBytes: number) {
  const folder = await mkdtemp(path.join(tmpdir(), "millrace-output-"));
  const dropped: number[] = [];
  const output = await createFileOutput({
    folder,
    fileBytes,
    totalBytes,
    log: createLog("error", () => {}),
    onWritten: () => {},
    onLost: () => {},
    onDropped: (bytes) => dropped.push(bytes),
  });
  return { folder, dropped, output };
}

describe("output files", () => {
  it("appends whole batches in order", async () => {
    const { folder, output } = await open(1000, 1000);
    await Promise.all([output.put([batch("a v=1i 1")]), output.put([batch("b v=1i 1\nc v=1i 1")])]);
    expect(await readFile(path.join(folder, "metric.lp"), "utf8")).toBe("a v=1i 1\nb v=1i 1\nc v=1i 1\n");
  });

  it("rotates at the file size and deletes the oldest beyond the total", async () => {
    const { folder, output, dropped } = await open(20, 50);
    for (const name of ["a", "b", "c", "d", "e", "f", "g"]) await output.put([batch(`${name.repeat(9)} v`)]);
    const files = (await readdir(folder)).sort();
    const texts = await Promise.all(files.map((file) => readFile(path.join(folder, file), "utf8")));
    expect(files).toHaveLength(4);
    expect(files.filter((file) => file === "metric.lp")).toHaveLength(1);
    expect(
      texts
        .join("")
        .split("\n")
        .map((line) => line[0])
        .sort()
        .join(""),
    ).toBe("defg");
    expect(dropped).toEqual([12, 12, 12]);
  });
});
