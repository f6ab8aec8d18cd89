// Decodes a PBPoints message to a tape (entries in linear memory), either in one pass or in windows, which are
// parts of the body (docs/reference/points.md#protobuf). Strings stay where they are in the body. Decoding ends
// with one failure when the bytes are not such a message, or contain a value that no point can have.

import { closePoint } from "../correct/close-point";
import { hasNewlineOrTail } from "../correct/text";
import { pointTime, timeOf } from "../correct/time";
import { cleanName, dropRepeats, name as cleanedName, nameLength as cleanedLength } from "../correct/wire";
import { pushEntry, pushFailure } from "../tape/batch";
import { isFinite64 } from "../tape/finite";
import { internKey, keyAt, nextSerial, serial } from "../tape/keys";
import {
  B_ASCII, B_BODY, B_ENTRY_COUNT, B_LENGTH, B_NEXT_LINE, B_POINT_COUNT, ENTRY_TAG, E_FLAGS, E_KEY, E_KIND, E_LENGTH, E_NUMBER,
  E_TEXT, F_FIRST, F_LINE, F_POSITION, F_REASON, F_SECOND, F_STOP, KIND_ARRAY, KIND_BINARY, KIND_BOOL, KIND_FLOAT,
  KIND_INT, KIND_NIL, KIND_STRING, KIND_UINT, K_FLAGS, K_LINE,
} from "../tape/layout";
import { setTagCount } from "../tape/scan-memory";
import { dropsStrings, dropsUint, maxFieldValue, maxTagValue } from "../tape/settings";
import { forgetTraits, setDescription, setMetricType, setUnit, writeTraits } from "../tape/traits";
import { elementCount, elementKind, elements, elementsFinite, readAny } from "./arrays";
import {
  clearReason, failWith, FIELD, firstDetail, POINT, POINTS, reason, secondDetail, TAG_NOT_TEXT, TIME_RANGE, UNEXPECTED_EOF,
} from "./reasons";
import { at, expectWireType, field, FIXED64, LENGTH, readLength, readTag, readVarint, setAt, skip, VARINT, varint } from "./wire";

/**
 * Decodes the body from the position at which the previous call stopped, until `most` entries or points are
 * decoded or the body ends. Returns whether a part of the body remains. A failure ends the decoding; its record
 * contains the index of the point that could not be decoded (F_POSITION) and the index of the field in this
 * point (F_LINE).
 */
export function scanProtobuf(batch: usize, most: u32): bool {
  const end = <usize>load<u32>(batch, B_BODY) + load<u32>(batch, B_LENGTH);
  store<u32>(batch, 2, B_ASCII);
  clearReason();
  setAt(load<u32>(batch, B_NEXT_LINE));
  fieldPlace = 0;
  if (readPoints(batch, end, most)) {
    store<u32>(batch, <u32>at, B_NEXT_LINE);
    return at < end;
  }
  const failure = pushFailure(batch);
  store<u32>(failure, reason, F_REASON);
  store<u32>(failure, firstDetail, F_FIRST);
  store<u32>(failure, secondDetail, F_SECOND);
  store<u32>(failure, load<u32>(batch, B_POINT_COUNT), F_POSITION);
  store<u32>(failure, fieldPlace, F_LINE);
  store<u32>(failure, <u32>at, F_STOP);
  return false;
}

/** Index of the Field message that is being read, counted within its point. */
let fieldPlace: u32 = 0;

function readPoints(batch: usize, end: usize, most: u32): bool {
  while (at < end && load<u32>(batch, B_ENTRY_COUNT) < most && load<u32>(batch, B_POINT_COUNT) < most) {
    if (!readTag(end, POINTS)) return false;
    if (field == 1) {
      if (!expectWireType(LENGTH, POINTS) || !readLength(end) || !readPoint(batch, at + <usize>varint)) return false;
    } else if (!skip(end)) return false;
  }
  return true;
}

// Facts about the entries (tags and fields) that were read so far of the current point. `tagFlags` is the bitwise OR of
// the flags of all tag keys, and `fieldFlags` that of all field keys. `tagCount` is the number of tags.
let tagFlags: u32 = 0;
let fieldFlags: u32 = 0;
let tagCount: u32 = 0;
let attention: bool = false;
let hasRepeats: bool = false;

function readPoint(batch: usize, end: usize): bool {
  const start = at;
  const first = load<u32>(batch, B_ENTRY_COUNT);
  let name = start;
  let nameLength: u32 = 0;
  let sent: i64 = 0;
  nextSerial();
  tagFlags = fieldFlags = tagCount = fieldPlace = 0;
  attention = hasRepeats = false;
  while (at < end) {
    if (!readTag(end, POINT)) return false;
    if (field == 2) {
      if (!expectWireType(LENGTH, POINT) || !readLength(end) || !readField(batch, at + <usize>varint)) return false;
      fieldPlace++;
    } else if (field == 1) {
      if (!expectWireType(LENGTH, POINT) || !readLength(end)) return false;
      name = at;
      nameLength = <u32>varint;
      setAt(at + nameLength);
    } else if (field == 3) {
      if (!expectWireType(VARINT, POINT) || !readVarint(end)) return false;
      sent = varint;
    } else if (field == 4 || field == 5) {
      // A body may contain the warnings and debug messages that the sender of the points has made. The decoder skips
      // these warnings and messages.
      if (!expectWireType(LENGTH, POINT) || !skip(end)) return false;
    } else if (!skip(end)) return false;
  }
  if (!timeOf(sent)) return failWith(TIME_RANGE);
  setTagCount(0);
  if (cleanName(batch, name, nameLength)) attention = true;
  if (hasRepeats) dropRepeats(batch, first);
  attention = attention || !cleanedLength;
  closePoint(batch, first, cleanedName, cleanedLength, pointTime, start, end, tagFlags, fieldFlags, tagCount, attention);
  return true;
}

function readField(batch: usize, end: usize): bool {
  let key = at;
  let keyLength: u32 = 0;
  let kind = KIND_NIL;
  let text: usize = 0;
  let length: u32 = 0;
  let number: u64 = 0;
  let isTag = false;
  forgetTraits();
  while (at < end) {
    if (!readTag(end, FIELD)) return false;
    switch (field) {
      case 1:
        if (!expectWireType(LENGTH, FIELD) || !readLength(end)) return false;
        key = at;
        keyLength = <u32>varint;
        setAt(at + keyLength);
        break;
      case 2:
      case 3:
        if (!expectWireType(VARINT, FIELD) || !readVarint(end)) return false;
        kind = field == 2 ? KIND_INT : KIND_UINT;
        number = varint;
        break;
      case 4:
        if (!expectWireType(FIXED64, FIELD)) return false;
        if (end - at < 8) return failWith(UNEXPECTED_EOF);
        kind = KIND_FLOAT;
        number = load<u64>(at);
        setAt(at + 8);
        break;
      case 5:
        if (!expectWireType(VARINT, FIELD) || !readVarint(end)) return false;
        kind = KIND_BOOL;
        number = <u64>(varint != 0);
        break;
      case 6:
      case 7:
      case 11:
        if (!expectWireType(LENGTH, FIELD) || !readLength(end)) return false;
        kind = field == 11 ? KIND_STRING : field == 6 ? KIND_BINARY : KIND_ARRAY;
        text = at;
        length = <u32>varint;
        setAt(at + length);
        break;
      case 8:
        if (!expectWireType(VARINT, FIELD) || !readVarint(end)) return false;
        isTag = varint != 0;
        break;
      default:
        if (!readTrait(end)) return false;
    }
  }
  if (kind == KIND_ARRAY) {
    if (!readAny(batch, text, text + length)) return false;
    setAt(end);
    text = elements;
    length = elementCount;
    number = elementKind;
  }
  if (isTag && kind != KIND_STRING) return failWith(TAG_NOT_TEXT);
  const entry = putField(batch, key, keyLength, isTag, kind, text, length, number);
  writeTraits(batch, entry);
  return true;
}

/** Reads one member of a Field message: the metric type, the unit or the description. Skips any other member. */
function readTrait(end: usize): bool {
  if (field == 9) {
    if (!expectWireType(VARINT, FIELD) || !readVarint(end)) return false;
    setMetricType(<u32>varint);
    return true;
  }
  if (field != 10 && field != 12) return skip(end);
  if (!expectWireType(LENGTH, FIELD) || !readLength(end)) return false;
  if (field == 10) setUnit(at, <u32>varint);
  else setDescription(at, <u32>varint);
  setAt(at + <usize>varint);
  return true;
}

/** Adds a decoded field or tag to the tape (the list of decoded entries) and returns the address of its entry. */
// @ts-ignore: decorator
@inline
function putField(
  batch: usize, key: usize, keyLength: u32, isTag: bool, kind: u32, text: usize, length: u32, number: u64,
): usize {
  const id = internKey(batch, key, keyLength);
  const record = keyAt(batch, id);
  if (load<u32>(record, K_LINE) == serial) hasRepeats = attention = true;
  if (!keyLength) attention = true;
  store<u32>(record, serial, K_LINE);
  const entry = pushEntry(batch);
  store<u32>(entry, id, E_KEY);
  store<u8>(entry, kind, E_KIND);
  store<u32>(entry, <u32>text, E_TEXT);
  store<u32>(entry, length, E_LENGTH);
  store<u64>(entry, number, E_NUMBER);
  if (isTag) {
    store<u8>(entry, ENTRY_TAG, E_FLAGS);
    tagCount++;
    tagFlags |= load<u32>(record, K_FLAGS);
    if (length > maxTagValue || hasNewlineOrTail(text, length)) attention = true;
  } else {
    fieldFlags |= load<u32>(record, K_FLAGS);
    if (needsCorrection(kind, length, number)) attention = true;
  }
  return entry;
}

function needsCorrection(kind: u32, length: u32, number: u64): bool {
  if (kind == KIND_FLOAT) return !isFinite64(number);
  if (kind == KIND_STRING || kind == KIND_BINARY) return dropsStrings || length > maxFieldValue;
  if (kind == KIND_UINT) return dropsUint;
  return kind == KIND_NIL || (kind == KIND_ARRAY && (!length || !elementsFinite));
}
