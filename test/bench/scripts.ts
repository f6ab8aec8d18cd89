// Benchmarks of scripts, from the body of the request to the body of the output: points are decoded, run through
// a script and encoded as protobuf. The baseline is handwritten JavaScript that does the same work with RegExp
// and JSON.parse (test/baseline/hand-point.ts). Also measures how long a long script takes to compile.

import type { Millrace, ScriptResult } from "../../lib/index.ts";
import { decodeByHand, HandEncoder } from "../baseline/hand-point.ts";
import { lazy, type Pair } from "./measure.ts";
import { longScript, type ScriptCase, scriptCases } from "./script-cases.ts";
import { variedScriptCases } from "./script-cases-varied.ts";

const points = 1000;
const now = 1700000000000000000n;

export function scriptPairs(mill: Millrace): Pair[] {
  return [...scriptCases(points), ...variedScriptCases(points)].map((each) => pairOf(mill, each));
}

function pairOf(mill: Millrace, its: ScriptCase): Pair {
  const work = lazy(() => workOf(mill, its));
  return {
    name: `${its.name}, ${points} points`,
    baseline: "the same by hand in JS",
    ours: () => void work().ours(),
    theirs: () => void work().theirs(),
  };
}

interface Work {
  readonly ours: () => Uint8Array;
  readonly theirs: () => Uint8Array;
}

function workOf(mill: Millrace, { category, script, used, body, byHand }: ScriptCase): Work {
  const { scripts, errors } = mill.compile({ "bench.p": script, ...used }, { category });
  const compiled = scripts.get("bench.p");
  if (compiled === undefined) throw new Error(JSON.stringify([...errors]));
  const bytes = new TextEncoder().encode(body());
  const encoder = new HandEncoder();
  // Millrace and the baseline each reuse one output buffer of their own for all bodies.
  const target = new Uint8Array(bytes.length * 10);
  let length = 0;
  const take = (chunk: Uint8Array): void => {
    target.set(chunk, length);
    length += chunk.length;
  };
  const ours = (): Uint8Array => {
    const batch = mill.decodePoints(bytes, { category, form: "lp", now });
    mill.runAll(compiled, batch, { category }, orThrow);
    length = 0;
    mill.encodeTo(batch, "pb", take);
    batch.release();
    return target.subarray(0, length);
  };
  const theirs = (): Uint8Array => {
    const decoded = decodeByHand(bytes);
    for (const point of decoded) byHand(point);
    return encoder.encode(decoded);
  };
  sameFields(mill, ours(), theirs(), category);
  return { ours, theirs };
}

function orThrow({ error }: ScriptResult): void {
  if (error !== null) throw new Error(error.error);
}

/**
 * Throws unless the script and the handwritten code made the same points, because a benchmark of different work would
 * be meaningless.
 */
function sameFields(mill: Millrace, ours: Uint8Array, theirs: Uint8Array, category: ScriptCase["category"]): void {
  const lines = (bytes: Uint8Array): string[] => {
    const batch = mill.decodePoints(bytes, { category, form: "pb", now });
    const text = new TextDecoder().decode(mill.encodePoints(batch, "lp"));
    batch.release();
    return text.split("\n");
  };
  const [left, right] = [lines(ours), lines(theirs)];
  const at = left.findIndex((line, index) => line !== right[index]);
  if (at >= 0 || left.length !== right.length) throw new Error(`the two ways differ:\n${left[at]}\n${right[at]}`);
}

export interface CompileTime {
  readonly name: string;
  readonly medianMs: number;
}

/**
 * Measures the milliseconds to compile a script of 500 lines. Each round uses a script with other strings, so that no
 * cache helps.
 */
export function measureCompile(mill: Millrace): CompileTime {
  const times: number[] = [];
  for (let turn = 0; turn < 40; turn++) {
    const text = longScript(500).replaceAll("_1", `_${turn}x1`);
    const begin = performance.now();
    const set = mill.compile({ "long.p": text }, { category: "logging" });
    times.push(performance.now() - begin);
    if (set.errors.size > 0) throw new Error(JSON.stringify([...set.errors]));
    set.free();
  }
  times.sort((a, b) => a - b);
  return {
    name: `compile a script of ${longScript(500).split("\n").length} lines`,
    medianMs: times[times.length >> 1]!,
  };
}
