import { appendFileSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { openPositions, type Position, type Positions } from "../../../../../server/agent/inputs/tail/positions.ts";

const day = 86_400_000;

interface Opened {
  readonly positions: Positions;
  readonly warnings: string[];
}

function folderOfTest(): string {
  const folder = mkdtempSync(path.join(tmpdir(), "millrace-positions-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return path.join(folder, "tail");
}

async function openIn(folder: string, now = 0): Promise<Opened> {
  const warnings: string[] = [];
  const log = { warn: (text: string) => warnings.push(text), error: (text: string) => warnings.push(text) };
  const positions = await openPositions({ folder, log, now: () => now });
  onTestFinished(() => positions.close());
  return { positions, warnings };
}

const position = (key: string, offset: number, more: Partial<Position> = {}): Position => ({
  key,
  path: `/var/log/${key}`,
  fingerprint: { bytes: 3, hash: "abc" },
  place: { offset, dropping: "" },
  ...more,
});

const file = (folder: string) => path.join(folder, "positions");

it("returns the last saved positions", async () => {
  const folder = folderOfTest();
  const first = await openIn(folder);
  const cut = position("1:2", 7, { place: { offset: 7, dropping: "event" }, path: '/a\n"b" 中' });
  await Promise.all([first.positions.save(position("1:1", 5)), first.positions.save(cut)]);
  await first.positions.save(position("1:1", 9));
  await first.positions.save(position("1:3", 1));
  await first.positions.forget("1:3");
  await first.positions.watch(["/var/log/*"]);
  const { positions, warnings } = await openIn(folder);
  expect(positions.of("1:1")).toMatchObject(position("1:1", 9));
  expect(positions.of("1:2")).toMatchObject(cut);
  expect([positions.of("1:3"), positions.all().length, warnings]).toEqual([undefined, 2, []]);
  expect([positions.wasWatched("/var/log/*"), positions.wasWatched("/other")]).toEqual([true, false]);
});

it("has stored each record when `save` resolves, whenever the process ends", async () => {
  const folder = folderOfTest();
  const { positions } = await openIn(folder);
  for (let offset = 1; offset <= 20; offset++) {
    await Promise.all([positions.save(position("1:1", offset)), positions.save(position("1:2", offset))]);
    const copy = path.join(folderOfTest(), "..", "copy");
    const text = readFileSync(file(folder));
    const other = await openCopy(copy, text);
    expect(other.positions.of("1:1")?.place.offset).toBe(offset);
    expect(other.positions.of("1:2")?.place.offset).toBe(offset);
  }
});

async function openCopy(folder: string, text: Buffer): Promise<Opened> {
  await (await openIn(folder)).positions.close();
  writeFileSync(file(folder), text);
  return await openIn(folder);
}

it("skips a damaged record, wherever the damage is, and uses the record before it", async () => {
  const folder = folderOfTest();
  const { positions } = await openIn(folder);
  await positions.save(position("1:1", 5));
  await positions.save(position("1:1", 9));
  const text = readFileSync(file(folder));
  const header = text.indexOf("\n") + 1;
  const last = text.lastIndexOf("\n", text.length - 2) + 1;
  for (let at = header; at < text.length - 1; at++) {
    const damaged = Buffer.from(text);
    damaged[at]! ^= 0x15;
    const opened = await openCopy(path.join(folder, `${at}`), damaged);
    expect([at, opened.positions.of("1:1")?.place.offset]).toEqual([at, at < last - 1 ? 9 : 5]);
  }
  for (let length = last; length < text.length; length++) {
    const { positions: cut, warnings } = await openCopy(path.join(folder, `cut${length}`), text.subarray(0, length));
    expect([length, cut.of("1:1")?.place.offset, warnings]).toEqual([length, 5, []]);
  }
});

it("reports the number of damaged records", async () => {
  const folder = folderOfTest();
  await (await openIn(folder)).positions.save(position("1:1", 5));
  appendFileSync(file(folder), 'nonsense\n00000000 ["at","1:1",1]\n');
  const { warnings } = await openIn(folder);
  expect(warnings).toEqual([expect.stringContaining("2 damaged records are skipped; lines may be read again")]);
});

it("moves a file of another version aside", async () => {
  const folder = folderOfTest();
  await openIn(folder);
  writeFileSync(file(folder), "millrace tail positions 2\nwhatever\n");
  const { positions, warnings } = await openIn(folder);
  expect(positions.all()).toEqual([]);
  expect(warnings).toEqual([expect.stringContaining("no positions of this version")]);
  expect(readFileSync(path.join(folder, "positions.unknown"), "utf8")).toBe("millrace tail positions 2\nwhatever\n");
});

it("keeps ended files without their keys, since another file may reuse the inode number", async () => {
  const folder = folderOfTest();
  const { positions } = await openIn(folder);
  const { path: at, fingerprint, place } = position("1:1", 5);
  await positions.end(position("1:1", 5));
  expect(positions.ended()).toEqual([{ path: at, fingerprint, place }]);
  expect((await openIn(folder)).positions.ended()).toEqual([{ path: at, fingerprint, place }]);
});

it("keeps the last 1,000 positions of replaced files, each under a key of its own", async () => {
  const folder = folderOfTest();
  const { positions } = await openIn(folder);
  expect(await positions.replace(position("1:1", 0, { fingerprint: { bytes: 0, hash: "" } }))).toBeUndefined();
  for (let at = 0; at < 1001; at++) {
    const fingerprint = { bytes: 3, hash: `${at}` };
    const replaced = await positions.replace(position("1:1", at, { fingerprint }));
    expect(replaced).toEqual(position("1:1", at, { fingerprint, key: `replaced ${at}` }));
  }
  await positions.save(position("1:1", 5));
  const offsets = [...Array.from({ length: 1000 }, (_, at) => at + 1), 5];
  for (const { all } of [positions, (await openIn(folder)).positions])
    expect(all().map(({ place }) => place.offset)).toEqual(offsets);
});

it("drops only the positions of files that were not open for a month", async () => {
  const folder = folderOfTest();
  const first = await openIn(folder);
  await first.positions.save(position("1:1", 5));
  await first.positions.save(position("1:2", 5));
  const later = await openIn(folder, 31 * day);
  later.positions.expire((key) => key === "1:1");
  expect(later.positions.all()).toEqual([expect.objectContaining({ key: "1:1", day: 31 })]);
});

it("rewrites its file when the file has grown too long, and keeps the permissions", async () => {
  const folder = folderOfTest();
  const { positions } = await openIn(folder);
  const long = position("1:1", 0, { path: `/${"x".repeat(4000)}` });
  for (let offset = 0; offset < 600; offset++) await positions.save({ ...long, place: { offset, dropping: "" } });
  const { size, mode } = statSync(file(folder));
  expect(size).toBeLessThan(1.5 * 1024 * 1024);
  expect([mode & 0o777, readdirSync(folder)]).toEqual([0o600, ["positions"]]);
  expect((await openIn(folder)).positions.of("1:1")?.place.offset).toBe(599);
});
