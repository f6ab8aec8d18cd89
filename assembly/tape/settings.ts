// What one decode asks for beside the body: time, strictness, limits, and the rules of the category, as set by `configure`.

import { setKeyLimits } from "./keys";
import { E_KEY, E_TEXT, KEY_DIRTY, KEY_DOT, KEY_LONG_FIELD, KEY_LONG_TAG, KEY_REFUSED, KIND_STRING } from "./layout";

/** Nanoseconds for a point without a time. */
export let receiveTime: i64 = 0;
/** Factor from the sent integer to nanoseconds; 0 = detect. */
export let timeUnit: i64 = 0;
export let isStrict: bool = false;
/** Strings and binary fields need the corrections (they are dropped). */
export let dropsStrings: bool = false;
/** Dots in keys need the corrections. */
export let replacesDots: bool = false;
/** Unsigned fields need the corrections. */
export let dropsUint: bool = false;
export let maxTags: u32 = 0;
export let maxFields: u32 = 0;
/** Longest keys, in bytes. */
export let maxTagKey: u32 = 0;
export let maxFieldKey: u32 = 0;
export let maxTagValue: u32 = 0;
export let maxFieldValue: u32 = 0;
export let maxMeasurement: u32 = 0;
/** Flags of a key that need the corrections when it is a tag's or a field's. */
export let tagKeyFaults: u32 = 0;
export let fieldKeyFaults: u32 = 0;
/** The field that a point which came with a field gets when it lacks KEY_REQUIRED; -1 = none. */
export let requiredKey: i32 = -1;
/** Points that came with tags only get the required key, too. */
export let requiredOfTags: bool = false;
export let requiredText: usize = 0;
export let requiredLength: u32 = 0;
/** Key, kind and text of the entry that it is on the tape. */
export const requiredEntry = memory.data(16, 16);

const STRICT: u32 = 1;
const DROPS_STRINGS: u32 = 2;
const REPLACES_DOTS: u32 = 4;
const DROPS_UINT: u32 = 8;
const REQUIRED_OF_TAGS: u32 = 16;

export function configure(
  now: i64, unit: i64, flags: u32, tags: u32, fields: u32, tagKey: u32, fieldKey: u32, tagValue: u32, fieldValue: u32, measurement: u32,
): void {
  receiveTime = now;
  timeUnit = unit;
  isStrict = (flags & STRICT) != 0;
  dropsStrings = (flags & DROPS_STRINGS) != 0;
  dropsUint = (flags & DROPS_UINT) != 0;
  maxTags = tags;
  maxFields = fields;
  maxTagKey = tagKey;
  maxFieldKey = fieldKey;
  maxTagValue = tagValue;
  maxFieldValue = fieldValue;
  maxMeasurement = measurement;
  requiredOfTags = (flags & REQUIRED_OF_TAGS) != 0;
  replacesDots = (flags & REPLACES_DOTS) != 0;
  const faults = KEY_DIRTY | KEY_REFUSED | (replacesDots ? KEY_DOT : 0);
  tagKeyFaults = faults | KEY_LONG_TAG;
  fieldKeyFaults = faults | KEY_LONG_FIELD;
  setKeyLimits(tagKey, fieldKey);
  requiredKey = -1;
}

export function require(key: u32, text: usize, length: u32): void {
  requiredKey = key;
  requiredText = text;
  requiredLength = length;
  store<u64>(requiredEntry, <u64>key | (<u64>KIND_STRING << 32), E_KEY);
  store<u64>(requiredEntry, <u64>text | (<u64>length << 32), E_TEXT);
}
