// Tests which files OpenFiles opens and where their reading begins. To imitate that an agent is killed, a test does not
// close the agent's list of open files, and lets the next agent use the read positions that were saved before.

import { appendFileSync, mkdirSync, mkdtempSync, renameSync, rmSync, unlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { gzipSync } from "node:zlib";
import { beforeEach, expect, it, onTestFinished, vi } from "vitest";
import { createTailGauges } from "../../../../../server/agent/inputs/tail/gauges.ts";
import { OpenFiles } from "../../../../../server/agent/inputs/tail/open-files.ts";
import { openPositions, type Positions } from "../../../../../server/agent/inputs/tail/positions.ts";
import { sourceOf } from "../../../../../server/agent/inputs/tail/source.ts";
import type { TailedFile } from "../../../../../server/agent/inputs/tail/tailed-file.ts";
import { tailFields } from "../../../../../server/config/settings/inputs-tail.ts";
import { createMetrics } from "../../../../../server/telemetry/metrics.ts";
import { numbered, textOf } from "../../../support/tailing.ts";

const day = 86_400_000;
const defaults = Object.fromEntries(Object.entries(tailFields).map(([key, field]) => [key, field.default]));
const log = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} } as never;

const first = textOf(numbered(0, 300));
const whole = textOf(numbered(0, 600));

/** The time of the test's clock minus the time at which the files were last changed, in milliseconds. */
let ahead: number;

beforeEach(() => {
  // The agent opens a gzip file only when the file has not changed for two seconds. So the test's clock is later than
  // the last change of every file.
  ahead = 600_000;
  const started = Date.now();
  const clock = vi.spyOn(Date, "now").mockImplementation(() => started + ahead);
  return () => clock.mockRestore();
});

interface Agent {
  readonly positions: Positions;
  readonly files: OpenFiles;
  /** Scans for files once, and returns the path and the offset of each open file. */
  look(): Promise<(readonly [path: string, offset: number])[]>;
}

/**
 * Makes a folder with a folder for log files in it. The agent puts its folder of read positions beside the log folder.
 */
function folderOfTest(): string {
  const folder = mkdtempSync(path.join(tmpdir(), "millrace-open-files-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  mkdirSync(path.join(folder, "log"));
  return folder;
}

/**
 * Makes an agent that watches the files of a folder whose names match `names`. `days` is the time of the agent's clock
 * in days after 1970.
 */
async function agentOf(folder: string, { names = "*.log", days = 0, now = (): number => 0 } = {}): Promise<Agent> {
  const positions = await openPositions({ folder: path.join(folder, "data"), log, now: () => days * day });
  const metrics = createMetrics();
  const settings = { ...defaults, files: [path.join(folder, "log", names)], source: "web", from: "start" };
  const sources = [sourceOf(settings as unknown as Parameters<typeof sourceOf>[0])];
  const files = new OpenFiles({
    sources,
    agent: { log, metrics },
    positions,
    kept: new Map(),
    gauges: createTailGauges(sources, metrics, log),
    wake: () => {},
    now,
  });
  onTestFinished(async () => {
    await files.closeAll(false);
    await positions.close();
  });
  const look = async () => {
    await files.look(() => false);
    return [...files.all()].map(({ position }) => [position.path, position.place.offset] as const).sort();
  };
  return { positions, files, look };
}

/**
 * Saves a read position after the first 300 lines of each open file, as the agent does when it has stored the points of
 * these lines.
 */
async function readFirst({ files, positions }: Agent): Promise<void> {
  for (const file of files.all()) {
    file.commit({ end: { offset: first.length, dropping: "" }, cutEvents: 0, bytes: 0, hasMore: false });
    await positions.save(file.position);
  }
}

/** Makes a log file of which an agent has read the first lines. */
async function fileReadFirst({ names = "*.log" } = {}) {
  const folder = folderOfTest();
  const file = path.join(folder, "log/access.log");
  writeFileSync(file, first);
  const before = await agentOf(folder, { names });
  expect(await before.look()).toEqual([[file, 0]]);
  await readFirst(before);
  return { folder, file, before };
}

it.each(["*.log", "*.log*"])(
  "reads the rest of a compressed log although a new file has its inode number, even after kills: %s",
  async (names) => {
    const { folder, file } = await fileReadFirst({ names });
    // The test overwrites the log file in place, so the new log file has the inode number of the old one. The gzip file
    // with the old lines appears only later.
    writeFileSync(file, "new\n");
    for (const _ of [1, 2, 3]) expect(await (await agentOf(folder, { names })).look()).toEqual([[file, 0]]);
    writeFileSync(`${file}.2.gz`, gzipSync(whole));
    const found = [
      [file, 0],
      [file, first.length],
    ];
    const finder = await agentOf(folder, { names });
    expect(await finder.look()).toEqual(found);
    // After this scan, the read position that was saved for the old log file belongs to the gzip file with the same
    // lines.
    expect(finder.positions.all()).toHaveLength(2);
    expect(await (await agentOf(folder, { names })).look()).toEqual(found);
  },
);

it("forgets the position of a replaced file after a month", async () => {
  const { folder, file } = await fileReadFirst();
  writeFileSync(file, "new\n");
  await (await agentOf(folder)).look();
  expect((await agentOf(folder)).positions.all()).toHaveLength(2);
  const later = await agentOf(folder, { days: 31 });
  await later.look();
  expect(later.positions.all().map(({ place }) => place.offset)).toEqual([0]);
});

it("keeps the position of a new file that gets the inode number of a closed one", async () => {
  const folder = folderOfTest();
  const file = path.join(folder, "log/access.log");
  writeFileSync(file, first);
  const { files, positions, look } = await agentOf(folder);
  await look();
  const [closed] = files.all();
  unlinkSync(file);
  await closed!.look();
  // When the agent closes the deleted file, the file system may give its inode number to a new file, and the agent may
  // save a read position for this new file. The agent must not remove this position along with that of the deleted
  // file.
  const { key, handle } = closed!;
  const close = handle.close.bind(handle);
  const next = { key, path: file, fingerprint: { bytes: 3, hash: "new" }, place: { offset: 3, dropping: "" } } as const;
  let endedBefore: unknown;
  handle.close = async () => {
    await close();
    endedBefore = positions.ended()[0]?.path;
    await positions.save(next);
  };
  await files.close(closed!);
  expect([positions.of(key), endedBefore]).toEqual([expect.objectContaining(next), file]);
});

it("keeps the position of a file that reuses the inode number of a log whose gzip file is found later", async () => {
  const { folder, file } = await fileReadFirst();
  // The log file is moved out of the folder. While the agent runs, a new file with the same inode number appears in its
  // place.
  const away = path.join(folder, "away");
  renameSync(file, away);
  const { positions, files, look } = await agentOf(folder);
  expect(await look()).toEqual([]);
  writeFileSync(away, "new\n");
  renameSync(away, file);
  expect(await look()).toEqual([[file, 0]]);
  const [{ key }] = files.all() as unknown as [{ key: string }];
  writeFileSync(`${file}.2.gz`, gzipSync(whole));
  expect(await look()).toEqual([
    [file, 0],
    [file, first.length],
  ]);
  expect(positions.of(key)).toMatchObject({ path: file, place: { offset: 0 } });
});

it("keeps the position of a gzip file that has the inode number of its log file", async () => {
  const { folder, file } = await fileReadFirst();
  writeFileSync(file, gzipSync(whole));
  renameSync(file, `${file}.2.gz`);
  for (const _ of [1, 2]) expect(await (await agentOf(folder)).look()).toEqual([[file, first.length]]);
});

it.each(["*.log", "*.log*"])("finds the files of several rotations while no agent ran: %s", async (names) => {
  const { folder, file } = await fileReadFirst({ names });
  appendFileSync(file, textOf(numbered(300, 600)));
  renameSync(file, `${file}.1`);
  // The three files begin with the same bytes. So the agent can tell them apart only by their inode numbers.
  writeFileSync(file, `${first}second`);
  renameSync(`${file}.1`, `${file}.2`);
  renameSync(file, `${file}.1`);
  writeFileSync(file, `${first}third`);
  // The agent keeps the path under which it first found a file, although the file was renamed since then.
  const found = await (await agentOf(folder, { names })).look();
  const second = names === "*.log" ? [] : [[`${file}.1`, 0]];
  expect(found).toEqual([[file, 0], [file, first.length], ...second]);
});

it.each([
  ["30 seconds", 30_000, true],
  ["two minutes", 120_000, false],
])("keeps a renamed, fully read file open as long as its writer may go on: %s ago", async (_, ms, isOpen) => {
  const { folder, file } = await fileReadFirst();
  renameSync(file, `${file}.1`);
  ahead = ms;
  expect(await (await agentOf(folder)).look()).toEqual(isOpen ? [[file, first.length]] : []);
});

it("finds renamed files even when the first scan takes minutes", async () => {
  const { folder, file } = await fileReadFirst();
  appendFileSync(file, "more\n");
  renameSync(file, `${file}.1`);
  let minutes = 0;
  const slow = await agentOf(folder, { now: () => minutes * 60_000 });
  minutes = 5;
  expect(await slow.look()).toEqual([[file, first.length]]);
});

it("goes on at the saved position when the device has another number after a restart of the machine", async () => {
  const { folder, file, before } = await fileReadFirst();
  const [{ key, position }] = [...before.files.all()] as [TailedFile];
  await before.positions.forget(key);
  await before.positions.save({ ...position, key: `999999${key.slice(key.indexOf(":"))}` });
  const after = await agentOf(folder);
  expect(await after.look()).toEqual([[file, first.length]]);
  expect(after.positions.all().map((each) => each.key)).toEqual([key]);
});

it("goes through the saved positions no more often for many files than for one", async () => {
  const goneThrough = async (count: number) => {
    const folder = folderOfTest();
    for (let i = 0; i < count; i++) writeFileSync(path.join(folder, `log/${i}.log`), `line of file ${i}\n`);
    const { positions, look } = await agentOf(folder);
    const all = vi.spyOn(positions, "all");
    expect(await look()).toHaveLength(count);
    return all.mock.calls.length;
  };
  expect(await goneThrough(100)).toBe(await goneThrough(1));
});
