// The tables of an automaton, word by word. The kernel reads the same tables: the numbers come from assembly/regex/layout.ts, from which the
// build makes layout.ts beside this file.
//
// The row of a state has 4 words of skip set, the state's number, then one entry for each byte class, and last the
// entry for the end of the text. In the skip set, byte i says which ASCII bytes with low half i lead back to the state:
// bit h stands for high half h. An entry is the address of the next row, plus `skips` when using that row's skip set is
// worth it; or a record's address plus `special`; or one of the two constants. A record holds the next entry (0: no
// transition), accept, the number of moves, then the moves. The moves are done in order; a move is to << 16 | from.
// Accept is the address of an accept map, 0 for none; in a backward table it is 1 when a match starts here. An accept
// map has one word for each slot: register << 16 | distance (signed 16 bits).

import * as layout from "./layout.ts";

/** Returns the offset in 32-bit words of an offset in bytes. */
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

/** Numbers of registers. Registers hold offsets; a move from `here` sets a register to the current position. */
export const register = {
  end: words(layout.REGISTER_END),
  start: words(layout.REGISTER_START),
  never: words(layout.REGISTER_NEVER),
  spare: 3,
  first: 4,
  here: layout.HERE,
} as const;

export const registers = 1024;

/** A row's skip set is used when it has at least this many bytes. */
export const skipWorth = 12;

/** The words of the machine that the kernel runs; assembly/regex/layout.ts explains them. */
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
  words: 28,
} as const;

/** Results of the kernel; `left` means that generated code hands over to the table. */
export const answer = {
  no: layout.NO,
  yes: layout.YES,
  forwardLacks: layout.FORWARD_LACKS,
  backwardLacks: layout.BACKWARD_LACKS,
  invalid: layout.INVALID,
  left: layout.LEFT,
} as const;

/**
 * Positions behind the first one are tried one by one while they are at most `bytes` behind it and each try fails
 * within `read` bytes.
 */
export const near = { bytes: 16, read: 32 } as const;
