// The notes of a batch: a table that records, as codes and numbers, how the corrections changed each point.
// lib/point/batch/notes.ts makes warnings from the notes (docs/reference/points.md#warnings).

import { pushNote } from "../tape/batch";
import { N_CODE, N_KEY, N_LENGTH, N_NUMBER, N_POINT, N_TEXT } from "../tape/layout";

export const SAME_KEY: u32 = 0;
export const LONG_NAME: u32 = 1;
export const MANY_FIELDS: u32 = 2;
export const MANY_TAGS: u32 = 3;
export const LONG_TAG_KEY: u32 = 4;
export const LONG_FIELD_KEY: u32 = 5;
export const LONG_TAG_VALUE: u32 = 6;
export const LONG_FIELD_VALUE: u32 = 7;
/**
 * Codes of notes; a note records one correction of a point. A note with a code from 8 to 11 contains the key
 * after the correction. Other notes about a key or an entry contain the key before the correction. Notes about
 * the measurement, about the number of tags or fields, and about newlines in a tag value (TAG_VALUE_NEWLINE)
 * contain no key.
 */
export const TAG_EXISTS_CUT: u32 = 8;
export const FIELD_EXISTS_CUT: u32 = 9;
export const TAG_EXISTS_ADJUSTED: u32 = 10;
export const FIELD_EXISTS_ADJUSTED: u32 = 11;
export const TAG_KEY_NEWLINE: u32 = 12;
export const FIELD_KEY_NEWLINE: u32 = 13;
export const TAG_KEY_DOT: u32 = 14;
export const FIELD_KEY_DOT: u32 = 15;
/** Code of a note (record of one correction) that contains the value that the tag had before the correction. */
export const TAG_VALUE_NEWLINE: u32 = 16;
export const EMPTY_KEY: u32 = 17;
export const REFUSED_KEY: u32 = 18;
export const STRING_DROPPED: u32 = 19;
export const NIL_FIELD: u32 = 20;
export const LARGE_UINT: u32 = 21;
export const EMPTY_NAME: u32 = 22;
/** Code of a note (record of one correction) that contains the measurement as it was before the correction. */
export const DIRTY_NAME: u32 = 23;
export const NOT_A_NUMBER: u32 = 24;
export const PLUS_INFINITY: u32 = 25;
export const MINUS_INFINITY: u32 = 26;

/**
 * Adds a note (a record of one correction) for the point with the number `point`; `number` is a length, a count or a
 * value, depending on the code.
 */
export function note(batch: usize, point: u32, code: u32, key: u32, number: u64 = 0, text: usize = 0, length: u32 = 0): void {
  const at = pushNote(batch);
  store<u32>(at, point, N_POINT);
  store<u32>(at, code, N_CODE);
  store<u32>(at, key, N_KEY);
  store<u32>(at, <u32>text, N_TEXT);
  store<u32>(at, length, N_LENGTH);
  store<u64>(at, number, N_NUMBER);
}
