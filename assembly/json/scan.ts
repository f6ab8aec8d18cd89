// Decodes a JSON body to a tape (entries in linear memory), in one pass or in windows, that is, a part of the body at a
// time (docs/reference/points.md#simple-json). A string stays where it is in the body; a string with escapes is copied
// to the heap without them.
//
// This file reads elements of the usual structure. Any other element, including one that is not a point, becomes an
// empty point with the flag POINT_ATTENTION and the range of the body that JavaScript has to read
// (lib/point/codec/json.ts). A body that is not JSON is refused as a whole; JavaScript then reads it again to find
// the error message. So only the JavaScript reader contains error messages.

import { closePoint, leavePoint } from "../correct/close-point";
import { pointTime, timeOf } from "../correct/time";
import { cleanName, dropRepeats, name as cleanedName, nameLength as cleanedLength } from "../correct/wire";
import { numberBits } from "../number/scan";
import { lookForAscii } from "../tape/ascii";
import { nextSerial } from "../tape/keys";
import { B_BODY, B_ENTRY_COUNT, B_LENGTH, B_NEXT_LINE, B_POINT_COUNT } from "../tape/layout";
import { releaseTags, setTagCount, tagCount } from "../tape/scan-memory";
import { isUtf8 } from "../text/utf8";
import { attention, fieldFlags, forgetEntries, hasRepeats, readEntries, readFields, readTags, tagFlags, tagsOnTape } from "./entries";
import { forgetCachedKeys } from "./key-cache";
import { isInt, isWhole } from "./numbers";
import { at, isAtEnd, length, next, numberAt, readNumber, readString, readWord, skipValue, startText, step, take, text } from "./text";
import { needsJavaScript } from "./values";

/**
 * Limits how much of the body one scan reads. For each entry (tag or field) that the scan may add, it reads at
 * most 2^WINDOW_SHIFT bytes. Without this limit, long strings with escapes, which are copied to the heap, could
 * fill the memory.
 */
const WINDOW_SHIFT: u64 = 4;

const NO_JSON: u32 = 0;
const AT_END: u32 = 1;
const GOES_ON: u32 = 2;

/**
 * Decodes the body from the position at which the previous call stopped. Stops at the end of the body, or after `most`
 * entries or points, or after 16 * `most` bytes. Returns 2 when a part of the body remains, and 1 at its end. Returns 0
 * when the body is not a JSON array or not UTF-8; the decoded points are then not valid.
 */
export function scanJson(batch: usize, most: u32): u32 {
  const body = <usize>load<u32>(batch, B_BODY);
  const end = body + load<u32>(batch, B_LENGTH);
  const start = <usize>load<u32>(batch, B_NEXT_LINE);
  if (start == body && lookForAscii(batch) != 1 && !isUtf8(body, end)) return NO_JSON;
  startText(start, end);
  forgetCachedKeys();
  const answer = readElements(batch, start, start == body, most);
  releaseTags();
  store<u32>(batch, <u32>at, B_NEXT_LINE);
  return answer;
}

/** Reads elements of the body's list. `isFirst` is true when the opening bracket of the list has not been read yet. */
function readElements(batch: usize, start: usize, isFirst: bool, most: u32): u32 {
  if (isFirst && !take(0x5b)) return NO_JSON;
  if (isFirst && next() == 0x5d) step();
  else {
    for (;;) {
      if (!readElement(batch)) return NO_JSON;
      const c = next();
      step();
      if (c == 0x5d) break;
      if (c != 0x2c) return NO_JSON;
      if (load<u32>(batch, B_ENTRY_COUNT) >= most || load<u32>(batch, B_POINT_COUNT) >= most) return GOES_ON;
      if (<u64>(at - start) >= <u64>most << WINDOW_SHIFT) return GOES_ON;
    }
  }
  next();
  return isAtEnd() ? AT_END : NO_JSON;
}

// One bit for each member of an element (the JSON object of one point), to record which members were seen.
const MEASUREMENT: u32 = 1;
const NAME: u32 = 2;
const FIELDS: u32 = 4;
const TAGS: u32 = 8;
const TIME: u32 = 16;
/** Flag: only JavaScript can read the element (the JSON object of one point). */
const ODD: u32 = 32;

function memberOf(p: usize, length: u32): u32 {
  if (length == 4) {
    const word = load<u32>(p);
    return word == 0x656d616e ? NAME : word == 0x73676174 ? TAGS : word == 0x656d6974 ? TIME : 0;
  }
  if (length == 6) return load<u32>(p) == 0x6c656966 && load<u16>(p, 4) == 0x7364 ? FIELDS : 0;
  if (length != 11) return 0;
  return load<u64>(p) == 0x6d6572757361656d && load<u32>(p, 7) == 0x746e656d ? MEASUREMENT : 0;
}

let name: usize = 0;
let nameLength: u32 = 0;
let sent: i64 = 0;
/** Whether the member `fields` is an array, as in PBJSON; in simple JSON it is an object. */
let isPbjson: bool = false;
let timeIsText: bool = false;
/**
 * Whether the element (the JSON object of one point) has members with unknown names, which do not belong to the format
 * of a point.
 */
let hasOthers: bool = false;

function readElement(batch: usize): bool {
  const first = load<u32>(batch, B_ENTRY_COUNT);
  let isPoint = next() == 0x7b;
  const start = at;
  if (isPoint) {
    nextSerial();
    setTagCount(0);
    forgetEntries();
    name = 0;
    nameLength = 0;
    sent = 0;
    isPbjson = timeIsText = hasOthers = false;
    const seen = readMembers(batch);
    if (seen < 0) return false;
    isPoint = !needsJavaScript && isWellFormed(<u32>seen);
  } else if (!skipValue(1)) return false;
  if (!isPoint) {
    store<u32>(batch, first, B_ENTRY_COUNT);
    leavePoint(batch, start, at);
    return true;
  }
  const isCleaned = cleanName(batch, name, nameLength);
  if (hasRepeats) dropRepeats(batch, first);
  closePoint(
    batch, first, cleanedName, cleanedLength, pointTime, start, at, tagFlags, fieldFlags, tagCount + tagsOnTape,
    attention || isCleaned || !cleanedLength,
  );
  return true;
}

/**
 * Reads the members of an element. Returns the bits of the members that were seen; -1 when the text is not JSON. When a
 * member occurs twice or has an unexpected value, the point is marked, so that JavaScript reads the point instead.
 */
function readMembers(batch: usize): i32 {
  let seen: u32 = 0;
  let odd = false;
  step();
  if (next() == 0x7d) {
    step();
    return 0;
  }
  for (;;) {
    if (!readString(batch)) return -1;
    const member = memberOf(text, length);
    if (!take(0x3a)) return -1;
    const c = next();
    if (member && seen & member) odd = true;
    if (!odd && member && c == 0x6e) {
      // A member of an element (the JSON object of one point) counts as absent when its value is null.
      if (!readWord()) return -1;
    } else if (!odd && member) {
      seen |= member;
      const isRead = readMember(batch, member, c);
      if (isRead < 0) return -1;
      odd = isRead == 0;
    } else {
      if (!member) hasOthers = true;
      if (!skipValue(2)) return -1;
    }
    const behind = next();
    step();
    if (behind == 0x7d) return odd ? ODD : <i32>seen;
    if (behind != 0x2c) return -1;
  }
  return -1;
}

/**
 * Reads one member of an element (the JSON object of one point). Returns 1 when it was read, 0 when JavaScript has to
 * read its value, -1 when the text is not JSON.
 */
function readMember(batch: usize, member: u32, c: u32): i32 {
  if (member == FIELDS && c == 0x7b) return readFields(batch) ? 1 : -1;
  if (member == FIELDS && c == 0x5b) {
    isPbjson = true;
    return readEntries(batch) ? 1 : -1;
  }
  if (member == TAGS && c == 0x7b) return readTags(batch) ? 1 : -1;
  if (member == TIME && c == 0x22) {
    timeIsText = true;
    if (!readString(batch)) return -1;
    return readTime(text, text + length) ? 1 : 0;
  }
  if (member == TIME && (c == 0x2d || c - 0x30 < 10)) {
    if (!readNumber()) return -1;
    return isWhole() && readTime(numberAt, at) ? 1 : 0;
  }
  if (member & (MEASUREMENT | NAME) && c == 0x22) {
    if (!readString(batch)) return -1;
    // When an element has both members `measurement` and `name`, the measurement of the point is the value of the
    // member `measurement`.
    if (member == MEASUREMENT || !name) {
      name = text;
      nameLength = length;
    }
    return 1;
  }
  return skipValue(2) ? 0 : -1;
}

function readTime(p: usize, stop: usize): bool {
  if (!isInt(p, stop)) return false;
  sent = <i64>numberBits;
  return true;
}

function isWellFormed(seen: u32): bool {
  if (seen & ODD) return false;
  if (hasOthers && !(seen & (MEASUREMENT | NAME | FIELDS | TAGS))) return false;
  if (!(seen & FIELDS)) isPbjson = (seen & (NAME | MEASUREMENT)) == NAME;
  // In PBJSON, an element has no member `measurement`, and its tags are among its fields. In simple JSON, the time
  // is a number without quotes. An element that mixes the two formats is left to JavaScript.
  if (isPbjson ? seen & (MEASUREMENT | TAGS) : timeIsText) return false;
  return timeOf(sent);
}
