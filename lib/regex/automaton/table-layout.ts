// The tables of an automaton, word by word. The kernel (assembly/regex/layout.ts) reads the same; change both.
//
// Row of a state: 4 words of skip set, the state's number, then one entry for each byte class, the last for the end of the text.
// Skip set: byte i tells by its bits 0 to 7 which ASCII bytes with low half i lead back to the state: bit h for high half h.
// Entry: address of the next row, plus `skips` when that row's skip set is worth a look; or a record's address plus `special`;
// or one of the two constants.
// Record: next entry (0: no way on), accept, count of moves, then the moves. Moves are done in order: to << 16 | from.
// Accept: address of an accept map, 0 for none. Backward: 1 when a match starts here.
// Accept map: one word per slot: register << 16 | distance (signed 16 bits).

export const row = { skip: 0, state: 4, entries: 5 } as const;
export const record = { next: 0, accept: 1, count: 2, moves: 3 } as const;

export const entry = { special: 1, skips: 2, missing: 1, dead: 3 } as const;

/** Registers hold offsets; a move from `here` sets one to the position. */
export const register = { end: 0, start: 1, never: 2, spare: 3, first: 4, here: 0xffff } as const;

export const registers = 1024;

/** A row's skip set is used when it has at least as many bytes. */
export const skipWorth = 12;

/** The machine that the kernel runs, in words; what they mean stands in assembly/regex/layout.ts. */
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

/** What the kernel answers; `left`: generated code hands over to the table. */
export const answer = { no: 0, yes: 1, forwardLacks: 2, backwardLacks: 3, invalid: 4, left: 5 } as const;

/** Places behind the first one are tried one by one as long as they are this close to it and each try fails within `read` bytes. */
export const near = { bytes: 16, read: 32 } as const;
