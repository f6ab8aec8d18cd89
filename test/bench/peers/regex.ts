// Searches texts with Millrace and with Go's package regexp. The expressions have large counted repeats, such as
// `\pL{300}`, and find nothing. The texts have one to four bytes per letter. Each search is timed by itself; the rounds
// of the two engines alternate, and the median of all rounds counts.

import { writeFileSync } from "node:fs";
import path from "node:path";
import type { Millrace } from "../../../lib/index.ts";
import { Dice } from "../data/dice.ts";
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
  const table = [["us a search", "text", "Millrace", "Go regexp", "ratio"]];
  const texts = letters.flatMap((count) => [
    { name: `${count} letters`, text: "щебень".repeat(Math.ceil(count / 6)).slice(0, count) },
    { name: `${count} varied letters`, text: variedLetters(count) },
  ]);
  for (const expression of expressions) {
    const regex = mill.regex(expression);
    for (const { name, text: letters } of texts) {
      const text = Buffer.from(letters);
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
      table.push([expression, name, (own / 1000).toFixed(1), (other / 1000).toFixed(1), (own / other).toFixed(2)]);
    }
    regex.free();
  }
  return columns(table);
}

/** Letters of one to four bytes and of both cases, in words of any length. */
function variedLetters(count: number): string {
  const dice = new Dice(83);
  const alphabet = [..."abcxyzABCXYZäöüßéñłğщебеньЩБЮλωΩשלום日本語気漢𠮷𐐀 "];
  return Array.from({ length: count }, () => dice.pick(alphabet)).join("");
}

/** Median time of the searches in a round, in nanoseconds. */
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
