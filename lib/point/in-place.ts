// What functions of scripts do with entries where they lie on the tape, without objects for points, fields or texts. `at` is an index into
// `u32` that `Cursor.at` or `Cursor.place` gave.

import type { Cursor } from "./cursor.ts";
import { entry as e, escapedFlag, kinds, point as p, sourceFlag, tagFlag } from "./tape.ts";
import type { Key, Literal } from "./view.ts";

const kindMask = 0xff;

/** A text at `at` whose bytes stand as they are; its escapes are resolved first. */
export function isTextAt(cursor: Cursor, at: number): boolean {
  const word = cursor.batch.module.u32[at + e.kind]!;
  if ((word & kindMask) !== kinds.string) return false;
  if ((word & escapedFlag) !== 0) resolveEscapes(cursor, at);
  return true;
}

function resolveEscapes({ batch }: Cursor, at: number): void {
  batch.module.exports.unescapeEntry(batch.base, at << 2);
  batch.module.refresh();
}

/** Address and length of the text at `at`. */
export function addressAt({ batch }: Cursor, at: number): number {
  return batch.module.u32[at + e.text]!;
}

export function lengthAt({ batch }: Cursor, at: number): number {
  return batch.module.u32[at + e.length]!;
}

/** Whether the text at `at` is the literal. The ends of texts tell more than their beginnings. */
export function equalsAt({ batch }: Cursor, at: number, { bytes }: Literal): boolean {
  const { u32, u8 } = batch.module;
  const { length } = bytes;
  if (u32[at + e.length] !== length) return false;
  const start = u32[at + e.text]!;
  for (let i = length - 1; i >= 0; i--) if (u8[start + i] !== bytes[i]) return false;
  return true;
}

/** Whether the entry at `at` is an int. */
export function isIntAt({ batch }: Cursor, at: number): boolean {
  return (batch.module.u32[at + e.kind]! & kindMask) === kinds.int;
}

export function isTagAt({ batch }: Cursor, at: number): boolean {
  return (batch.module.u32[at + e.kind]! & tagFlag) !== 0;
}

/** The number at `at`, an int or a float; NaN for other kinds. An int of more than 53 bits is rounded. */
export function numberAt({ batch }: Cursor, at: number): number {
  const { u32, f64 } = batch.module;
  const word = u32[at + e.kind]!;
  if ((word & sourceFlag) !== 0) return Number.NaN;
  switch (word & kindMask) {
    case kinds.int:
      return (u32[at + e.number + 1]! | 0) * 0x100000000 + u32[at + e.number]!;
    case kinds.float:
      return f64[(at + e.number) >>> 1]!;
    default:
      return Number.NaN;
  }
}

/** Digits of a number that a double holds exactly. */
const exactDigits = 15;

/** The int that the text at `at` spells, digits behind a sign or none; NaN when it is written otherwise or is too long to be exact. */
export function decimalAt({ batch }: Cursor, at: number): number {
  const { u32, u8 } = batch.module;
  let address = u32[at + e.text]!;
  const end = address + u32[at + e.length]!;
  const sign = u8[address];
  if (sign === 0x2d || sign === 0x2b) address++;
  if (address >= end || end - address > exactDigits) return Number.NaN;
  let value = 0;
  for (; address < end; address++) {
    const digit = u8[address]! - 0x30;
    if (digit < 0 || digit > 9) return Number.NaN;
    value = value * 10 + digit;
  }
  return sign === 0x2d && value !== 0 ? -value : value;
}

/** Makes the entry at `at` a field with this int, given by its two halves. */
export function setIntAt({ batch }: Cursor, at: number, low: number, high: number): void {
  const { u32 } = batch.module;
  u32[at + e.kind] = kinds.int;
  u32[at + e.text] = 0;
  u32[at + e.length] = 0;
  u32[at + e.number] = low;
  u32[at + e.number + 1] = high;
}

/** The same for a safe integer. */
export function setSafeIntAt(cursor: Cursor, at: number, value: number): void {
  setIntAt(cursor, at, value, Math.floor(value / 0x100000000));
}

/** Makes the entry at `at` a text that lies in the batch; a tag stays a tag. */
export function setTextAt({ batch }: Cursor, at: number, address: number, length: number): void {
  const { u32 } = batch.module;
  u32[at + e.kind] = kinds.string | (u32[at + e.kind]! & tagFlag);
  u32[at + e.text] = address;
  u32[at + e.length] = length;
}

/** Writes a literal to a key; a tag stays a tag. */
export function writeLiteral(cursor: Cursor, key: Key, literal: Literal): void {
  const address = cursor.batch.placeLiteral(literal);
  setTextAt(cursor, cursor.place(key), address, literal.bytes.length);
}

/** Writes a literal as a tag. */
export function writeLiteralTag(cursor: Cursor, key: Key, literal: Literal): void {
  const address = cursor.batch.placeLiteral(literal);
  const at = cursor.place(key);
  const { u32 } = cursor.batch.module;
  u32[at + e.kind] = kinds.string | tagFlag;
  u32[at + e.text] = address;
  u32[at + e.length] = literal.bytes.length;
}

/** Moves an int from the entry at `at` to the point's time, unless it is 0. */
export function takeTimeAt(cursor: Cursor, at: number): void {
  const { batch } = cursor;
  const { u32 } = batch.module;
  const low = u32[at + e.number]!;
  const high = u32[at + e.number + 1]!;
  if (low === 0 && high === 0) return;
  const time = batch.pointAt(cursor.index) + p.time;
  u32[time] = low;
  u32[time + 1] = high;
}
