// A load with very many small workspaces. A workspace must not need much more disk space than its points take,
// and its queries must not become slower because of the other workspaces.

import { rmSync } from "node:fs";
import type { CategoryName } from "../../../lib/index.ts";
import { temporary } from "../http/targets.ts";
import { createRandom, epochMs, logLine, metricLine, perBody, senders, timeOfPoint } from "./bodies.ts";
import type { Figure } from "./figures.ts";
import type { LoadOptions } from "./loads.ts";
import {
  ask,
  type Body,
  diskBytes,
  medianMs,
  type Platform,
  type Question,
  quiet,
  sendAll,
  startPlatform,
} from "./platform.ts";

/** Number of points in each category of a workspace. */
const pointsEach = 100;
const asked = 20;
const range = [epochMs, epochMs + 86_400_000] as const;
/** The source of the DQL query for each category. */
const sources = { metric: "M::cpu", logging: "L::nginx", object: "OH::host_object" } as const;
const stored = Object.keys(sources) as (keyof typeof sources)[];

export async function* workspaces({ scale, quietSeconds }: LoadOptions): AsyncGenerator<Figure> {
  const tokens = Array.from({ length: Math.ceil(3000 * scale) }, (_, at) => `token-${String(at).padStart(6, "0")}`);
  const alone = await inOneWorkspace(tokens.length, quietSeconds);
  const dataDir = temporary();
  const env = { PLATFORM_TOKENS: tokens.join(",") };
  let platform = await startPlatform({ dataDir, env });
  try {
    const empty = diskBytes(dataDir);
    const sent = await sendAll(platform, bodies(tokens), senders);
    yield { name: "writes not answered with 200", unit: "", measured: sent.refused, goal: { exactly: 0 } };
    yield { name: "points taken in a second", unit: "points/s", measured: Math.round(sent.points / sent.seconds) };
    const differing = await differingCounts(platform, tokens);
    yield { name: "workspaces whose counts differ", unit: "", measured: differing, goal: { exactly: 0 } };
    const questions = Array.from({ length: Math.min(asked, tokens.length) }, (_, at): Question => {
      const token = tokens[Math.floor((at * tokens.length) / asked)]!;
      return { dql: "M::cpu:(avg(load)) BY host", range, token };
    });
    const ms = await medianMs(platform, questions);
    yield { name: "query of one workspace", unit: "ms", measured: ms, goal: { atMost: 50 } };
    await quiet(platform, quietSeconds);
    yield { name: "SIGTERM to exit", unit: "s", measured: await platform.stop(), goal: { atMost: 5 } };
    yield { name: "resident memory, most", unit: "GB", measured: platform.peakBytes() / 1024 ** 3 };

    const began = performance.now();
    platform = await startPlatform({ dataDir, env });
    await ask(platform, questions[0]!);
    yield { name: "restart to the first answer", unit: "s", measured: (performance.now() - began) / 1000 };
    await quiet(platform, quietSeconds);
    const bytes = diskBytes(dataDir) - empty;
    const perWorkspace = (size: number) => size / tokens.length / 1024;
    yield { name: "disk of a workspace's points in one file", unit: "KB", measured: perWorkspace(alone) };
    const more = perWorkspace(bytes - alone);
    yield { name: "disk of a workspace beyond them", unit: "KB", measured: more, goal: { atMost: 50 } };
  } finally {
    await platform.kill();
    rmSync(dataDir, { recursive: true, force: true });
  }
}

/**
 * Puts the points of `count` workspaces into a single workspace. Returns the disk space in bytes that the points then
 * take.
 */
async function inOneWorkspace(count: number, quietSeconds: number): Promise<number> {
  const dataDir = temporary();
  let platform = await startPlatform({ dataDir });
  try {
    const empty = diskBytes(dataDir);
    const { refused } = await sendAll(platform, joined(count), senders);
    if (refused > 0) throw new Error(`one workspace refuses ${refused} bodies`);
    await quiet(platform, quietSeconds);
    await platform.stop();
    platform = await startPlatform({ dataDir });
    await quiet(platform, quietSeconds);
    return diskBytes(dataDir) - empty;
  } finally {
    await platform.kill();
    rmSync(dataDir, { recursive: true, force: true });
  }
}

/** Returns how many workspaces have, in at least one category, another number of points than was sent to them. */
async function differingCounts(platform: Platform, tokens: readonly string[]): Promise<number> {
  const waiting = tokens.values();
  let differing = 0;
  const asker = async (): Promise<void> => {
    for (const token of waiting) {
      const counts: number[] = [];
      for (const category of stored)
        counts.push((await ask(platform, { dql: `${sources[category]}:(count(*))`, range, token }))[0]!);
      if (counts.some((count) => count !== pointsEach)) differing++;
    }
  };
  await Promise.all(Array.from({ length: senders }, asker));
  return differing;
}

function* bodies(tokens: readonly string[]): Generator<Body> {
  for (const [workspace, token] of tokens.entries())
    for (const category of stored)
      yield { category, lines: linesOf(workspace, category).join("\n"), points: pointsEach, token };
}

/**
 * Yields the points of all workspaces, joined in bodies of the usual size. The benchmark sends these bodies to a single
 * workspace.
 */
function* joined(workspaces: number): Generator<Body> {
  for (const category of stored) {
    for (let from = 0; from < workspaces; from += perBody / pointsEach) {
      const size = Math.min(perBody / pointsEach, workspaces - from);
      const lines = Array.from({ length: size }, (_, at) => linesOf(from + at, category)).flat();
      yield { category, lines: lines.join("\n"), points: lines.length };
    }
  }
}

function linesOf(workspace: number, category: CategoryName): string[] {
  // Each workspace has a different seed. The seed is odd, because the random number generator cannot start from 0.
  const random = createRandom(Math.imul(2 * workspace + 1, 0x9e3779b1));
  return Array.from({ length: pointsEach }, (_, number) => {
    const at = workspace * pointsEach + number;
    const time = timeOfPoint(at);
    if (category === "metric") return metricLine(at, time, random);
    return category === "logging" ? logLine(at, time, random) : objectLine(at, time, random);
  });
}

function objectLine(at: number, time: bigint, random: () => number): string {
  const name = `web-${at % 100}`;
  return `host_object,name=${name},os=linux cores=${1 + (at % 64)}i,load=${(random() * 4).toFixed(3)},message="host ${name} is up" ${time}`;
}
