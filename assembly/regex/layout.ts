// The layout, byte by byte, of an automaton's tables and of the record (called a machine) that describes an
// expression and its current search. lib/regex/automaton/table-layout.ts explains the terms. The build generates
// lib/regex/automaton/layout.ts from this file, so that JavaScript has the same numbers.

export const ROW_ENTRIES: usize = 20;

export const ENTRY_SPECIAL: u32 = 1;
export const ENTRY_SKIPS: u32 = 2;
export const ENTRY_MISSING: u32 = 1;
export const ENTRY_DEAD: u32 = 3;

export const RECORD_NEXT: usize = 0;
export const RECORD_ACCEPT: usize = 4;
export const RECORD_COUNT: usize = 8;
export const RECORD_MOVES: usize = 12;

export const REGISTER_END: usize = 0;
export const REGISTER_START: usize = 4;
export const REGISTER_NEVER: usize = 8;
export const HERE: u32 = 0xffff;

// The members of a machine (the record of one expression). First come, for the forward and for the backward
// table, the address of a class map and one offset. The class map has two bytes for each of the 256 byte values:
// the offset of the byte's entry in a table row. The offset after it (M_FORWARD_END) is that of the entry for
// the end of the text.
export const M_FORWARD: usize = 0;
export const M_FORWARD_END: usize = 4;
export const M_BACKWARD: usize = 8;
export const M_BACKWARD_END: usize = 12;
/**
 * Five table entries at which a search can start. The class of the byte before the start (such as a line break or a
 * letter) decides which one is used.
 */
export const M_BEGINS: usize = 16;
export const M_LAST: usize = 36;
export const M_AT_EDGE: usize = 40;
export const M_LITERAL: usize = 44;
export const M_LITERAL_LENGTH: usize = 48;
export const M_SLOTS: usize = 52;
// State of a search that stopped because a table entry was missing; the search continues from this state.
export const M_PHASE: usize = 56;
export const M_AT: usize = 60;
export const M_ROW: usize = 64;
export const M_COLUMN: usize = 68;
export const M_FOUND: usize = 72;
export const M_LEFTMOST: usize = 76;
export const M_LINE: usize = 80;

/**
 * Index, in the WebAssembly module's function table, of the function that was generated for the expression; 0 when no
 * function was generated.
 */
export const M_CODE: usize = 84;
/**
 * Has the value 1 when the function that was generated for the expression needs valid UTF-8, and 0 when this
 * function stops at the first byte that is not ASCII.
 */
export const M_WIDE: usize = 88;
/**
 * Number of lines of one `searchLines` call that are not searched yet. The count includes the line at which the
 * function that was generated for the expression stopped.
 */
export const M_LEFT: usize = 92;
/**
 * Number of times that the function that was generated for the expression stopped within a text. After each stop, the
 * search had to continue with the automaton's tables.
 */
export const M_LEFTS: usize = 96;
/** Has the value 1 when every match of the expression begins with the literal in M_LITERAL. */
export const M_STARTS: usize = 100;

// Results of a search: no match, match, or the reason why the search stopped.
export const NO: u32 = 0;
export const YES: u32 = 1;
/**
 * Results of a search that needs a table entry which does not exist yet, in the forward table (or in the
 * backward table). M_ROW and M_COLUMN say which entry is missing. The caller fills in this entry and searches
 * again.
 */
export const FORWARD_LACKS: u32 = 2;
export const BACKWARD_LACKS: u32 = 3;
/** Result: the search stopped because the text is not valid UTF-8. */
export const INVALID: u32 = 4;
/**
 * Result: the function that was generated for the expression stopped within a text, and the search must continue with
 * the automaton's tables. Position and state are in M_AT, M_ROW and M_FOUND, and the registers are in memory.
 */
export const LEFT: u32 = 5;
