// Writes a list or map of an indexed JSON document as the JSON text that scripts write to points
// (docs/reference/language.md#writing-to-the-point): without blanks, keys sorted, numbers printed anew. The text goes
// to the batch's heap, so a script stores it without making JavaScript strings. lib/pipeline/runtime/json-text.ts does
// the same for all values.

import { lanesOf } from "../memory/lanes";
import { printFloat, printInt } from "../number/print";
import { heapKeep, heapTake } from "../tape/batch";
import { MOST_MEMBERS, sortMembers } from "./members";
import {
  ESCAPED, FALSE, LIST, MAP, NULL, NUMBER, PLAIN, R_KEY, R_KEY_LENGTH, R_KIND, R_LENGTH, R_NEXT, R_SIZE, R_VALUE, TRUE, UTF8, WRITTEN,
} from "./records";

/**
 * Greatest factor by which the written text can be longer than its source. For example, a single `<` becomes the
 * six characters `\u003c`, and a short number such as `1e20` becomes 21 digits.
 */
const MOST_GROWTH: u32 = 8;
/**
 * Largest length in bytes, in the document, of a list or map whose JSON text this file writes. JavaScript writes the
 * text of a longer list or map.
 */
const MOST_SOURCE: u32 = 1 << 20;
/** Number of bytes that the functions may write after the end of the text. */
const SLACK: u32 = 32;

/**
 * Memory for sorted members. Maps nest, so while the text of one map is written, the maps that contain it are
 * unfinished. The memory holds the sorted members of all unfinished maps, one list after the other.
 */
const lists = memory.data(4096);
const LISTS: usize = 4096;

let out: usize = 0;
let listsEnd: usize = 0;

/**
 * Writes the JSON text of a list or map, and stores the address and length of the text in the record. Returns
 * the length of the text in UTF-16 units. Returns 0 when JavaScript has to write the text, for example because a
 * map has too many members.
 */
export function writeJson(batch: usize, record: usize): u32 {
  const kind = load<u32>(record, R_KIND);
  if (!(kind & WRITTEN)) {
    const length = load<u32>(record, R_LENGTH);
    if (length > MOST_SOURCE) return 0;
    const start = heapTake(batch, length * MOST_GROWTH + SLACK);
    out = start;
    listsEnd = lists;
    if (!put(record)) {
      heapKeep(batch, start, 0);
      return 0;
    }
    heapKeep(batch, start, <u32>(out - start));
    store<u32>(record, kind | WRITTEN, R_KIND);
    store<u32>(record, <u32>start, R_VALUE);
    store<u32>(record, <u32>(out - start), R_LENGTH);
  }
  return unitsOf(load<u32>(record, R_VALUE), load<u32>(record, R_LENGTH));
}

/**
 * Returns the length of a UTF-8 text in UTF-16 units: a character takes one unit, or two when it takes four bytes.
 * Reads up to 15 bytes past the end.
 */
function unitsOf(text: usize, length: u32): u32 {
  let units = length;
  for (let at: u32 = 0; at < length; at += 16) {
    const bytes = v128.load(text + at);
    let high = i8x16.bitmask(bytes);
    if (!high) continue;
    const own = length - at < 16 ? (1 << (length - at)) - 1 : 0xffff;
    const continuing = i8x16.bitmask(i8x16.lt_s(bytes, i8x16.splat(-64))) & own;
    const long = i8x16.bitmask(i8x16.ge_u(bytes, i8x16.splat(-16))) & own;
    units += popcnt(long) - popcnt(continuing);
  }
  return units;
}

// @ts-ignore: decorator
@inline
function byte(c: u32): void {
  store<u8>(out++, c);
}

/** Writes a value. Returns false when JavaScript has to write the text. */
function put(record: usize): bool {
  const kind = load<u32>(record, R_KIND);
  if (kind == MAP) return putMap(record);
  if (kind == LIST) return putList(record);
  if (kind >= PLAIN && kind <= UTF8 + ESCAPED) {
    putText(<usize>load<u32>(record, R_VALUE), load<u32>(record, R_LENGTH), kind >= PLAIN + ESCAPED);
  } else if (kind == NUMBER) putNumber(load<f64>(record, R_VALUE));
  else if (kind == TRUE) putWord(0x65757274);
  else if (kind == NULL) putWord(0x6c6c756e);
  else if (kind == FALSE) {
    byte(0x66);
    putWord(0x65736c61);
  } else {
    // An earlier call of `writeJson` has already written the text of this list or map, so this text is copied.
    const length = load<u32>(record, R_LENGTH);
    memory.copy(out, load<u32>(record, R_VALUE), length);
    out += length;
  }
  return true;
}

// @ts-ignore: decorator
@inline
function putWord(letters: u32): void {
  store<u32>(out, letters);
  out += 4;
}

function putList(list: usize): bool {
  const end = <usize>load<u32>(list, R_NEXT);
  byte(0x5b);
  for (let item = list + R_SIZE; item < end; item = <usize>load<u32>(item, R_NEXT)) {
    if (item != list + R_SIZE) byte(0x2c);
    if (!put(item)) return false;
  }
  byte(0x5d);
  return true;
}

function putMap(map: usize): bool {
  const members = listsEnd;
  const room = <u32>(lists + LISTS - members) >> 2;
  const count = sortMembers(map, members, min(room, MOST_MEMBERS));
  if (count < 0) return false;
  listsEnd = members + (<usize>count << 2);
  byte(0x7b);
  for (let at: usize = members; at < members + (<usize>count << 2); at += 4) {
    const member = <usize>load<u32>(at);
    if (at != members) byte(0x2c);
    putText(<usize>load<u32>(member, R_KEY), load<u32>(member, R_KEY_LENGTH), false);
    byte(0x3a);
    if (!put(member)) return false;
  }
  byte(0x7d);
  listsEnd = members;
  return true;
}

/**
 * Largest magnitude of a whole number that is printed as an integer. Up to this magnitude, doubles hold every whole
 * number exactly.
 */
const MOST_WHOLE: f64 = 9007199254740991;

/** Prints a number as JavaScript does, but an exponent has at least two digits. */
function putNumber(value: f64): void {
  const whole = <i64>value;
  if (<f64>whole == value && abs(value) <= MOST_WHOLE && whole) {
    out = printInt(out, whole);
    return;
  }
  const start = out;
  const end = printFloat(start, value, false);
  out = end;
  if (end < start + 4 || load<u8>(end - 3) != 0x65) return;
  store<u8>(end, load<u8>(end - 1));
  store<u8>(end - 1, 0x30);
  out = end + 1;
}

/**
 * Writes a text in quotes. Bytes that need an escape are rare, so the text is copied in blocks of 16 bytes, and a block
 * is examined byte by byte only when it contains such a byte. `isEscaped` says whether the text still has the escapes
 * of its source.
 */
function putText(text: usize, length: u32, isEscaped: bool): void {
  byte(0x22);
  const end = text + length;
  while (text < end) {
    const bytes = v128.load(text);
    v128.store(out, bytes);
    const special = v128.or(
      v128.or(i8x16.eq(bytes, lanesOf(0x3c)), i8x16.eq(bytes, lanesOf(0x3e))),
      v128.or(
        v128.or(i8x16.eq(bytes, lanesOf(0x26)), i8x16.eq(bytes, lanesOf(0xe2))),
        v128.or(v128.or(i8x16.eq(bytes, lanesOf(0x22)), i8x16.eq(bytes, lanesOf(0x5c))), i8x16.le_u(bytes, lanesOf(0x1f))),
      ),
    );
    const plain = min<usize>(<usize>ctz(i8x16.bitmask(special) | 0x10000), end - text);
    text += plain;
    out += plain;
    if (plain < 16 && text < end) text = putSpecial(text, isEscaped);
  }
  byte(0x22);
}

/** Writes a character that may need an escape. Returns the address after it. */
function putSpecial(text: usize, isEscaped: bool): usize {
  const c = <u32>load<u8>(text);
  if (c == 0xe2) {
    // U+2028 and U+2029 are written as escapes. In UTF-8 they are the bytes E2 80 A8 and E2 80 A9.
    const isSeparator = load<u8>(text, 1) == 0x80 && (<u32>load<u8>(text, 2) & 0xfe) == 0xa8;
    if (!isSeparator) {
      byte(c);
      return text + 1;
    }
    putUnit(0x2028 + (<u32>load<u8>(text, 2) & 1));
    return text + 3;
  }
  if (c != 0x5c || !isEscaped) {
    putEscape(c);
    return text + 1;
  }
  const letter = <u32>load<u8>(text, 1);
  if (letter == 0x2f) byte(letter);
  else if (letter == 0x62) putUnit(8);
  else if (letter == 0x66) putUnit(12);
  else {
    byte(c);
    byte(letter);
  }
  return text + 2;
}

function putEscape(c: u32): void {
  const letter: u32 = c == 0x22 || c == 0x5c ? c : c == 0x0a ? 0x6e : c == 0x0d ? 0x72 : c == 0x09 ? 0x74 : 0;
  if (!letter) {
    putUnit(c);
    return;
  }
  byte(0x5c);
  byte(letter);
}

/** Writes a UTF-16 unit as `\u` and four hexadecimal digits. */
function putUnit(unit: u32): void {
  store<u16>(out, 0x755c);
  out += 2;
  for (let shift: i32 = 12; shift >= 0; shift -= 4) {
    const digit = (unit >> shift) & 15;
    byte(digit < 10 ? 0x30 + digit : 0x57 + digit);
  }
}
