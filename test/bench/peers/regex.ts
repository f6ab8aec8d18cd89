// Compares Millrace with Go's package regexp on expressions with large counted repeats. The searched text has two bytes
// per letter and contains no match. Each search is timed by itself; rounds of Millrace and of Go alternate, and the
// median of all rounds counts.

import { writeFileSync } from "node:fs";
import path from "node:path";
import type { Millrace } from "../../../lib/index.ts";
import { columns } from "../measure.ts";
import { buildPeer, runPeer } from "./program.ts";

const rounds = 7;
const roundMs = 200;
const expressions = ["\\pL{300}\\d", "\\pL{30,300}\\d", "(?i)\\pL{300}\\d"];
const letters = [250, 1000, 4000];

/**
 * Returns a table of microseconds per search for each expression and text length, with Millrace's time as a multiple of
 * Go's.
 */
export function regexTable(mill: Millrace, folder: string): string {
  const program = buildPeer({ name: "Go regexp", folder: "go-regex", language: "go", binary: "peer-regex" });
  const table = [["us a search", "letters", "Millrace", "Go regexp", "ratio"]];
  for (const expression of expressions) {
    const regex = mill.regex(expression);
    for (const count of letters) {
      const text = Buffer.from("щебень".repeat(Math.ceil(count / 6)).slice(0, count));
      const file = path.join(folder, "text");
      writeFileSync(file, text);
      const ours: number[] = [];
      const theirs: number[] = [];
      for (let round = 0; round < rounds; round++) {
        ours.push(medianNs(() => regex.find(text) !== null));
        if (program === null) continue;
        const [matches, ns] = runPeer(program, [expression, file, String(roundMs)]) as [number, number];
        if (matches !== 0) throw new Error(`${expression}: Go finds a match`);
        theirs.push(ns);
      }
      const [own, other] = [median(ours), median(theirs)];
      table.push([
        expression,
        String(count),
        (own / 1000).toFixed(1),
        (other / 1000).toFixed(1),
        (own / other).toFixed(2),
      ]);
    }
    regex.free();
  }
  return columns(table);
}

/** Returns the median time of the searches of a round, in nanoseconds. */
function medianNs(finds: () => boolean): number {
  const times: number[] = [];
  for (const began = performance.now(); times.length < 3 || performance.now() - began < roundMs; ) {
    const start = performance.now();
    if (finds()) throw new Error("Millrace finds a match");
    times.push((performance.now() - start) * 1e6);
  }
  return median(times);
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1] ?? Number.NaN;
}
