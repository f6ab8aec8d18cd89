// Converts between the values of a script and the values of a point (docs/reference/language.md#reading-the-point).

import { Cursor } from "../../point/batch/cursor.ts";
import { putFloat, putText, writeLiteral } from "../../point/batch/in-place.ts";
import { TapeBytes } from "../../point/batch/tape-bytes.ts";
import { formatFloatJson } from "../../point/number-text.ts";
import { Float, PointArray, type PointValue, type Scalar, Uint } from "../../point/value.ts";
import type { Key, Literal, PointView } from "../../point/view.ts";
import { isBytes, type Text } from "../../text/bytes.ts";
import { integer } from "../../text/integer.ts";
import { byteLength } from "../../text/utf8.ts";
import { quoteJson, toJsonText } from "./json-text.ts";
import { writtenJson } from "./lazy/indexed-map.ts";
import type { Memory } from "./memory.ts";
import type { Run } from "./run.ts";
import { toText } from "./to-text.ts";
import { type Value, VOID } from "./value.ts";

const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

/**
 * Converts a value of a point to a script value: a uint wraps into int64, binary becomes a string, an array becomes its
 * JSON text.
 */
export function fromPoint(value: PointValue): Value {
  if (typeof value !== "object" || value === null || value instanceof Float) return value;
  if (value instanceof Uint) return integer(BigInt.asIntN(64, BigInt(value.value)));
  if (value instanceof PointArray) return arrayText(value);
  if (value instanceof Uint8Array) return decoder.decode(value);
  return value;
}

/**
 * Converts a script value to a field value. A list or map becomes JSON text, or null when it cannot be written as JSON.
 */
export function toPoint(value: Value, memory?: Memory): PointValue {
  if (typeof value !== "object" || value === null || value instanceof Float || isBytes(value)) return value;
  return value === VOID ? null : toJsonText(value, 2, memory);
}

/** Returns the value of the point's `key` as a script value; undefined when the point does not have the key. */
export function readPoint(run: { readonly point: PointView }, key: Key): Value | undefined {
  const value = run.point.get(key);
  return value === undefined ? undefined : fromPoint(value);
}

/**
 * Returns the value of the point's `key` as a script value, as `readPoint` does. A string is returned as a slice of the
 * WebAssembly memory that holds the point, without a copy.
 */
export function readInPlace(run: { readonly point: PointView }, key: Key): Value | undefined {
  return run.point.textInPlace?.(key) ?? readPoint(run, key);
}

/**
 * The members of a run object that are needed to write to the point. `memory` counts the bytes of each written string,
 * because a batch keeps a string in memory even after another string has replaced it.
 */
type Writing = Pick<Run, "point" | "steps" | "memory" | "pendingTags">;

/**
 * Writes a value to a key. A key that is already a tag remains a tag. A key also becomes a tag when it was
 * passed to `set_tag` while the point did not have the key. Any other key becomes a field.
 */
export function writeKey(run: Writing, key: Key, value: Value): void {
  const { point } = run;
  const mayBeInPlace = typeof value === "string" || typeof value === "object";
  if (mayBeInPlace && point instanceof Cursor && run.pendingTags === null && writeInPlace(run, point, key, value))
    return;
  if (run.point.isTag(key) || takePendingTag(run, key)) writeTag(run, key, value);
  else {
    const stored = toPoint(value, run.memory);
    // A list that contains another list many times is small, but its JSON text is long. So writing the text costs
    // steps of the run.
    if (typeof stored === "string" && typeof value === "object") run.steps -= stored.length >> 3;
    if (typeof stored === "string" || isBytes(stored)) keepText(run, key, stored, false);
    else run.point.setField(key, stored);
  }
}

/**
 * Writes a value to a point in WebAssembly memory by one call of the module. The value may be a JavaScript string, a
 * float, a string in the same memory, or a list or map that was read from a JSON text in the same memory and has not
 * been changed. Returns false for all other values. Also returns false for a float, list or map when the key is a tag,
 * because JavaScript has to make the text of this tag.
 */
function writeInPlace(run: Writing, cursor: Cursor, key: Key, value: Value): boolean {
  if (typeof value === "string") {
    const { batch } = cursor;
    run.memory.checkText(value);
    const before = batch.heapBytes;
    const { address, length } = batch.writeText(value);
    putText(cursor, key, address, length);
    run.memory.keep(batch.heapBytes - before);
    return true;
  }
  if (typeof value !== "object" || value === null) return false;
  if (value instanceof TapeBytes) {
    if (value.batch !== cursor.batch) return false;
    run.memory.checkText(value);
    putText(cursor, key, value.address, value.length);
    return true;
  }
  if (value instanceof Float) return putFloat(cursor, key, value.value);
  if (cursor.isTag(key)) return false;
  const text = writtenJson(value, cursor.batch);
  if (text === undefined) return false;
  run.steps -= text.units >> 3;
  run.memory.checkRoom(text.length);
  putText(cursor, key, text.address, text.length);
  run.memory.keep(text.length);
  return true;
}

/** Converts the value to a string and writes it to the key as a tag. */
export function writeTag(run: Writing, key: Key, value: Value): void {
  keepText(run, key, isBytes(value) ? value : toText(value, run.memory), true);
}

/**
 * Writes a string to the point, and counts the bytes that the point keeps for it. A batch stores the string as UTF-8 in
 * its memory.
 */
function keepText({ point, memory }: Writing, key: Key, text: Text, isTag: boolean): void {
  memory.checkText(text);
  const before = point instanceof Cursor ? point.batch.heapBytes : 0;
  if (isTag) point.setTag(key, text);
  else point.setField(key, text);
  memory.keep(point instanceof Cursor ? point.batch.heapBytes - before : byteLength(text));
}

/** Writes a string literal of the script to a key. As with `writeKey`, a tag stays a tag. */
export function writeText(run: Writing, key: Key, literal: Literal): void {
  const { point } = run;
  if (point instanceof Cursor && run.pendingTags === null) writeLiteral(point, key, literal);
  else writeKey(run, key, literal.text);
}

/** Returns whether the key is marked to become a tag (by an earlier `set_tag`), and removes the mark. */
export function takePendingTag(run: Pick<Run, "pendingTags">, key: Key): boolean {
  return run.pendingTags?.delete(key.text) === true;
}

function arrayText(array: PointArray): string | null {
  const items: string[] = [];
  for (const element of array.elements) {
    const text = elementText(element);
    if (text === null) return null;
    items.push(text);
  }
  return `[${items.join(",")}]`;
}

function elementText(element: Scalar): string | null {
  if (element instanceof Float) return Number.isFinite(element.value) ? formatFloatJson(element.value) : null;
  if (element instanceof Uint) return String(element.value);
  if (element instanceof Uint8Array) return `"${base64(element)}"`;
  if (typeof element === "string") return quoteJson(element);
  return isBytes(element) ? quoteJson(element.toString()) : String(element);
}

function base64(bytes: Uint8Array): string {
  let binary = "";
  for (const byte of bytes) binary += String.fromCharCode(byte);
  return btoa(binary);
}
