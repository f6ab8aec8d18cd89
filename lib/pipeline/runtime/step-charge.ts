// Charges steps for work on large values, so that a script's step limit also limits the time that the script
// takes. Every function is charged for each argument that it reads. When the work of a function grows faster
// than its input, the function itself charges the additional work.

import { isBytes, type Text } from "../../text/bytes.ts";
import { byteLength } from "../../text/utf8.ts";
import { LazyMap } from "./lazy/lazy-map.ts";
import { copies, mostWidth, pieceBytes } from "./memory.ts";
import type { Run } from "./run.ts";
import type { Value } from "./value.ts";

/**
 * Number of units (bytes, characters or elements) whose handling costs about as much as one statement. Work on fewer
 * units counts as part of the calling statement and is not charged.
 */
const unitsPerStep = 64;

/**
 * Charges steps for work on `units` bytes, characters or elements. When a run has used up its steps, its next
 * statement fails.
 */
export function chargeWork(run: Run, units: number): void {
  if (units >= unitsPerStep) run.steps -= Math.floor(units / unitsPerStep);
}

/** Charges steps for reading every byte, character or element of a value once. */
export function chargeValue(run: Run, value: Value): void {
  if (typeof value === "string" || Array.isArray(value) || isBytes(value)) chargeWork(run, value.length);
  else if (value instanceof LazyMap) {
    if (value.mostSize * 4 >= unitsPerStep) chargeWork(run, value.size * 4);
  } else if (value instanceof Map) chargeWork(run, value.size * 4);
}

/** Throws when the run's memory limit leaves no room for the copies that a function makes of a string. */
export function checkCopies(run: Run, text: Text): void {
  const { memory } = run;
  // Nearly all strings are so short that the limit certainly leaves room for their copies. The characters are read
  // only when the length of the string alone does not show that there is room.
  if (text.length * copies * mostWidth <= memory.left) return;
  run.steps -= memory.measure(run.locals, copies * text.length);
  const more = copies * byteLength(text);
  if (more > copies * text.length) run.steps -= memory.measure(run.locals, more);
}

/**
 * Returns a function that counts the memory of a string while code makes the string from parts. The code calls this
 * function with the length of each part. The function throws when the run's memory limit leaves no room for the whole
 * string and its copies. `isAscii` is called only when the length of the string alone does not show whether there is
 * room.
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

/**
 * Returns a function that calls `read` and charges steps for the value that it returns. For a JavaScript string, the
 * function also throws when the memory limit leaves no room for the copies that functions make of the string.
 */
export function chargedReader<T extends Value | undefined>(read: (run: Run) => T): (run: Run) => T {
  return (run) => {
    const value = read(run);
    if (typeof value === "string") {
      chargeWork(run, value.length);
      checkCopies(run, value);
    } else if (typeof value === "object" && value !== null) chargeValue(run, value);
    return value;
  };
}

/**
 * Charges steps for a string that was joined from other strings, because joining a string with itself in a loop doubles
 * its length each time.
 */
export function chargeGrowth(run: Run, text: string): void {
  chargeWork(run, text.length * 8);
  run.memory.makeText(text.length);
}
