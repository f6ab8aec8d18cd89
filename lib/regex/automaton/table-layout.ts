// The memory layout of the tables of an automaton, in 32-bit words. The kernel (the search function in
// WebAssembly) reads the same tables; the build copies the numbers from assembly/regex/layout.ts to layout.ts in
// this folder.
//
// Each state has a row. A row consists of a skip set of 4 words, the number of the state, one entry for each
// byte class, and one entry for the end of the text.
//
// The skip set contains the ASCII bytes that lead back to the same state. It has 16 bytes: bit h of byte i is
// set when the set contains the byte whose low four bits are i and whose high four bits are h.
//
// An entry is a number in one of three forms:
// - the address of the next row, plus `skips` when it is worthwhile to use the skip set of that row;
// - the address of a record, plus `special`;
// - one of the constants `missing` and `dead`.
//
// A record consists of the next entry (0 for no transition), the address of an accept map, the number of
// register moves, and the moves in the order in which they are done. A move is the number `to << 16 | from`,
// where `to` and `from` are numbers of registers. The address of the accept map is 0 when there is no match; in
// a backward table it is 1 when a match starts here.
//
// An accept map has one word for each slot (start or end of a group): register << 16 | distance (signed 16
// bits).

import * as layout from "./layout.ts";

/** Converts an offset in bytes to an offset in 32-bit words. */
const words = (bytes: number) => bytes >>> 2;

export const row = { skip: 0, state: 4, entries: words(layout.ROW_ENTRIES) } as const;
export const record = {
  next: words(layout.RECORD_NEXT),
  accept: words(layout.RECORD_ACCEPT),
  count: words(layout.RECORD_COUNT),
  moves: words(layout.RECORD_MOVES),
} as const;

export const entry = {
  special: layout.ENTRY_SPECIAL,
  skips: layout.ENTRY_SKIPS,
  missing: layout.ENTRY_MISSING,
  dead: layout.ENTRY_DEAD,
} as const;

/**
 * Numbers of registers with a fixed meaning. Registers hold offsets; a move from the register `here` sets another
 * register to the current position.
 */
export const register = {
  end: words(layout.REGISTER_END),
  start: words(layout.REGISTER_START),
  never: words(layout.REGISTER_NEVER),
  spare: 3,
  first: 4,
  here: layout.HERE,
} as const;

export const registers = 1024;

/** The skip set of a row (bytes that lead back to the same state) is used only when it has at least this many bytes. */
export const skipWorth = 12;

/**
 * Offsets, in words, of the members of a machine: the record in memory that contains the tables and the state of
 * a search for the kernel (the search function in WebAssembly). assembly/regex/layout.ts explains each member.
 */
export const machine = {
  forward: words(layout.M_FORWARD),
  forwardEnd: words(layout.M_FORWARD_END),
  backward: words(layout.M_BACKWARD),
  backwardEnd: words(layout.M_BACKWARD_END),
  begins: words(layout.M_BEGINS),
  last: words(layout.M_LAST),
  atEdge: words(layout.M_AT_EDGE),
  literal: words(layout.M_LITERAL),
  literalLength: words(layout.M_LITERAL_LENGTH),
  slots: words(layout.M_SLOTS),
  phase: words(layout.M_PHASE),
  at: words(layout.M_AT),
  row: words(layout.M_ROW),
  column: words(layout.M_COLUMN),
  found: words(layout.M_FOUND),
  leftmost: words(layout.M_LEFTMOST),
  line: words(layout.M_LINE),
  code: words(layout.M_CODE),
  wide: words(layout.M_WIDE),
  left: words(layout.M_LEFT),
  lefts: words(layout.M_LEFTS),
  starts: words(layout.M_STARTS),
  words: 28,
} as const;

/**
 * Results of the kernel (the search function in WebAssembly); `left` means that generated code left the remainder of
 * the search to the state table.
 */
export const answer = {
  no: layout.NO,
  yes: layout.YES,
  forwardLacks: layout.FORWARD_LACKS,
  backwardLacks: layout.BACKWARD_LACKS,
  invalid: layout.INVALID,
  left: layout.LEFT,
} as const;

/**
 * Limits for trying start positions one by one. A position is tried only when it is at most `bytes` bytes after the
 * first position, and only when the previous try has failed within `read` bytes.
 */
export const near = { bytes: 16, read: 32 } as const;
