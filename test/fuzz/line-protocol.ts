// Compares the fast parsers of line protocol with the exact parser (assembly/line-protocol/exact.ts), a slower
// parser that can read every line, on random and on damaged lines. The fast parsers are the general parser
// (general.ts), and the parser that expects the keys of an earlier line (shape.ts). For each body, the points
// from a fast parser and from the exact parser must be equal after encoding, or both parsers must refuse the
// body with the same error.

import { type CategoryName, PointError } from "../../lib/index.ts";
import { decodeBody } from "../../lib/point/codec/body.ts";
import { encodePoints } from "../../lib/point/codec/encode.ts";
import { lineProtocol } from "../../lib/point/codec/line-protocol.ts";
import type { WasmModule } from "../../lib/wasm/module.ts";
import { Dice } from "../bench/data/dice.ts";
import { bodyParts, type FieldKind, type PointKnobs, plainKnobs } from "../bench/data/points.ts";

export interface LineFuzzOptions {
  readonly seed: number;
  /** The comparison ends once it has compared this many lines. */
  readonly lines: number;
  readonly loadModule: () => Promise<WasmModule>;
  readonly log: (text: string) => void;
}

const linesOfBody = 200;
const categories: readonly CategoryName[] = ["metric", "logging", "network", "tracing"];
const now = 1700000000000000000n;
const encoder = new TextEncoder();
const decoder = new TextDecoder();

/**
 * Bytes with a meaning in line protocol. To damage a body, the test replaces some bytes of the body by bytes from this
 * list.
 */
const damaging = encoder.encode(' ,=\\"\n\r\t#.-+0123456789eiutfTF[]{}b\u0000\u00ff');

/**
 * Returns the number of compared lines. At the first difference, throws an error with the seed and, if possible, a
 * single line that the parsers read differently.
 */
export async function fuzzLines({ seed, lines, loadModule, log }: LineFuzzOptions): Promise<number> {
  let done = 0;
  let module = await loadModule();
  for (let round = seed; done < lines; round++) {
    const dice = new Dice(round);
    const knobs = randomKnobs(dice, round);
    const category = dice.pick(categories);
    const bodies = [[...bodyParts(knobs)].join(""), [...bodyParts({ ...knobs, seed: round + 1 })].join("")];
    // Compares the parsers on two random bodies, and then on damaged copies of these bodies.
    for (const text of bodies) compare(module, encoder.encode(text), category, round);
    for (const text of bodies) compare(module, damaged(dice, encoder.encode(text)), category, round);
    done += 4 * linesOfBody;
    if (round % 16 === 0) {
      log(`parsers: ${done} of ${lines}`);
      // A module stops guessing the keys of lines when it has guessed too many keys wrong, as happens with random
      // lines. So the test loads a new module now and then, which guesses keys from its first lines on.
      module = await loadModule();
    }
  }
  return done;
}

function randomKnobs(dice: Dice, seed: number): PointKnobs {
  const kinds: readonly FieldKind[] = dice
    .shuffled<FieldKind>(["float", "int", "uint", "bool", "text", "float"])
    .slice(0, 1 + dice.below(6));
  return {
    ...plainKnobs,
    seed,
    count: linesOfBody,
    shapes: 1 + dice.below(dice.pick([1, 5, 60, 150])),
    order: dice.pick(["round-robin", "random"]),
    presence: dice.pick([1, 0.95, 0.85, 0.5]),
    tagOrder: dice.pick(["fixed", "random"]),
    fieldOrder: dice.pick(["fixed", "random"]),
    kinds,
    digits: dice.pick(["short", "full", "exponent"]),
    integers: dice.pick(["short", "64-bit"]),
    escapes: dice.pick([0, 0.02, 0.3]),
    foreign: dice.pick([0, 0.1]),
    missingTimes: dice.pick([0, 0.1, 1]),
    failing: dice.pick([0, 0, 0.01]),
    lengths: {
      tags: [0, dice.pick([0, 3, 12, 60])],
      fields: [1, dice.pick([1, 6, 40])],
      keys: [1, dice.pick([6, 18, 40])],
      values: [1, dice.pick([8, 20, 70])],
      texts: [0, dice.pick([10, 80, 300])],
    },
    lineEnd: dice.pick(["\n", "\n", "\r\n"]),
    comments: dice.pick([0, 0.05]),
  };
}

/**
 * Returns a damaged copy of the body. Random bytes are replaced, removed or doubled, about one time for every twenty
 * lines.
 */
function damaged(dice: Dice, body: Uint8Array): Uint8Array {
  const bytes = [...body];
  for (let left = 1 + dice.below(linesOfBody / 10); left > 0; left--) {
    const at = dice.below(bytes.length);
    const change = dice.below(3);
    if (change === 0) bytes[at] = dice.pick([...damaging]);
    else if (change === 1) bytes.splice(at, 1 + dice.below(3));
    else bytes.splice(at, 0, bytes[at]!);
  }
  return Uint8Array.from(bytes);
}

function compare(module: WasmModule, body: Uint8Array, category: CategoryName, seed: number): void {
  if (isSame(module, body, category)) return;
  const lines = decoder.decode(body).split("\n");
  const one = lines.find((line) => !isSame(module, encoder.encode(line), category));
  const shown = (one ?? lines.slice(0, 5).join("\n")).slice(0, 1000);
  throw new Error(`seed ${seed}, category ${category}: the parsers read this differently: ${JSON.stringify(shown)}`);
}

function isSame(module: WasmModule, body: Uint8Array, category: CategoryName): boolean {
  const [fast, exact] = [true, false].map((isFast) => outcomeOf(module, body, category, isFast));
  return fast === exact;
}

/** Returns the points as line protocol and as PBJSON, or the error message when the parser refuses the body. */
function outcomeOf(module: WasmModule, body: Uint8Array, category: CategoryName, isFast: boolean): string {
  try {
    const batch = decodeBody(module, body, lineProtocol(isFast), { category, now });
    try {
      const written = (["lp", "pbjson"] as const).map((form) => decoder.decode(encodePoints(module, batch, form)));
      return `${batch.length}\n${written.join("\n")}`;
    } finally {
      batch.release();
    }
  } catch (error) {
    if (error instanceof PointError) return error.message;
    throw error;
  }
}
