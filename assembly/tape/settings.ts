// The settings for decoding one body: time, strictness, limits, and the rules for the category of its points (such as
// metric or logging). `configure` sets them.

import { setKeyLimits } from "./keys";
import { E_KEY, E_TEXT, KEY_DIRTY, KEY_DOT, KEY_LONG_FIELD, KEY_LONG_TAG, KEY_REFUSED, KIND_STRING } from "./layout";

/** Time in nanoseconds for points that are sent without a time. */
export let receiveTime: i64 = 0;
/**
 * Factor that converts the integer time in the body to nanoseconds; 0 = detect the unit from the size of the integer.
 */
export let timeUnit: i64 = 0;
export let isStrict: bool = false;
/**
 * Whether a string or binary field makes a correction necessary, because the category of the points (such as metric)
 * drops such fields.
 */
export let dropsStrings: bool = false;
/**
 * Whether a key with a dot makes a correction necessary, because the category of the points (such as logging) does not
 * allow dots in keys.
 */
export let replacesDots: bool = false;
/**
 * Whether a field with an unsigned integer makes a correction necessary, because the settings do not allow such fields.
 */
export let dropsUint: bool = false;
export let maxTags: u32 = 0;
export let maxFields: u32 = 0;
/** Largest length in bytes of the key of a tag. */
export let maxTagKey: u32 = 0;
/** Largest length in bytes of the key of a field. */
export let maxFieldKey: u32 = 0;
/** Largest length in bytes of the value of a tag. */
export let maxTagValue: u32 = 0;
/** Largest length in bytes of the value of a field. */
export let maxFieldValue: u32 = 0;
/** Largest length in bytes of the measurement. */
export let maxMeasurement: u32 = 0;
/** Mask of key flags: a point must be corrected when the key of a tag has one of these flags. */
export let tagKeyFaults: u32 = 0;
/** Mask of key flags: a point must be corrected when the key of a field has one of these flags. */
export let fieldKeyFaults: u32 = 0;
/**
 * Id of the key that the category of the points requires (such as `status` for `logging`); -1 when it requires none. A
 * point that was sent with a field but without this key gets this key as a field.
 */
export let requiredKey: i32 = -1;
/**
 * Whether the key that the category requires (such as `status` for `logging`) is also added to points that were sent
 * with tags but without any field.
 */
export let requiredOfTags: bool = false;
export let requiredText: usize = 0;
export let requiredLength: u32 = 0;
/**
 * Key, type and string value of the entry that is added to a point for the key that the category of the points
 * requires.
 */
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
