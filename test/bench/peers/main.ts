// `npm run bench:peers`: the same bytes decoded by Millrace and by the decoders of other languages. Each peer is a small program beside
// this file, built here when its toolchain is present; it reads every part of every point as a typed value, which for Millrace is the
// tape. Millrace also makes the corrections, and copies the body into its memory; its peers do neither.

import { spawnSync } from "node:child_process";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { loadMillrace } from "../../conformance/node-millrace.ts";
import { logLines, metricLines } from "../data.ts";

const root = fileURLToPath(new URL("../../../../", import.meta.url));
const sources = path.join(root, "test/bench/peers");
// Not beside the sources: what is built is no part of the repository.
const builds = path.join(root, "node_modules/.millrace-peers");
const rounds = 3;
const roundMs = 600;

interface Contender {
  readonly name: string;
  /** Points and the nanoseconds of the quickest pass over the body. */
  readonly run: (body: Body) => { points: number; ns: number };
}

interface Body {
  readonly name: string;
  readonly category: "metric" | "logging";
  readonly bytes: Uint8Array;
  readonly file: string;
}

const go = path.join(builds, "go", process.platform === "win32" ? "peers.exe" : "peers");
const rust = path.join(builds, "rust");
const peers = [
  {
    name: "Go line-protocol/v2",
    folder: "go",
    command: ["go", "build", "-o", go, "."],
    program: go,
  },
  {
    name: "Rust influxdb-line-protocol",
    folder: "rust",
    command: ["cargo", "build", "--release", "--locked", "--target-dir", rust],
    program: path.join(rust, "release", process.platform === "win32" ? "peers.exe" : "peers"),
  },
];

const mill = await loadMillrace();
const contenders: Contender[] = [{ name: "Millrace", run: runMillrace }];
mkdirSync(builds, { recursive: true });
for (const { name, folder, command, program } of peers) {
  process.stderr.write(`building ${name} ...\n`);
  const [tool, ...args] = command;
  const built = spawnSync(tool!, args, { cwd: path.join(sources, folder), encoding: "utf8" });
  if (built.status === 0) contenders.push({ name, run: (body) => runProgram(program, body) });
  else if (built.error !== undefined) console.log(`${name}: skipped, ${tool} is not installed`);
  else console.log(`${name}: skipped, it does not build:\n${built.stderr.trim()}`);
}

const folder = path.join(tmpdir(), `millrace-peers-${process.pid}`);
mkdirSync(folder);
try {
  const bodies = [
    { name: "metric lines", category: "metric", text: metricLines(3000) },
    { name: "log lines", category: "logging", text: logLines(4000) },
  ] as const;
  const table = [["", ...contenders.map(({ name }) => name)]];
  for (const { name, category, text } of bodies) {
    const bytes = new TextEncoder().encode(text);
    const file = path.join(folder, category);
    writeFileSync(file, bytes);
    table.push([name, ...compare({ name, category, bytes, file })]);
  }
  const widths = table[0]!.map((_, column) => Math.max(...table.map((row) => row[column]!.length)));
  for (const row of table)
    console.log(
      row
        .map((cell, at) => cell.padEnd(widths[at]!))
        .join("  ")
        .trimEnd(),
    );
} finally {
  rmSync(folder, { recursive: true });
}

/** Best speed of each in turns, and how many times faster Millrace is. */
function compare(body: Body): string[] {
  const best = contenders.map(() => Number.POSITIVE_INFINITY);
  for (let round = 0; round < rounds; round++) {
    const counts = contenders.map(({ run }, at) => {
      const { points, ns } = run(body);
      best[at] = Math.min(best[at]!, ns);
      return points;
    });
    if (new Set(counts).size !== 1) throw new Error(`${body.name}: not the same points: ${counts.join(", ")}`);
  }
  return best.map((ns, at) => {
    const speed = `${Math.round((body.bytes.length * 1000) / ns)} MB/s`;
    return at === 0 ? speed : `${speed} (${(ns / best[0]!).toFixed(1)}x)`;
  });
}

function runMillrace({ bytes, category }: Body): { points: number; ns: number } {
  let points = 0;
  let best = Number.POSITIVE_INFINITY;
  for (const began = performance.now(); performance.now() - began < roundMs; ) {
    const start = performance.now();
    const batch = mill.decodePoints(bytes, { category, form: "lp", now: 1n });
    points = batch.length;
    batch.release();
    best = Math.min(best, performance.now() - start);
  }
  return { points, ns: best * 1e6 };
}

function runProgram(program: string, { file }: Body): { points: number; ns: number } {
  const done = spawnSync(program, [file, String(roundMs)], { encoding: "utf8" });
  if (done.status !== 0) throw new Error(`${program}: ${done.stderr}`);
  const [points, ns] = done.stdout.trim().split(" ").map(Number);
  return { points: points!, ns: ns! };
}
