// Charges steps for work on large values, so that a script's step limit bounds its cost. Functions pay for each
// argument that they read; a function whose work is of a higher order charges the rest by itself.

import { isBytes, type Text } from "../../text/bytes.ts";
import { byteLength } from "../../text/utf8.ts";
import { mostWidth, pieceBytes } from "./memory.ts";
import type { Run } from "./run.ts";
import type { Value } from "./value.ts";

/** Units of work that cost about as much as a statement; less is part of the calling statement. */
const unitsPerStep = 64;

/** Charges work on so many bytes, characters or elements. The next statement notices when the steps are used up. */
export function work(run: Run, units: number): void {
  if (units >= unitsPerStep) run.steps -= Math.floor(units / unitsPerStep);
}

/** Charges for reading a value once. */
export function workOn(run: Run, value: Value): void {
  if (typeof value === "string" || Array.isArray(value) || isBytes(value)) work(run, value.length);
  else if (value instanceof Map) work(run, value.size * 4);
}

/** A function holds a text at most this often while it works: as it was given, in one piece, as bytes, and as its result. */
const copies = 4;

/** Throws when there is no room for the copies that a function makes of a text. */
export function checkCopies(run: Run, text: Text): void {
  const { memory } = run;
  // Nearly all texts are short beside the limit, so their characters are read only when the answer depends on them.
  if (text.length * copies * mostWidth <= memory.left) return;
  run.steps -= memory.measure(run.locals, copies * text.length);
  const more = copies * byteLength(text);
  if (more > copies * text.length) run.steps -= memory.measure(run.locals, more);
}

/**
 * Returns a function that counts the pieces of a text before it is written to the point, and fails when there is no room for the text and
 * its copies. `isAscii` is asked only when the answer depends on the characters.
 */
export function countPieces({ memory }: Run, isAscii: () => boolean): (length: number) => void {
  let made = 0;
  let width = 0;
  return (length) => {
    memory.make(pieceBytes + length);
    made += length;
    if (memory.hasRoom(made * copies * mostWidth)) return;
    width ||= isAscii() ? 1 : mostWidth;
    memory.checkRoom(made * copies * width);
  };
}

/** Returns a reader that charges for each value that `read` returns. A string has to leave room for the copies; bytes are mostly read where they lie. */
export function charged<T extends Value | undefined>(read: (run: Run) => T): (run: Run) => T {
  return (run) => {
    const value = read(run);
    if (typeof value === "string") {
      work(run, value.length);
      checkCopies(run, value);
    } else if (typeof value === "object" && value !== null) workOn(run, value);
    return value;
  };
}

/** Charges for a text that was joined from others, because the next one may be twice as long. */
export function workOnGrowth(run: Run, text: string): void {
  work(run, text.length * 8);
  run.memory.makeText(text.length);
}
