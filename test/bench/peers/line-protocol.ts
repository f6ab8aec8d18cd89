// The same bodies decoded by Millrace and by the decoders of other languages. Each reads every part of every point as a typed value,
// which for Millrace is the tape. Millrace also makes the corrections, and copies the body into its memory; its peers do neither.

import { writeFileSync } from "node:fs";
import path from "node:path";
import type { Millrace } from "../../../lib/index.ts";
import { logLines, metricLines } from "../data/regular.ts";
import { columns } from "../measure.ts";
import { buildPeer, runPeer } from "./program.ts";

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

const peers = [
  { name: "Go line-protocol/v2", folder: "go", language: "go", binary: "peers" },
  { name: "Rust influxdb-line-protocol", folder: "rust", language: "rust", binary: "peers" },
] as const;

/** MB/s by body and decoder, as a table. */
export function lineProtocolTable(mill: Millrace, folder: string): string {
  const contenders: Contender[] = [{ name: "Millrace", run: (body) => runMillrace(mill, body) }];
  for (const peer of peers) {
    const program = buildPeer(peer);
    if (program !== null) contenders.push({ name: peer.name, run: (body) => runProgram(program, body) });
  }
  const bodies = [
    { name: "metric lines", category: "metric", text: metricLines(3000) },
    { name: "log lines", category: "logging", text: logLines(4000) },
  ] as const;
  const table = [["", ...contenders.map(({ name }) => name)]];
  for (const { name, category, text } of bodies) {
    const bytes = new TextEncoder().encode(text);
    const file = path.join(folder, category);
    writeFileSync(file, bytes);
    table.push([name, ...compare(contenders, { name, category, bytes, file })]);
  }
  return columns(table);
}

/** Best speed of each in turns, and how many times faster Millrace is. */
function compare(contenders: readonly Contender[], body: Body): string[] {
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

function runMillrace(mill: Millrace, { bytes, category }: Body): { points: number; ns: number } {
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
  const [points, ns] = runPeer(program, [file, String(roundMs)]);
  return { points: points!, ns: ns! };
}
