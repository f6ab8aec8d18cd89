// Operations that script functions perform on tags and fields directly on the tape (the binary form of points), without
// making objects for points, fields or strings. The parameter `at` of each operation is the index in the WebAssembly
// memory `u32` at which the tag or field begins; `Cursor.at` and `Cursor.place` return such indexes.

import { entry as e, escapedFlag, kindMask, kinds, tagFlag } from "../../wasm/tape.ts";
import type { Key, Literal } from "../view.ts";
import type { Cursor } from "./cursor.ts";

/**
 * Returns whether the tag or field at index `at` is a string. When the string contains escapes, the function
 * first replaces them by the escaped characters.
 */
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

/** Returns the address of the string value of the tag or field at index `at`. */
export function addressAt({ batch }: Cursor, at: number): number {
  return batch.module.u32[at + e.text]!;
}

export function lengthAt({ batch }: Cursor, at: number): number {
  return batch.module.u32[at + e.length]!;
}

/**
 * Returns whether the string of the tag or field at index `at` equals a literal (a string constant of a script).
 * Compares from the end, because strings more often differ there than at their beginning.
 */
export function equalsAt({ batch }: Cursor, at: number, { bytes }: Literal): boolean {
  const { u32, u8 } = batch.module;
  const { length } = bytes;
  if (u32[at + e.length] !== length) return false;
  const start = u32[at + e.text]!;
  for (let i = length - 1; i >= 0; i--) if (u8[start + i] !== bytes[i]) return false;
  return true;
}

export function isTagAt({ batch }: Cursor, at: number): boolean {
  return (batch.module.u32[at + e.kind]! & tagFlag) !== 0;
}

/** Turns the tag or field at index `at` into a field with an int, which is given by its two 32-bit halves. */
export function setIntAt(cursor: Cursor, at: number, low: number, high: number): void {
  cursor.forgetLine();
  const { u32 } = cursor.batch.module;
  u32[at + e.kind] = kinds.int;
  u32[at + e.text] = 0;
  u32[at + e.length] = 0;
  u32[at + e.number] = low;
  u32[at + e.number + 1] = high;
}

/** Writes a string that lies in the batch's memory to a key. A tag stays a tag. */
export function putText(cursor: Cursor, key: Key, address: number, length: number): void {
  const { batch } = cursor;
  const id = key.batch === batch ? key.id : batch.resolve(key);
  const serial = cursor.marked();
  const { module } = batch;
  module.exports.putText(batch.base, cursor.address, serial, id, address, length);
  module.refresh();
}

/** Writes a float to a key. Returns false, and writes nothing, when the key is a tag. */
export function putFloat(cursor: Cursor, key: Key, value: number): boolean {
  const { batch } = cursor;
  const id = key.batch === batch ? key.id : batch.resolve(key);
  const serial = cursor.marked();
  const { module } = batch;
  const isWritten = module.exports.putFloat(batch.base, cursor.address, serial, id, value);
  module.refresh();
  return isWritten !== 0;
}

/** Sets the tag or field at index `at` to a string that lies in the batch's memory; a tag stays a tag. */
export function setTextAt(cursor: Cursor, at: number, address: number, length: number): void {
  cursor.forgetLine();
  const { u32 } = cursor.batch.module;
  u32[at + e.kind] = kinds.string | (u32[at + e.kind]! & tagFlag);
  u32[at + e.text] = address;
  u32[at + e.length] = length;
}

/** Sets the value of a key to a literal of a script. A tag stays a tag. */
export function writeLiteral(cursor: Cursor, key: Key, literal: Literal): void {
  const address = cursor.batch.placeLiteral(literal);
  setTextAt(cursor, cursor.place(key), address, literal.bytes.length);
}
