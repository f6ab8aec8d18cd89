// The index of a JSON document: one record for each value (see document.ts).

// The layout of a record, which describes one JSON value. The records are in the order in which the values begin in the
// text. A record holds: the type of the value; the address at which the records of the values inside this value end;
// the address and length of the value's key (0 for an element of a list); and the value itself, as a double or as the
// address and length of a text (a string without its quotes, or a whole list or map).
// lib/pipeline/runtime/lazy/json-index.ts reads the records. The build generates
// lib/pipeline/runtime/lazy/json-records.ts from this file, so that JavaScript has the same numbers.
export const R_KIND: usize = 0;
export const R_NEXT: usize = 4;
export const R_KEY: usize = 8;
export const R_KEY_LENGTH: usize = 12;
export const R_VALUE: usize = 16;
export const R_LENGTH: usize = 20;
export const R_SIZE: usize = 24;

export const NULL: u32 = 0;
export const FALSE: u32 = 1;
export const TRUE: u32 = 2;
export const NUMBER: u32 = 3;
/** Type of the record of a string that is all ASCII. */
export const PLAIN: u32 = 4;
export const UTF8: u32 = 5;
/** This number is added to the type of a string's record when the string has escapes. */
export const ESCAPED: u32 = 2;
export const LIST: u32 = 8;
export const MAP: u32 = 9;
/**
 * Flag in the type of a list or map whose JSON text `writeJson` has written. With this flag, `R_VALUE` and `R_LENGTH`
 * hold the address and length of the written text. Without this flag, they hold the address and length of the list or
 * map in the document.
 */
export const WRITTEN: u32 = 16;
/** Mask of the bits that contain the type of a value, without the flag WRITTEN. */
export const KIND_MASK: u32 = 15;
