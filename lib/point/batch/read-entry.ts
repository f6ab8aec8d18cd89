// Reads the value of a tag or field from a tape (the binary form of points) as a JavaScript value.

import type { Text } from "../../text/bytes.ts";
import { integer } from "../../text/integer.ts";
import { OwnedBytes } from "../../text/utf8.ts";
import { entry as e, elementBytes, escapedFlag, kindMask, kinds, sourceFlag } from "../../wasm/tape.ts";
import { Float, PointArray, type PointValue, type Scalar, Uint } from "../value.ts";
import type { Batch } from "./batch.ts";
import { valueTextAt } from "./known-names.ts";
import { TapeBytes } from "./tape-bytes.ts";

/** Returns the value of the tag or field that begins at index `at` of the WebAssembly memory `u32`. */
export function readValue(batch: Batch, at: number, asBytes: boolean): PointValue {
  const { u32, f64, i64 } = batch.module;
  const word = u32[at + e.kind]!;
  if ((word & sourceFlag) !== 0) {
    batch.module.exports.unpack(batch.base, at << 2);
    batch.module.refresh();
    return readValue(batch, at, asBytes);
  }
  switch (word & kindMask) {
    case kinds.int: {
      const high = u32[at + e.number + 1]! | 0;
      if (high >= -0x200000 && high < 0x200000) return high * 0x100000000 + u32[at + e.number]!;
      return i64[(at + e.number) >>> 1]!;
    }
    case kinds.uint:
      return new Uint(integer(BigInt.asUintN(64, i64[(at + e.number) >>> 1]!)));
    case kinds.float:
      return new Float(f64[(at + e.number) >>> 1]!);
    case kinds.bool:
      return u32[at + e.number] !== 0;
    case kinds.string: {
      const address = u32[at + e.text]!;
      if (asBytes || (word & escapedFlag) !== 0 || !batch.isSliced(address)) return textAt(batch, at);
      return valueTextAt(batch, address, u32[at + e.length]!);
    }
    case kinds.binary:
      return batch.bytes(u32[at + e.text]!, u32[at + e.length]!).slice();
    case kinds.array:
      return arrayAt(batch, at);
    default:
      return null;
  }
}

/** Returns the value of a tag or string field as a slice of the batch's memory. */
export function textAt(batch: Batch, at: number): TapeBytes {
  if ((batch.module.u32[at + e.kind]! & escapedFlag) !== 0) {
    batch.module.exports.unescapeEntry(batch.base, at << 2);
    batch.module.refresh();
  }
  const { u32 } = batch.module;
  return new TapeBytes(batch, u32[at + e.text]!, u32[at + e.length]!);
}

function arrayAt(batch: Batch, at: number): PointArray {
  const { u32, u8, i64, f64 } = batch.module;
  const kind = u32[at + e.number]!;
  const elements: Scalar[] = [];
  const end = u32[at + e.text]! + u32[at + e.length]! * elementBytes;
  for (let address = u32[at + e.text]!; address < end; address += elementBytes) {
    const word = address >>> 2;
    const wide = address >>> 3;
    if (kind === kinds.int) elements.push(integer(i64[wide]!));
    else if (kind === kinds.uint) elements.push(new Uint(integer(BigInt.asUintN(64, i64[wide]!))));
    else if (kind === kinds.float) elements.push(new Float(f64[wide]!));
    else if (kind === kinds.bool) elements.push(u32[word] !== 0);
    else if (kind === kinds.binary) elements.push(u8.slice(u32[word]!, u32[word]! + u32[word + 1]!));
    else elements.push(elementText(batch, u32[word]!, u32[word + 1]!));
  }
  return new PointArray(elements);
}

/**
 * Returns a string element of an array. Returns bytes when the element is not valid UTF-8, because a string would lose
 * the invalid bytes.
 */
function elementText(batch: Batch, address: number, length: number): Text {
  const text = batch.decode(address, length);
  return text.includes("\ufffd") ? new OwnedBytes(batch.bytes(address, length).slice()) : text;
}
