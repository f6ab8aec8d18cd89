// The tables of an automaton, word by word. The kernel (assembly/regex/layout.ts) reads the same layout; change both.
//
// The row of a state has 4 words of skip set, the state's number, then one entry for each byte class, and last the
// entry for the end of the text. In the skip set, byte i says which ASCII bytes with low half i lead back to the state:
// bit h stands for high half h. An entry is the address of the next row, plus `skips` when using that row's skip set is
// worth it; or a record's address plus `special`; or one of the two constants. A record holds the next entry (0: no
// transition), accept, the number of moves, then the moves. The moves are done in order; a move is to << 16 | from.
// Accept is the address of an accept map, 0 for none; in a backward table it is 1 when a match starts here. An accept
// map has one word for each slot: register << 16 | distance (signed 16 bits).

export const row = { skip: 0, state: 4, entries: 5 } as const;
export const record = { next: 0, accept: 1, count: 2, moves: 3 } as const;

export const entry = { special: 1, skips: 2, missing: 1, dead: 3 } as const;

/** Numbers of registers. Registers hold offsets; a move from `here` sets a register to the current position. */
export const register = { end: 0, start: 1, never: 2, spare: 3, first: 4, here: 0xffff } as const;

export const registers = 1024;

/** A row's skip set is used when it has at least this many bytes. */
export const skipWorth = 12;

/** The words of the machine that the kernel runs; assembly/regex/layout.ts explains them. */
export const machine = {
  forward: 0,
  forwardEnd: 1,
  backward: 2,
  backwardEnd: 3,
  begins: 4,
  last: 9,
  atEdge: 10,
  literal: 11,
  literalLength: 12,
  slots: 13,
  phase: 14,
  at: 15,
  row: 16,
  column: 17,
  found: 18,
  leftmost: 19,
  line: 20,
  code: 21,
  wide: 22,
  left: 23,
  lefts: 24,
  words: 28,
} as const;

/** Results of the kernel; `left` means that generated code hands over to the table. */
export const answer = { no: 0, yes: 1, forwardLacks: 2, backwardLacks: 3, invalid: 4, left: 5 } as const;

/**
 * Positions behind the first one are tried one by one while they are at most `bytes` behind it and each try fails
 * within `read` bytes.
 */
export const near = { bytes: 16, read: 32 } as const;
