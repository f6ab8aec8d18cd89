// `millrace platform backup` and `restore`: every acknowledged point is present exactly once after a restore, also if
// points were written and packed during the backup.

import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { lockFolder } from "../../../server/queue/lock/lock.ts";
import { startPlatform } from "../platform/open-api/running-platform.ts";
import { millrace } from "../support/millrace.ts";
import { ask, folder, platform, write } from "../support/running-platform.ts";
import {
  contentsOf,
  damage,
  dataFolder,
  logged,
  logging,
  makeOriginalStore,
  pointsOf,
  shared,
} from "./platform-store.ts";

makeOriginalStore();

const run = (verb: string, dataDir: string, ...args: string[]) =>
  millrace(["platform", verb, ...args, "--data-dir", dataDir]);
const held = new RegExp(
  `^restored 2 segments with ${shared + logging} points in .*, ${logged} points in the log$`,
  "m",
);

it("a restored backup contains the segments, the log and the token of the store", async () => {
  const dataDir = dataFolder();
  const [to, other] = [folder(), folder()];
  writeFileSync(path.join(dataDir, "platform", "token"), "tkn_0123456789abcdef\n");
  const { code, out } = await run("backup", dataDir, to);
  expect([code, out]).toEqual([0, expect.stringContaining("2 copied")]);
  const restored = await run("restore", other, to);
  expect([restored.code, restored.out]).toEqual([0, expect.stringMatching(held)]);
  const [from, copy] = [contentsOf(pointsOf(dataDir)), contentsOf(pointsOf(other))];
  for (const [name, bytes] of from)
    if (!name.startsWith("registry")) expect([name, copy.get(name)]).toEqual([name, bytes]);
  expect(readFileSync(path.join(other, "platform", "token"), "utf8")).toBe("tkn_0123456789abcdef\n");
  expect(readdirSync(path.join(dataDir, "platform")).filter((name) => name.startsWith("snapshot"))).toEqual([]);
});

it("a backup contains each point acknowledged before its start once, while points arrive and are packed", async () => {
  const dataDir = folder();
  const { url, token } = await platform(dataDir, { PLATFORM_HOT_POINTS: "1000", PLATFORM_MERGE_FILES: "2" });
  let acknowledged = 0;
  let isOver = false;
  const writing = (async () => {
    for (let batch = 0; !isOver; batch++) {
      const lines = Array.from({ length: 200 }, (_, at) => `m id=${batch * 200 + at}i`);
      expect((await write(url, token, lines.join("\n"))).status).toBe(200);
      acknowledged = (batch + 1) * 200;
    }
  })();
  const to = folder();
  for (let times = 0; times < 3; times++) {
    const least = acknowledged;
    expect(await run("backup", dataDir, to)).toMatchObject({ code: 0 });
    const other = folder();
    expect(await run("restore", other, to)).toMatchObject({ code: 0 });
    const restored = await platform(other);
    expect(restored.token).toBe(token);
    const { series } = await ask(restored.url, "M::m:(count(*), count_distinct(id), max(id))", token);
    const [, all, distinct, last] = series[0]!.values[0] as [number, number, number, number];
    expect([all, distinct]).toEqual([last + 1, last + 1]);
    expect(all).toBeGreaterThanOrEqual(least);
    await restored.kill();
  }
  isOver = true;
  await writing;
});

it("a backup made while metadata change contains every change that was answered before its start", async () => {
  const source = await startPlatform();
  onTestFinished(() => source.stop());
  const create = async (name: string) =>
    expect((await source.call("/dashboard/create", { body: { name } })).status).toBe(200);
  await create("before");
  let isOver = false;
  const changing = (async () => {
    for (let at = 0; !isOver; at++) await create(`meanwhile ${at}`);
  })();
  const [to, other] = [folder(), folder()];
  expect(await run("backup", source.dataDir, to)).toMatchObject({ code: 0 });
  isOver = true;
  await changing;
  expect(await run("restore", other, to)).toMatchObject({ code: 0 });
  const restored = await startPlatform({ dataDir: other });
  onTestFinished(() => restored.stop());
  // The API key was made before the backup, so it works on the restored platform.
  const listed = await restored.call("/dashboards/list?search=before", { key: source.key });
  expect(listed.body.content).toMatchObject([{ name: "before" }]);
});

it("a second backup copies only new segments and removes those that are no longer needed", async () => {
  const dataDir = dataFolder();
  const to = folder();
  await run("backup", dataDir, to);
  const files = readdirSync(to, { recursive: true, encoding: "utf8" }).filter((name) =>
    /segments.*\.parquet$/.test(name),
  );
  const times = files.map((name) => statSync(path.join(to, name)).ctimeMs);
  const stale = path.join(to, "segments", "metric", "000000000999.parquet");
  writeFileSync(stale, "of an earlier backup");
  const second = await run("backup", dataDir, to);
  expect([second.code, second.out]).toEqual([0, expect.stringContaining("0 copied (0 bytes), 2 were there")]);
  expect(files.map((name) => statSync(path.join(to, name)).ctimeMs)).toEqual(times);
  expect(existsSync(stale)).toBe(false);
});

it("a second backup copies a segment again that is damaged in the backup", async () => {
  const dataDir = dataFolder();
  const to = folder();
  await run("backup", dataDir, to);
  damage(to, "parquet", "flipped");
  expect((await run("backup", dataDir, to)).out).toContain("1 copied");
  expect(await run("restore", folder(), to)).toMatchObject({ code: 0 });
});

it("a backup reports a damaged segment of the store and contains all other segments", async () => {
  const dataDir = dataFolder();
  damage(pointsOf(dataDir), "parquet", "flipped");
  const to = folder();
  const { code, out } = await run("backup", dataDir, to);
  expect([code, out]).toEqual([1, expect.stringMatching(/parquet is damaged and not in the backup \(38000 points\)/)]);
  const restored = await run("restore", folder(), to);
  expect([restored.code, restored.out]).toEqual([0, expect.stringContaining(`1 segment with ${logging} points`)]);
});

it("a backup that was killed between its two renames leaves the last backup restorable", async () => {
  const dataDir = dataFolder();
  const to = folder();
  await run("backup", dataDir, to);
  renameSync(path.join(to, "state"), path.join(to, "state.old"));
  mkdirSync(path.join(to, "state.new"));
  const restored = await run("restore", folder(), to);
  expect([restored.code, restored.out]).toEqual([0, expect.stringMatching(held)]);
  expect(await run("backup", dataDir, to)).toMatchObject({ code: 0 });
  expect(readdirSync(to).sort()).toEqual(["segments", "state"]);
});

it("restore keeps an existing store; with --force it moves the store aside", async () => {
  const dataDir = dataFolder();
  const to = folder();
  await run("backup", dataDir, to);
  const before = contentsOf(dataDir);
  const refused = await run("restore", dataDir, to);
  expect([refused.code, refused.err]).toEqual([
    2,
    expect.stringMatching(/holds a store already; --force moves it aside/),
  ]);
  expect(contentsOf(dataDir)).toEqual(before);
  const forced = await run("restore", dataDir, to, "--force");
  expect([forced.code, forced.out]).toEqual([0, expect.stringMatching(held)]);
  const aside = readdirSync(path.join(dataDir, "platform")).find((name) => name.startsWith("replaced-"))!;
  expect(existsSync(path.join(dataDir, "platform", aside, "points", "manifest.json"))).toBe(true);
  expect(await run("check", dataDir)).toMatchObject({ code: 0 });
});

it.each(["parquet", "keys", "log", "registry", "manifest"] as const)(
  "restore reports a damaged %s in the backup and changes nothing",
  async (kind) => {
    const dataDir = dataFolder();
    const to = folder();
    await run("backup", dataDir, to);
    damage(kind === "parquet" || kind === "keys" ? to : path.join(to, "state"), kind, "flipped");
    const other = folder();
    const { code, out } = await run("restore", other, to);
    expect([code, out]).toEqual([1, expect.stringContaining("the backup is damaged, nothing was changed")]);
    expect(readdirSync(other)).toEqual([]);
  },
);

it("restore with --damaged restores the undamaged part of a damaged backup", async () => {
  const dataDir = dataFolder();
  const to = folder();
  await run("backup", dataDir, to);
  damage(to, "parquet", "deleted");
  const other = folder();
  expect(await run("restore", other, to, "--damaged")).toMatchObject({ code: 1 });
  const { code, out } = await run("check", other);
  expect([code, out]).toEqual([0, expect.stringContaining(`1 segment with ${logging} points`)]);
});

it("restore refuses a folder that is in use", async () => {
  const dataDir = dataFolder();
  const to = folder();
  await run("backup", dataDir, to);
  const other = folder();
  onTestFinished(await lockFolder(path.join(other, "platform")));
  const { code, err } = await run("restore", other, to);
  expect([code, err]).toEqual([1, expect.stringContaining(`process ${process.pid} already uses`)]);
});
