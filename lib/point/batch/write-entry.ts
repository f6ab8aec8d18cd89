// Writes a JavaScript value to a tag or field on the tape (the binary form of points). The new value overwrites
// the old one in the same place; strings and array elements are stored on the batch's heap.

import { isBytes, type Text } from "../../text/bytes.ts";
import { entry as e, elementBytes, kinds, tagFlag } from "../../wasm/tape.ts";
import { Float, kindOf, PointArray, type PointValue, type Scalar, Uint } from "../value.ts";
import type { Batch } from "./batch.ts";
import { TapeBytes } from "./tape-bytes.ts";

/** Writes a key (given by its id) and a value to the tag or field with the given index. */
export function writeEntry(batch: Batch, index: number, id: number, value: PointValue, isTag: boolean): void {
  const tag = isTag ? tagFlag : 0;
  if (typeof value === "string" || isBytes(value)) {
    const { address, length } = textPlace(batch, value);
    store(batch, index, id, kinds.string | tag, address, length);
    return;
  }
  const number = (batch.entryAt(index) + e.number) >>> 1;
  const { i64, f64 } = batch.module;
  if (value === null) store(batch, index, id, kinds.nil | tag, 0, 0);
  else if (value instanceof Float) {
    store(batch, index, id, kinds.float | tag, 0, 0);
    f64[number] = value.value;
  } else if (value instanceof Uint) {
    store(batch, index, id, kinds.uint | tag, 0, 0);
    i64[number] = BigInt.asIntN(64, BigInt(value.value));
  } else if (typeof value === "boolean") {
    store(batch, index, id, kinds.bool | tag, 0, 0);
    i64[number] = value ? 1n : 0n;
  } else if (value instanceof PointArray) writeArray(batch, index, id, value.elements, tag);
  else if (typeof value === "object") {
    store(batch, index, id, kinds.binary | tag, batch.write(value), value.length);
  } else {
    store(batch, index, id, kinds.int | tag, 0, 0);
    i64[number] = BigInt.asIntN(64, BigInt(value));
  }
}

/**
 * Writes the elements of an array to the heap. All elements must have the type of the first; throws a TypeError
 * otherwise.
 */
function writeArray(batch: Batch, index: number, id: number, elements: readonly Scalar[], tag: number): void {
  const address = batch.take(elements.length * elementBytes);
  const kind = elements.length > 0 ? kindOf(elements[0]!) : "nil";
  for (const [i, element] of elements.entries()) {
    if (kindOf(element) !== kind) throw new TypeError(`an array of ${kind} with an element of ${kindOf(element)}`);
    const word = (address >>> 2) + 2 * i;
    if (typeof element === "string" || isBytes(element) || element instanceof Uint8Array) {
      const place =
        element instanceof Uint8Array
          ? { address: batch.write(element), length: element.length }
          : textPlace(batch, element);
      batch.module.u32[word] = place.address;
      batch.module.u32[word + 1] = place.length;
    } else if (element instanceof Float) batch.module.f64[word >>> 1] = element.value;
    else {
      const number = element instanceof Uint ? element.value : element;
      batch.module.i64[word >>> 1] = BigInt.asIntN(64, BigInt(number));
    }
  }
  store(batch, index, id, kinds.array | tag, address, elements.length);
  batch.module.u32[batch.entryAt(index) + e.number] = kinds[kind as keyof typeof kinds];
}

function store(batch: Batch, index: number, id: number, kind: number, text: number, length: number): void {
  const { u32 } = batch.module;
  const at = batch.entryAt(index);
  u32[at + e.key] = id;
  u32[at + e.kind] = kind;
  u32[at + e.text] = text;
  u32[at + e.length] = length;
}

/**
 * Returns the address and length of a string's bytes. A string that is a slice of this batch's memory is not
 * copied; any other string is first written to the batch's heap.
 */
function textPlace(batch: Batch, value: Text): { address: number; length: number } {
  if (typeof value === "string") return batch.writeText(value);
  if (value instanceof TapeBytes && value.batch === batch) {
    batch.requireLive();
    return { address: value.address, length: value.length };
  }
  // Memory on the heap is allocated before a JavaScript view of the memory is made, because the allocation may
  // invalidate earlier views.
  const address = batch.take(value.length);
  batch.module.u8.set(value.view(), address);
  return { address, length: value.length };
}
