// Reads single JSON values for the two formats: the values of PBJSON members, and the lists of simple JSON. When
// a value is valid JSON but this file cannot read it, the file marks the point (see scan.ts), so that JavaScript
// reads the point. The functions that read return `false` when the text is not JSON.

import { numberBits, numberFlags } from "../number/scan";
import { arrayType, ARRAY_TYPE } from "../tape/array-type";
import { heapElements, heapKeep, heapTake } from "../tape/batch";
import { isFinite64 } from "../tape/finite";
import { sameBytes } from "../tape/keys";
import { ELEMENT_SHIFT, KIND_ARRAY, KIND_BINARY, KIND_BOOL, KIND_FLOAT, KIND_INT, KIND_NIL, KIND_STRING, KIND_UINT } from "../tape/layout";
import { isBase64, readBase64 } from "../text/base64";
import { isFloat, isInt, isUint } from "./numbers";
import { at, length, moveTo, next, numberAt, readNumber, readString, readWord, skipValue, step, take, text } from "./text";

/** Whether JavaScript has to read the current point, because this WebAssembly code cannot read one of its values. */
export let needsJavaScript: bool = false;

export function markForJavaScript(): void {
  needsJavaScript = true;
}

export function resetNeedsJavaScript(): void {
  needsJavaScript = false;
}

// The JSON value that was read last, as a tag or field stores it in memory: type, flags, number, address and length.
export let kind: u32 = 0;
export let flags: u32 = 0;
export let value: usize = 0;
export let valueLength: u32 = 0;
export let number: u64 = 0;
/**
 * Whether the point has to be corrected because of the value that was read last: a list, or a number that is not
 * finite.
 */
export let needsCorrection: bool = false;

export function forgetValue(): void {
  kind = KIND_NIL;
  flags = valueLength = 0;
  value = at;
  number = 0;
  needsCorrection = false;
}

/**
 * Returns whether the letter is the name of a member that holds a value in PBJSON: `a`, `b`, `d`, `f`, `i`, `s` or `u`.
 */
export function isValueLetter(letter: u32): bool {
  const place = letter - 0x61;
  return place < 32 && ((0x14012b >> place) & 1) != 0;
}

/**
 * Reads the value of the PBJSON member `letter`. `c` is the first byte of the value, and `depth` the number of arrays
 * and objects that contain it.
 */
export function readValue(batch: usize, letter: u32, c: u32, depth: u32): bool {
  forgetValue();
  if (letter == 0x62 && (c == 0x74 || c == 0x66)) {
    kind = KIND_BOOL;
    if (!readWord()) return false;
    valueLength = <u32>(at - value);
    number = <u64>(c == 0x74);
    return true;
  }
  if (letter == 0x61 && c == 0x7b) return readArray(batch, depth + 1);
  const isNumber = c == 0x2d || c - 0x30 < 10;
  if (isNumber ? letter != 0x69 && letter != 0x75 && letter != 0x66 : c != 0x22) {
    needsJavaScript = true;
    return skipValue(depth);
  }
  if (isNumber) {
    if (!readNumber()) return false;
    value = numberAt;
    valueLength = <u32>(at - numberAt);
  } else {
    if (!readString(batch)) return false;
    value = text;
    valueLength = length;
  }
  const stop = value + valueLength;
  if (letter == 0x73) kind = KIND_STRING;
  else if (letter == 0x64) {
    kind = KIND_BINARY;
    if (!isBase64(value, stop)) needsJavaScript = true;
    else decodeValue(batch, stop);
  } else if (letter == 0x66) {
    kind = KIND_FLOAT;
    if (!isNumber) readFloatName();
    else if (isFloat()) {
      flags = numberFlags;
      number = numberBits;
    } else needsJavaScript = true;
  } else if (letter == 0x69 || letter == 0x75) {
    kind = letter == 0x69 ? KIND_INT : KIND_UINT;
    if (!(letter == 0x69 ? isInt(value, stop) : isUint(value, stop))) needsJavaScript = true;
    number = numberBits;
  } else needsJavaScript = true;
  return true;
}

/** Decodes base64 text, the value of a JSON string, into bytes. */
function decodeValue(batch: usize, stop: usize): void {
  const bytes = heapTake(batch, valueLength);
  valueLength = readBase64(value, stop, bytes);
  value = bytes;
  heapKeep(batch, bytes, valueLength);
}

const NAN: u64 = 0x7ff8000000000000;
const INFINITY: u64 = 0x7ff0000000000000;

/** Reads the name of a float: `NaN`, `Infinity` or `-Infinity`. */
function readFloatName(): void {
  needsCorrection = true;
  const word = load<u32>(value) & 0xffffff;
  const minus = valueLength == 9 && load<u8>(value) == 0x2d;
  const name = minus ? value + 1 : value;
  if (valueLength == 3 && word == 0x4e614e) number = NAN;
  else if ((minus || valueLength == 8) && load<u64>(name) == 0x7974696e69666e49) number = INFINITY | (<u64>minus << 63);
  else needsJavaScript = true;
}

/**
 * Stores an array of `count` packed elements as the value that was read last. An empty array becomes nil (no value).
 */
function giveList(elements: usize, count: u32, kindOfAll: u32): void {
  kind = count ? KIND_ARRAY : KIND_NIL;
  value = elements;
  valueLength = count;
  number = kindOfAll;
}

/**
 * Returns the type of a list element in simple JSON, judged by the first byte of the element. Returns nil when
 * an array cannot contain such an element.
 */
function kindOfElement(c: u32): u32 {
  if (c == 0x22) return KIND_STRING;
  if (c == 0x74 || c == 0x66) return KIND_BOOL;
  return c == 0x2d || c - 0x30 < 10 ? KIND_FLOAT : KIND_NIL;
}

/**
 * Reads a list of simple JSON. The list becomes an array when its elements are all numbers, all strings or all
 * booleans, else nil (no value). `depth` is the nesting depth, including the list itself.
 */
export function readList(batch: usize, depth: u32): bool {
  forgetValue();
  needsCorrection = true;
  step();
  const start = at;
  const count = passElements(depth);
  if (count < 0) return false;
  if (!count || uniform == KIND_NIL) return true;
  const kindOfAll = uniform;
  needsCorrection = false;
  const elements = heapElements(batch, <u32>count);
  moveTo(start);
  for (let element = elements, stop = elements + (<usize>count << ELEMENT_SHIFT); element < stop; element += 8) {
    const c = next();
    if (kindOfAll == KIND_STRING) {
      readString(batch);
      store<u64>(element, <u64>text | (<u64>length << 32));
    } else if (kindOfAll == KIND_BOOL) {
      readWord();
      store<u64>(element, <u64>(c == 0x74));
    } else {
      readNumber();
      if (!isFloat()) needsJavaScript = true;
      store<u64>(element, numberBits);
    }
    next();
    step();
  }
  giveList(elements, <u32>count, kindOfAll);
  return true;
}

/**
 * The common type of all list elements that `passElements` skipped last; nil when the elements have different types.
 */
let uniform: u32 = 0;

/**
 * Skips the elements of a list and its closing bracket. Returns the number of elements, or -1 when the text is not
 * JSON.
 */
function passElements(depth: u32): i32 {
  let count = 0;
  uniform = kindOfElement(next());
  if (next() == 0x5d) {
    step();
    return 0;
  }
  for (;;) {
    if (kindOfElement(next()) != uniform) uniform = KIND_NIL;
    if (!skipValue(depth)) return -1;
    count++;
    const c = next();
    step();
    if (c == 0x5d) return count;
    if (c != 0x2c) return -1;
  }
  return -1;
}

/** Reads an array value of PBJSON: the name of its type and its list. */
function readArray(batch: usize, depth: u32): bool {
  let hasType = false;
  let hasList = false;
  step();
  if (next() == 0x7d) {
    step();
    needsJavaScript = true;
    return true;
  }
  let elements: usize = 0;
  let count: u32 = 0;
  let kindOfAll = KIND_NIL;
  let isFinite = true;
  for (;;) {
    if (!readString(batch)) return false;
    const isType = length == 5 && load<u32>(text) == 0x70797440 && load<u8>(text, 4) == 0x65;
    const isList = length == 3 && load<u16>(text) == 0x7261 && load<u8>(text, 2) == 0x72;
    if (!take(0x3a)) return false;
    const c = next();
    if (!needsJavaScript && isType && !hasType && c == 0x22) {
      if (!readString(batch)) return false;
      if (length != ARRAY_TYPE || !sameBytes(text, arrayType, ARRAY_TYPE)) needsJavaScript = true;
      hasType = true;
    } else if (!needsJavaScript && isList && !hasList && c == 0x5b) {
      hasList = true;
      if (!readElements(batch, depth + 1)) return false;
      elements = value;
      count = valueLength;
      kindOfAll = <u32>number;
      isFinite = !needsCorrection;
    } else {
      needsJavaScript = true;
      if (!skipValue(depth)) return false;
    }
    const behind = next();
    step();
    if (behind == 0x7d) break;
    if (behind != 0x2c) return false;
  }
  if (!hasType) needsJavaScript = true;
  flags = 0;
  giveList(elements, count, kindOfAll);
  needsCorrection = !count || !isFinite;
  return true;
}

/** Reads the elements of a PBJSON array, each an object with one value. */
function readElements(batch: usize, depth: u32): bool {
  step();
  const start = at;
  const count = passElements(depth);
  if (count < 0) return false;
  const stop = at;
  const elements = heapElements(batch, <u32>count);
  moveTo(start);
  let kindOfAll = KIND_NIL;
  let isFinite = true;
  for (let i = 0; i < count; i++) {
    if (!readElement(batch, depth)) {
      needsJavaScript = true;
      break;
    }
    if (!i) kindOfAll = kind;
    if (needsJavaScript || kind != kindOfAll || kind == KIND_NIL || kind == KIND_ARRAY) {
      needsJavaScript = true;
      break;
    }
    const element = elements + (<usize>i << ELEMENT_SHIFT);
    const isText = kind == KIND_STRING || kind == KIND_BINARY;
    store<u64>(element, isText ? <u64>value | (<u64>valueLength << 32) : number);
    if (kind == KIND_FLOAT && !isFinite64(number)) isFinite = false;
  }
  moveTo(stop);
  giveList(elements, <u32>count, kindOfAll);
  needsCorrection = !isFinite;
  return true;
}

/** Reads one element of a PBJSON array. Returns false when it is not an object with exactly one value. */
function readElement(batch: usize, depth: u32): bool {
  if (!take(0x7b) || next() != 0x22) return false;
  readString(batch);
  const letter = <u32>load<u8>(text);
  if (length != 1 || letter == 0x61 || !take(0x3a)) return false;
  if (!readValue(batch, letter, next(), depth + 1) || !take(0x7d)) return false;
  next();
  step();
  return true;
}
