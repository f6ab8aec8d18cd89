import { appendFileSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { open } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { Lanes } from "../../../../../server/agent/inputs/tail/lanes.ts";
import { sourceOf } from "../../../../../server/agent/inputs/tail/source.ts";
import { TailedFile } from "../../../../../server/agent/inputs/tail/tailed-file.ts";
import { tailFields } from "../../../../../server/config/settings/inputs-tail.ts";
import { createMetrics } from "../../../../../server/telemetry/metrics.ts";

const settings = Object.fromEntries(Object.entries(tailFields).map(([key, field]) => [key, field.default]));

interface Delivery {
  readonly key: string;
  readonly body: string;
  readonly answer: (isStored: boolean) => void;
}

interface Opened {
  readonly lanes: Lanes;
  readonly files: readonly TailedFile[];
  readonly folder: string;
  /** The bodies that were delivered and that the test has not answered yet. */
  readonly waiting: Delivery[];
  /** The saved read positions. Each is the key of a file and the offset up to which the file was read. */
  readonly saved: [key: string, offset: number][];
  /** The keys of the files that were read to their end and to which no process writes any more. */
  readonly ended: string[];
}

/**
 * Makes files with these contents, and starts the loops (lanes) that read them. Each delivery waits until the test
 * answers it.
 */
async function openedWith(texts: readonly string[]): Promise<Opened> {
  const folder = mkdtempSync(path.join(tmpdir(), "millrace-lanes-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const metrics = createMetrics();
  const source = sourceOf({ ...settings, source: "web" } as Parameters<typeof sourceOf>[0]);
  const log = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} } as never;
  const files: TailedFile[] = [];
  for (const [at, text] of texts.entries()) {
    const file = path.join(folder, `${at}`);
    writeFileSync(file, text);
    const handle = await open(file);
    onTestFinished(() => handle.close());
    const fingerprint = { bytes: 0, hash: "" };
    const place = { offset: 0, dropping: "" } as const;
    const agent = { log, metrics };
    files.push(
      new TailedFile({
        handle,
        key: `${at}`,
        path: file,
        source,
        place,
        fingerprint,
        agent,
        now: () => performance.now(),
      }),
    );
  }
  const waiting: Delivery[] = [];
  const saved: Opened["saved"] = [];
  const ended: string[] = [];
  const closing = new AbortController();
  const lanes = new Lanes({
    longestEvent: 1024,
    deliver: (file, body) =>
      new Promise((answer) => {
        if (closing.signal.aborted) answer(false);
        else waiting.push({ key: file.key, body: Buffer.from(body.body()).toString(), answer });
      }),
    positions: {
      save: async ({ key, place }) => {
        saved.push([key, place.offset]);
      },
      end: async () => {},
    },
    onEnd: async ({ key }) => {
      ended.push(key);
    },
    onError: async (_file, error) => {
      throw error;
    },
    now: () => performance.now(),
    metrics,
    closing: closing.signal,
  });
  // The lanes (the loops that read files) must end before the files are closed. Vitest runs the cleanups of a test in
  // reverse order, so this cleanup runs before the one that closes the files.
  onTestFinished(async () => {
    closing.abort();
    for (const { answer } of waiting) answer(false);
    await lanes.whenIdle();
  });
  return { lanes, files, folder, waiting, saved, ended };
}

it("reads two files at a time, and the next ones when their batches are stored", async () => {
  const { lanes, files, waiting, saved } = await openedWith(Array.from({ length: 10 }, (_, at) => `line ${at}\n`));
  for (const file of files) lanes.wake(file);
  for (let stored = 0; stored < 10; stored++) {
    await expect.poll(() => waiting.length, { interval: 5 }).toBe(Math.min(2, 10 - stored));
    expect(saved).toHaveLength(stored);
    const { key, body, answer } = waiting.shift()!;
    expect(body).toBe(`default message="line ${key}"\n`.replace("default", "web"));
    answer(true);
    await expect.poll(() => saved.at(-1), { interval: 5 }).toEqual([key, 7]);
  }
  await lanes.whenIdle();
  expect(waiting).toEqual([]);
});

it("keeps the position of a batch that was not stored, and reads the batch again", async () => {
  const { lanes, files, folder, waiting, saved } = await openedWith(["a\n"]);
  lanes.wake(files[0]!);
  await expect.poll(() => waiting.length, { interval: 5 }).toBe(1);
  waiting.shift()!.answer(false);
  await lanes.whenIdle();
  expect([saved, files[0]!.position.place.offset]).toEqual([[], 0]);
  appendFileSync(path.join(folder, "0"), "b\n");
  lanes.wake(files[0]!);
  await expect.poll(() => waiting.length, { interval: 5 }).toBe(1);
  expect(waiting[0]!.body).toBe('web message="a"\nweb message="b"\n');
  waiting[0]!.answer(true);
  await expect.poll(() => saved, { interval: 5 }).toEqual([["0", 4]]);
});

it("reads files in turn, one batch of about 1 MiB each", async () => {
  const line = `${"x".repeat(999)}\n`;
  const { lanes, files, waiting, saved } = await openedWith([line.repeat(3000), line.repeat(3000), "short\n"]);
  for (const file of files) lanes.wake(file);
  const turns: string[] = [];
  while (saved.at(-1)?.[0] !== "2") {
    await expect.poll(() => waiting.length, { interval: 5 }).toBeGreaterThan(0);
    const { key, body, answer } = waiting.shift()!;
    turns.push(key);
    expect(body.length).toBeLessThan(1.1 * 1024 * 1024);
    answer(true);
    await expect.poll(() => saved.length, { interval: 5 }).toBe(turns.length);
  }
  expect(turns.length).toBeLessThanOrEqual(4);
});

it("keeps a file open that was written after it was marked as finished", async () => {
  const { lanes, files, folder, waiting, ended } = await openedWith(["a\n", "b\n"]);
  const [growing, quiet] = files as [TailedFile, TailedFile];
  for (const file of files) {
    await file.look();
    file.isEnding = true;
  }
  appendFileSync(path.join(folder, "0"), "more\n");
  for (const file of files) lanes.wake(file);
  await expect.poll(() => waiting.length, { interval: 5 }).toBe(2);
  for (const { answer } of waiting.splice(0)) answer(true);
  await lanes.whenIdle();
  expect([ended, growing.isEnding, quiet.isEnding]).toEqual([["1"], false, true]);
});

it("reports activity from the scheduling of a file until the file is read", async () => {
  const { lanes, files, waiting } = await openedWith(["a\n"]);
  expect(lanes.takeActivity()).toBe(false);
  lanes.wake(files[0]!);
  expect(lanes.takeActivity()).toBe(true);
  await expect.poll(() => waiting.length, { interval: 5 }).toBe(1);
  expect([lanes.takeActivity(), lanes.takeActivity()]).toEqual([true, true]);
  waiting.shift()!.answer(true);
  await lanes.whenIdle();
  // The file was read to its end since the last call of `takeActivity`. So the next call still returns true, and only
  // the call after it returns false.
  expect([lanes.takeActivity(), lanes.takeActivity()]).toEqual([true, false]);
});
