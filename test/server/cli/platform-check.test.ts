// `millrace platform check` and `repair` on a points store with truncated, changed or deleted files.

import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { lockFolder } from "../../../server/queue/lock/lock.ts";
import { millrace } from "../support/millrace.ts";
import { folder, platform, write } from "../support/running-platform.ts";
import {
  contentsOf,
  type Damage,
  damage,
  dataFolder,
  type Kind,
  logged,
  logging,
  makeOriginalStore,
  pointsOf,
  shared,
} from "./platform-store.ts";

makeOriginalStore();

const run = (verb: string, dataDir: string) => millrace(["platform", verb, "--data-dir", dataDir]);
const all = shared + logging;

it("check reports the contents of an undamaged store and changes nothing", async () => {
  const dataDir = dataFolder();
  const before = contentsOf(dataDir);
  const { code, out } = await run("check", dataDir);
  expect(out).toMatch(new RegExp(`^2 segments with ${all} points in [0-9.]+ kB, ${logged} points in the log$`, "m"));
  expect([code, out]).toEqual([0, expect.stringMatching(/every file is whole\n$/)]);
  expect(contentsOf(dataDir)).toEqual(before);
});

/**
 * The effects of one kind of damage. `said`: the line that `check` prints. `saved` and `lost`: how many points `repair`
 * saves and how many it loses.
 */
interface Case {
  readonly said: RegExp;
  readonly saved: number | RegExp;
  readonly lost: number | RegExp;
}

const whole = all + logged;
const cases: readonly (readonly [Kind, Damage, Case])[] = [
  ["manifest", "truncated", { said: /: the file is damaged; 2 segments lie in the store/, saved: 0, lost: 0 }],
  ["manifest", "flipped", { said: /: the file is damaged; 2 segments lie in the store/, saved: 0, lost: 0 }],
  ["manifest", "deleted", { said: /: the file is missing; 2 segments lie in the store/, saved: 0, lost: 0 }],
  [
    "parquet",
    "truncated",
    { said: new RegExp(`\\d bytes instead of \\d+ \\(${shared} points\\)`), saved: 0, lost: shared },
  ],
  // The damage is in the second of the three row groups of the Parquet file. Each group has at most 16384 points, and
  // only the points of the second group are lost.
  [
    "parquet",
    "flipped",
    {
      said: new RegExp(`has changed since it was written \\(${shared} points\\)`),
      saved: shared - 16_384,
      lost: 16_384,
    },
  ],
  ["parquet", "deleted", { said: new RegExp(`: the file is missing \\(${shared} points\\)`), saved: 0, lost: shared }],
  [
    "keys",
    "truncated",
    { said: /has changed since it was written; it can be made again .*\(0 points\)/, saved: 0, lost: 0 },
  ],
  [
    "keys",
    "flipped",
    { said: /has changed since it was written; it can be made again .*\(0 points\)/, saved: 0, lost: 0 },
  ],
  [
    "keys",
    "deleted",
    { said: /is missing; it can be made again from the Parquet file \(0 points\)/, saved: 0, lost: 0 },
  ],
  ["registry", "truncated", { said: /: .*; it holds labels of objects and ids of batches/, saved: 0, lost: 0 }],
  ["registry", "flipped", { said: /: .*; it holds labels of objects and ids of batches/, saved: 0, lost: 0 }],
  ["registry", "deleted", { said: /: the file is missing; it holds labels of objects/, saved: 0, lost: 0 }],
  ["log", "truncated", { said: new RegExp(`lacks ${logged} of ${logged} points`), saved: 0, lost: logged }],
  ["log", "flipped", { said: new RegExp(`lacks ${logged} of ${logged} points`), saved: 0, lost: logged }],
  ["log", "deleted", { said: new RegExp(`lacks ${logged} of ${logged} points`), saved: 0, lost: logged }],
];

it.each(cases)(
  "check finds a %s that was %s, and repair makes the store whole again",
  async (kind, how, { said, saved, lost }) => {
    const dataDir = dataFolder();
    const points = pointsOf(dataDir);
    const name = damage(points, kind, how);
    const before = contentsOf(dataDir);
    const found = await run("check", dataDir);
    const line = found.out.split("\n").find((each) => each.startsWith(kind === "log" ? "log/" : name));
    expect([found.code, line]).toEqual([1, expect.stringMatching(said)]);
    expect(contentsOf(dataDir)).toEqual(before);

    const repaired = await run("repair", dataDir);
    expect([repaired.code, repaired.out]).toEqual([
      0,
      expect.stringMatching(new RegExp(`^${saved} points of damaged files saved, ${lost} points lost\n$`, "m")),
    ]);
    const again = await run("check", dataDir);
    expect(again.out).toMatch(new RegExp(` with ${whole - Number(lost)} points in .*, 0 points in the log$`, "m"));
    expect(again.code).toBe(0);
  },
);

it("repair saves the readable points of a damaged segment even when the manifest is missing", async () => {
  const dataDir = dataFolder();
  damage(pointsOf(dataDir), "parquet", "flipped");
  damage(pointsOf(dataDir), "manifest", "deleted");
  const { code, out } = await run("repair", dataDir);
  expect([code, out]).toEqual([
    0,
    expect.stringContaining(`${shared - 16_384} points of damaged files saved, 16384 points lost`),
  ]);
});

it("repair refuses a store that is in use and names the process", async () => {
  const dataDir = dataFolder();
  damage(pointsOf(dataDir), "manifest", "deleted");
  onTestFinished(await lockFolder(path.join(dataDir, "platform")));
  const { code, err } = await run("repair", dataDir);
  expect([code, err]).toEqual([1, expect.stringContaining(`process ${process.pid} already uses`)]);
});

it("repair changes nothing in an undamaged store", async () => {
  const dataDir = dataFolder();
  const before = contentsOf(dataDir);
  const { code, out } = await run("repair", dataDir);
  expect([code, out]).toEqual([0, expect.stringContaining("every file is whole, nothing was changed")]);
  expect(contentsOf(dataDir)).toEqual(before);
});

it("check, repair and backup refuse a store of a later version", async () => {
  const dataDir = dataFolder();
  const file = path.join(pointsOf(dataDir), "manifest.json");
  const line = readFileSync(file, "utf8").split("\n")[0]!.replace('"format":1', '"format":99');
  const { crc32 } = await import("node:zlib");
  writeFileSync(file, `${line}\n${crc32(line).toString(16).padStart(8, "0")}\n`);
  for (const verb of ["check", "repair", "backup"]) {
    const { code, err } = await millrace([
      "platform",
      verb,
      ...(verb === "backup" ? [folder()] : []),
      "--data-dir",
      dataDir,
    ]);
    expect([code, err]).toEqual([1, expect.stringContaining("the points store has format 99")]);
  }
});

it("check finds no damage in a store that writes and packs points meanwhile", async () => {
  const dataDir = folder();
  const { url, token } = await platform(dataDir, { PLATFORM_HOT_POINTS: "1000" });
  let isOver = false;
  const writing = (async () => {
    for (let batch = 0; !isOver; batch++) {
      const lines = Array.from({ length: 500 }, (_, at) => `m,b=${batch} v=${at}i`);
      await write(url, token, lines.join("\n"));
    }
  })();
  for (let times = 0; times < 3; times++) {
    const { code, out, err } = await run("check", dataDir);
    expect([code, out], err).toEqual([0, expect.stringMatching(/every file is whole\n$/)]);
  }
  isOver = true;
  await writing;
});

it.each([
  [["check", "--data-dir", "/does/not/exist"], /there is no points store in \/does\/not\/exist/],
  [["repair", "--nonsense"], /Unknown option '--nonsense'/],
  [["backup"], /name one folder/],
  [["restore", "/does/not/exist"], /holds no backup/],
])("millrace platform %j fails with a usage error", async (args, reason) => {
  const { code, err } = await millrace(["platform", ...args]);
  expect([code, err]).toEqual([2, expect.stringMatching(reason)]);
});

it("backup refuses a target inside the store or in a folder with other files", async () => {
  const dataDir = dataFolder();
  const other = folder();
  mkdirSync(path.join(other, "letters"));
  for (const to of [path.join(dataDir, "platform", "backup"), other]) {
    const { code, err } = await millrace(["platform", "backup", to, "--data-dir", dataDir]);
    expect([code, err]).toEqual([2, expect.stringMatching(/lies in the folder of the store|is no folder of backups/)]);
  }
});
