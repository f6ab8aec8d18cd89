// What goes over large values pays for it in steps, so that a script's limit bounds what it costs. Functions pay for each
// argument they look at; those whose work is not of that order pay for the rest by themselves.

import { byteLength } from "../../point/text.ts";
import { isBytes, type Text } from "../../point/value.ts";
import { mostWidth, pieceBytes } from "./memory.ts";
import type { Run } from "./run.ts";
import type { Value } from "./value.ts";

/** About what a statement costs; less is part of the statement that calls. */
const unitsPerStep = 64;

/** Charges work on so many bytes, characters or elements. That the steps are used up is noticed at the next statement. */
export function work(run: Run, units: number): void {
  if (units >= unitsPerStep) run.steps -= Math.floor(units / unitsPerStep);
}

/** Charges for looking at a value once. */
export function workOn(run: Run, value: Value): void {
  if (typeof value === "string" || Array.isArray(value) || isBytes(value)) work(run, value.length);
  else if (value instanceof Map) work(run, value.size * 4);
}

/** A function holds a text at most this often while it works: as it was given, in one piece, as bytes, and as its result. */
const copies = 4;

/** Fails when there is no room for the copies that a function makes of a text. */
export function checkCopies(run: Run, text: Text): void {
  const { memory } = run;
  // Texts are short beside the limit nearly always: their characters are looked at only when the answer depends on them.
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

/** Charges for each value that `read` gives. A string has to leave room for the copies; bytes are mostly read where they lie. */
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

/** Charges for a text that was joined from others: the next one may be twice as long. */
export function workOnGrowth(run: Run, text: string): void {
  work(run, text.length * 8);
  run.memory.makeText(text.length);
}
