// Decodes the same bodies with Millrace and with decoders in other languages. Each decoder reads every part of every
// point as a typed value. Millrace writes these values to its tape (the decoded points in linear memory), with the tags
// in the order of their keys; so the program in Go runs twice, once without and once with sorting the tags. Only
// Millrace also corrects the points and copies the body into its memory.

import { writeFileSync } from "node:fs";
import path from "node:path";
import type { CategoryName, Millrace } from "../../../lib/index.ts";
import { bodyOf, pointSets } from "../data/point-sets.ts";
import { logLines, metricLines } from "../data/regular.ts";
import { columns } from "../measure.ts";
import { buildPeer, runPeer } from "./program.ts";

const rounds = 3;
const roundMs = 600;

interface Contender {
  readonly name: string;
  /**
   * Returns the number of points and the time of the fastest pass over the body; null when the decoder refuses the
   * body.
   */
  readonly run: (body: Body) => Pass | null;
}

interface Pass {
  readonly points: number;
  readonly ns: number;
}

interface Body {
  readonly name: string;
  readonly category: CategoryName;
  readonly bytes: Uint8Array;
  readonly file: string;
}

const rust = { folder: "rust", language: "rust", binary: "peers", refuses: ["CRLF"] } as const;
const go = { folder: "go", language: "go", binary: "peers", refuses: [] } as const;

/**
 * The compared decoders in other languages. `refuses` has the names of the bodies that the decoder cannot read, and
 * `mode` is the last argument of the program.
 */
const peers = [
  { ...go, name: "Go line-protocol/v2", mode: "" },
  { ...go, name: "the same, with sorted tags", mode: "sorted" },
  { ...rust, name: "Rust influxdb-line-protocol", mode: "" },
];

/** Returns a table of MB/s for each body and decoder. */
export function lineProtocolTable(mill: Millrace, folder: string): string {
  const contenders: Contender[] = [{ name: "Millrace", run: (body) => runMillrace(mill, body) }];
  for (const { refuses, mode, ...peer } of peers) {
    const program = buildPeer(peer);
    if (program === null) continue;
    const refused: readonly string[] = refuses;
    contenders.push({
      name: peer.name,
      run: (body) => (refused.includes(body.name) ? null : runProgram(program, body, mode)),
    });
  }
  const encoder = new TextEncoder();
  const bodies: readonly Omit<Body, "file">[] = [
    { name: "metric lines", category: "metric", bytes: encoder.encode(metricLines(3000)) },
    { name: "log lines", category: "logging", bytes: encoder.encode(logLines(4000)) },
    ...pointSets.map((set) => ({ name: set.name, category: set.category, bytes: bodyOf(set) })),
  ];
  const table = [["", ...contenders.map(({ name }) => name)]];
  const file = path.join(folder, "body");
  for (const body of bodies) {
    writeFileSync(file, body.bytes);
    table.push([body.name, ...compare(contenders, { ...body, file })]);
  }
  return columns(table);
}

/** Runs the decoders alternately. Returns the best speed of each, and how many times faster Millrace is. */
function compare(contenders: readonly Contender[], body: Body): string[] {
  const best = contenders.map(() => Number.POSITIVE_INFINITY);
  for (let round = 0; round < rounds; round++) {
    const counts = contenders.flatMap(({ run }, at) => {
      const pass = run(body);
      if (pass === null) return [];
      best[at] = Math.min(best[at]!, pass.ns);
      return [pass.points];
    });
    if (new Set(counts).size !== 1) throw new Error(`${body.name}: not the same points: ${counts.join(", ")}`);
  }
  return best.map((ns, at) => {
    if (!Number.isFinite(ns)) return "refuses it";
    const speed = `${Math.round((body.bytes.length * 1000) / ns)} MB/s`;
    return at === 0 ? speed : `${speed} (${(ns / best[0]!).toFixed(1)}x)`;
  });
}

function runMillrace(mill: Millrace, { bytes, category }: Body): Pass {
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

function runProgram(program: string, { file }: Body, mode: string): Pass {
  const [points, ns] = runPeer(program, [file, String(roundMs), mode]);
  return { points: points!, ns: ns! };
}
