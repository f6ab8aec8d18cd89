// Reads the array of a field: a message Any that contains an Array message, whose elements are BasicTypes messages
// (docs/reference/points.md#protobuf). The elements are packed on the heap of the batch.

import { ARRAY_TYPE, arrayType } from "../tape/array-type";
import { heapElements } from "../tape/batch";
import { isFinite64 } from "../tape/finite";
import { sameBytes } from "../tape/keys";
import { ELEMENT_SHIFT, KIND_BINARY, KIND_BOOL, KIND_FLOAT, KIND_INT, KIND_NIL, KIND_STRING, KIND_UINT } from "../tape/layout";
import { ANY, ARRAY, BASIC_TYPES, failWith, MIXED_ARRAY, NIL_ELEMENT, reason, UNEXPECTED_EOF, UNKNOWN_TYPE } from "./reasons";
import { at, expectWireType, field, FIXED64, LENGTH, readLength, readTag, readVarint, setAt, skip, VARINT, varint } from "./wire";

// The array that was read last: the address, the number and the type of its packed elements.
export let elements: usize = 0;
export let elementCount: u32 = 0;
export let elementKind: u32 = 0;
export let elementsFinite: bool = true;

/** Reads the protobuf message Any that contains an array. */
export function readAny(batch: usize, start: usize, end: usize): bool {
  setAt(start);
  let url = start;
  let urlLength: u32 = 0;
  let value = start;
  let valueLength: u32 = 0;
  while (at < end) {
    if (!readTag(end, ANY)) return false;
    if (field == 1 || field == 2) {
      if (!expectWireType(LENGTH, ANY) || !readLength(end)) return false;
      if (field == 1) {
        url = at;
        urlLength = <u32>varint;
      } else {
        value = at;
        valueLength = <u32>varint;
      }
      setAt(at + <usize>varint);
    } else if (!skip(end)) return false;
  }
  if (urlLength != ARRAY_TYPE || !sameBytes(url, arrayType, ARRAY_TYPE)) return failWith(UNKNOWN_TYPE, <u32>url, urlLength);
  const count = countElements(value, value + valueLength);
  if (count < 0) return false;
  elements = heapElements(batch, <u32>count);
  elementCount = 0;
  elementKind = KIND_NIL;
  elementsFinite = true;
  return readElements(value, value + valueLength);
}

/**
 * Counts the elements of the Array message. When the message is broken, stores the reason for the error message, and
 * returns -1.
 */
function countElements(start: usize, end: usize): i32 {
  setAt(start);
  let count = 0;
  while (at < end) {
    if (!readTag(end, ARRAY)) return -1;
    if (field == 1) {
      if (!expectWireType(LENGTH, ARRAY)) return -1;
      count++;
    }
    if (!skip(end)) return -1;
  }
  return count;
}

function readElements(start: usize, end: usize): bool {
  setAt(start);
  while (at < end) {
    if (!readTag(end, ARRAY)) return false;
    if (field != 1) {
      if (!skip(end)) return false;
      continue;
    }
    if (!readLength(end)) return false;
    const element = elements + (<usize>elementCount << ELEMENT_SHIFT);
    const kind = readElement(element, at + <usize>varint);
    if (reason) return false;
    if (!elementCount) elementKind = kind;
    else if (kind != elementKind) return failWith(MIXED_ARRAY, elementKind | (kind << 8), elementCount);
    if (kind == KIND_FLOAT && !isFinite64(load<u64>(element))) elementsFinite = false;
    elementCount++;
  }
  return true;
}

/** Reads one BasicTypes message (an element of an array) and returns the type of its value. */
function readElement(element: usize, end: usize): u32 {
  let kind = KIND_NIL;
  while (at < end) {
    if (!readTag(end, BASIC_TYPES)) return kind;
    switch (field) {
      case 1:
      case 2:
      case 4:
        if (!expectWireType(VARINT, BASIC_TYPES) || !readVarint(end)) return kind;
        kind = field == 1 ? KIND_INT : field == 2 ? KIND_UINT : KIND_BOOL;
        store<u64>(element, field == 4 ? <u64>(varint != 0) : varint);
        break;
      case 3:
        if (!expectWireType(FIXED64, BASIC_TYPES)) return kind;
        if (end - at < 8) {
          failWith(UNEXPECTED_EOF);
          return kind;
        }
        kind = KIND_FLOAT;
        store<u64>(element, load<u64>(at));
        setAt(at + 8);
        break;
      case 5:
      case 6:
        if (!expectWireType(LENGTH, BASIC_TYPES) || !readLength(end)) return kind;
        kind = field == 5 ? KIND_BINARY : KIND_STRING;
        store<u32>(element, <u32>at);
        store<u32>(element, <u32>varint, 4);
        setAt(at + <usize>varint);
        break;
      default:
        if (!skip(end)) return kind;
    }
  }
  if (kind == KIND_NIL) failWith(NIL_ELEMENT, elementCount);
  return kind;
}
