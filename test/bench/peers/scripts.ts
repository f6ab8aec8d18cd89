// Compares the scripts of the benchmark with equivalent programs of the Rust crate vrl, over the same lines. Millrace
// and vrl both decode points, run the script and encode protobuf.

import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import type { Millrace, PointView } from "../../../lib/index.ts";
import { columns } from "../measure.ts";
import { type ScriptCase, scriptCases } from "../script-cases.ts";
import { mixedKinds, variedScriptCases } from "../script-cases-varied.ts";
import { buildPeer, runPeer } from "./program.ts";

const points = 4000;
const rounds = 5;
const roundMs = 400;
const now = 1700000000000000000n;

const sources = fileURLToPath(new URL("../../../../test/bench/peers/vrl/programs/", import.meta.url));

interface Pass {
  readonly points: number;
  /** The number of keys in all points after the run; it must be the same for Millrace and vrl. */
  readonly keys: number;
  /** Nanoseconds for each point in the fastest pass over the points. */
  readonly ns: number;
}

/** Returns a table of nanoseconds per point for each script. */
export function scriptTable(mill: Millrace, folder: string): string {
  const program = buildPeer({ name: "Rust vrl", folder: "vrl", language: "rust", binary: "peer-vrl" });
  const table = [["ns a point, body to result", "Millrace", ...(program === null ? [] : ["Rust vrl"])]];
  for (const its of [...scriptCases(points), ...variedScriptCases(points)]) {
    const ours = millrace(mill, its);
    const runs = [ours, ...(program === null ? [] : [vrl(program, its, folder)])];
    table.push([its.name, ...compare(its.name, runs)]);
  }
  return columns(table);
}

/**
 * Runs Millrace and vrl alternately. Returns the best time of each, and the ratio of this time to the time of Millrace.
 */
function compare(name: string, runs: readonly (() => Pass)[]): string[] {
  const best = runs.map(() => Number.POSITIVE_INFINITY);
  for (let round = 0; round < rounds; round++) {
    const passes = runs.map((run, at) => {
      const pass = run();
      best[at] = Math.min(best[at]!, pass.ns / points);
      return `${pass.points} points, ${pass.keys} keys`;
    });
    if (new Set(passes).size !== 1) throw new Error(`${name}: not the same work: ${passes.join("; ")}`);
  }
  return best.map((ns, at) => `${Math.round(ns)}${at === 0 ? "" : ` (${(ns / best[0]!).toFixed(1)}x)`}`);
}

function millrace(mill: Millrace, { script, used, category, body }: ScriptCase): () => Pass {
  const { scripts, errors } = mill.compile({ "bench.p": script, ...used }, { category });
  const compiled = scripts.get("bench.p");
  if (compiled === undefined) throw new Error(JSON.stringify([...errors]));
  const bytes = new TextEncoder().encode(body());
  const options = { category };
  const pass = (atEnd?: (point: PointView) => void): number => {
    const batch = mill.decodePoints(bytes, { category, form: "lp", now });
    mill.runAll(compiled, batch, options, ({ error }) => {
      if (error !== null) throw new Error(error.error);
    });
    mill.encodePoints(batch, "pb");
    if (atEnd !== undefined) for (let at = 0; at < batch.length; at++) atEnd(batch.at(at));
    const { length } = batch;
    batch.release();
    return length;
  };
  return () => {
    let keys = 0;
    const count = pass((point) => {
      keys += [...point.entries()].length;
    });
    let best = Number.POSITIVE_INFINITY;
    for (const began = performance.now(); performance.now() - began < roundMs; ) {
      const start = performance.now();
      pass();
      best = Math.min(best, performance.now() - start);
    }
    return { points: count, keys, ns: best * 1e6 };
  };
}

function vrl(program: string, { program: name, body }: ScriptCase, folder: string): () => Pass {
  const lines = path.join(folder, `${name}.lp`);
  writeFileSync(lines, body());
  const source = path.join(folder, `${name}.vrl`);
  writeFileSync(source, sourceOf(name));
  return () => {
    const [count, keys, ns] = runPeer(program, [source, lines, String(roundMs)]);
    return { points: count!, keys: keys!, ns: ns! };
  };
}

/**
 * Returns the source of a vrl program. The program `mixed` runs one of several other programs on each point, chosen by
 * the tag `kind` of the point.
 */
function sourceOf(name: string): string {
  if (name !== "mixed") return readFileSync(path.join(sources, `${name}.vrl`), "utf8");
  return mixedKinds.map((kind) => `if .kind == "${kind}" {\n${sourceOf(kind)}\n}`).join(" else ");
}
