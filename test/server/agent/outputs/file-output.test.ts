import { appendFile, mkdir, mkdtemp, open as openFile, readdir, readFile, rmdir, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import type { Batch } from "../../../../server/agent/outputs/batch.ts";
import { createFileOutput } from "../../../../server/agent/outputs/file-output.ts";
import { createLog } from "../../../../server/telemetry/log.ts";

const batch = (text: string, category: Batch["category"] = "metric"): Batch => ({
  category,
  body: Buffer.from(text),
  points: 1,
});

const newFolder = () => mkdtemp(path.join(tmpdir(), "millrace-output-"));

async function open(fileBytes: number, totalBytes: number, given?: string, syncs = true) {
  const folder = given ?? (await newFolder());
  const dropped: number[] = [];
  const unwritable: string[] = [];
  const clock = { now: 0 };
  const output = await createFileOutput({
    folder,
    fileBytes,
    totalBytes,
    syncs,
    now: () => clock.now,
    log: createLog("error", () => {}),
    onWritten: () => {},
    onFailed: () => {},
    onUnwritable: (category, error) => unwritable.push(`${category} ${(error as NodeJS.ErrnoException).code}`),
    onDropped: (bytes) => dropped.push(bytes),
  });
  return { folder, dropped, unwritable, clock, output };
}

describe("output files", () => {
  it("appends whole batches in order", async () => {
    const { folder, output } = await open(1000, 1000);
    await Promise.all([output.put([batch("a v=1i 1")]), output.put([batch("b v=1i 1\nc v=1i 1")])]);
    expect(await readFile(path.join(folder, "metric.lp"), "utf8")).toBe("a v=1i 1\nb v=1i 1\nc v=1i 1\n");
  });

  it("copies small bodies before put returns", async () => {
    const { folder, output } = await open(1000, 1000);
    const lent = Buffer.from("a v=1i 1");
    const put = (name: string) => {
      lent.write(name);
      return output.put([{ category: "metric", body: lent, points: 1 }]);
    };
    await Promise.all(["a", "b", "c"].map(put));
    expect(await readFile(path.join(folder, "metric.lp"), "utf8")).toBe("a v=1i 1\nb v=1i 1\nc v=1i 1\n");
  });

  it.each([true, false])("answers writes after their lines are synced, unless syncing is off: %s", async (syncs) => {
    const { folder, output } = await open(1000, 1000, undefined, syncs);
    const file = path.join(folder, "metric.lp");
    const handle = await openFile(file, "a");
    const methods = Object.getPrototypeOf(handle);
    await handle.close();
    /** The content of the output file each time the agent synced the file to disk, in order. */
    const synced: string[] = [];
    let code = "";
    const spy = vi.spyOn(methods, "datasync").mockImplementation(async () => {
      synced.push(await readFile(file, "utf8"));
      if (code !== "") throw Object.assign(new Error(`${code}: fdatasync`), { code });
    });
    onTestFinished(() => spy.mockRestore());
    const put = async (name: string) => {
      await output.put([batch(`${name} v=1i 1`)]);
      return synced.length;
    };
    const [all, kept] = ["a v=1i 1\nb v=1i 1\nc v=1i 1\n", "a v=1i 1\n"];
    // The output syncs the first write alone. Two more writes arrive during this sync; the output writes and syncs
    // these two together.
    expect(await Promise.all(["a", "b", "c"].map(put))).toEqual(syncs ? [1, 2, 2] : [0, 0, 0]);
    expect(synced).toEqual(syncs ? [kept, all] : []);
    expect(await readFile(file, "utf8")).toBe(all);
    if (!syncs) return;

    code = "EIO";
    await expect(put("d")).rejects.toMatchObject({ code: "agent.queueFailed" });
    expect(output.problems()).toEqual(["the output file of metric could not be written: EIO"]);
    expect(await readFile(file, "utf8")).toBe(all);
    // A sync fails with EINVAL when the output is not a regular file, for example a pipe. Then the output ignores the
    // failure, and the write succeeds.
    code = "EINVAL";
    await put("e");
    expect(await readFile(file, "utf8")).toBe(`${all}e v=1i 1\n`);
  });

  it("rotates at the file size, and deletes the oldest files beyond the total size", async () => {
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

  it("refuses a write when one of its batches is not written, and recovers with the next success", async () => {
    const { folder, output } = await open(1000, 1000);
    const inTheWay = path.join(folder, "metric.lp");
    await mkdir(inTheWay);
    const both = [batch("a v=1i 1"), batch("l v=1i 1", "logging")];
    await expect(output.put(both)).rejects.toMatchObject({
      code: "agent.queueFailed",
      message: "the output file could not be written: EISDIR",
      headers: { "retry-after": "5" },
    });
    expect(output.problems()).toEqual(["the output file of metric could not be written: EISDIR"]);
    await rmdir(inTheWay);
    // The file ends with half a line, as after a write that failed in the middle and could not be undone.
    await writeFile(inTheWay, "whole v=1i 1\ntorn v=");
    await output.put(both);
    expect(output.problems()).toEqual([]);
    expect(await readFile(inTheWay, "utf8")).toBe("whole v=1i 1\na v=1i 1\n");
    expect(await readFile(path.join(folder, "logging.lp"), "utf8")).toBe("l v=1i 1\nl v=1i 1\n");
  });

  it("reports a failed write as a problem for half a minute", async () => {
    const { folder, clock, output, unwritable } = await open(1000, 1000);
    await mkdir(path.join(folder, "metric.lp"));
    const fails = () => expect(output.put([batch("a v=1i 1")])).rejects.toMatchObject({ code: "agent.queueFailed" });
    await fails();
    clock.now = 30_000;
    expect(output.problems()).toHaveLength(1);
    clock.now++;
    expect(output.problems()).toEqual([]);
    await fails();
    expect(output.problems()).toHaveLength(1);
    // The output reports several failed writes only once, as long as no write succeeds between them.
    expect(unwritable).toEqual(["metric EISDIR"]);
  });

  it("cuts off an incomplete last line when it opens a file, and reports a file that it cannot write", async () => {
    const folder = await newFolder();
    const file = (name: string) => path.join(folder, `${name}.lp`);
    await writeFile(file("metric"), `a v=1i 1\n${"b".repeat(200_000)}`);
    await writeFile(file("logging"), "l v=1");
    await mkdir(file("rum"));
    const { output } = await open(1_000_000, 1_000_000, folder);
    expect(output.problems()).toEqual(["the output file of rum could not be written: EISDIR"]);
    await output.put([batch("c v=1i 1"), batch("l v=2i 1", "logging")]);
    expect(await readFile(file("metric"), "utf8")).toBe("a v=1i 1\nc v=1i 1\n");
    expect(await readFile(file("logging"), "utf8")).toBe("l v=2i 1\n");
  });

  it("continues after another program has renamed, emptied or lengthened a file", async () => {
    const { folder, output, dropped } = await open(40, 60);
    const file = path.join(folder, "metric.lp");
    await output.put([batch("a v=1i 1")]);
    await writeFile(file, "");
    await output.put([batch("b v=1i 1")]);
    await appendFile(file, "somebody v=1i 1\nelse v=1i 1\n");
    await output.put([batch("c v=1i 1")]);
    const rotated = (await readdir(folder)).find((name) => name !== "metric.lp")!;
    expect(await readFile(path.join(folder, rotated), "utf8")).toBe("b v=1i 1\nsomebody v=1i 1\nelse v=1i 1\n");
    expect(await readFile(file, "utf8")).toBe("c v=1i 1\n");
    expect(dropped).toEqual([]);
  });
});
