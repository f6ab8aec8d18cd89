// The layout of a plan: a list of consecutive statements of a script, as operations for the WebAssembly module. The
// plan's members come first, then its operations. lib/pipeline/runtime/tape-operations.ts writes the plan. The build
// generates lib/pipeline/runtime/operation-layout.ts from this file, so that JavaScript has the same numbers.

/** Number of steps that the last call took. */
export const PLAN_STEPS: usize = 0;
/** Number of operations. */
export const PLAN_COUNT: usize = 4;
/** Address of the record of the map from which COPY_MEMBER operations read; 0 leaves these operations to JavaScript. */
export const PLAN_MAP: usize = 8;
/** Number of bytes of new text that the last call has written. */
export const PLAN_KEPT: usize = 12;
export const PLAN_OPERATIONS: usize = 16;

export const OPERATION_SIZE: usize = 40;
export const O_CODE: usize = 0;
/**
 * Id of the key that the operation reads. For an operation that uses only one key, it is the id of this key, even when
 * the operation only writes the key.
 */
export const O_KEY: usize = 4;
/** Id of the key that the operation writes. */
export const O_TARGET: usize = 8;
/** Address and length of the operation's text or of the name of the member that it copies. */
export const O_TEXT: usize = 12;
export const O_LENGTH: usize = 16;
// The members from offset 24 on depend on the kind of the operation. GROUP_BETWEEN compares the value of a key with a
// range. The lower and the upper bound of the range are doubles.
export const O_LOW: usize = 24;
export const O_HIGH: usize = 32;
/**
 * Address and length of a second name, for COPY_MEMBER; the address is 0 when there is none. O_TEXT is the name of a
 * member of the map. When there is a second name, the value of this member is an inner map, and the operation reads
 * the member of the inner map that has the second name.
 */
export const O_INNER: usize = 24;
export const O_INNER_LENGTH: usize = 28;
/** Address and number of the texts with which GROUP_IN compares the value of a key. */
export const O_TEXTS: usize = 24;
export const O_TEXT_COUNT: usize = 28;
/** Size of a text of GROUP_IN: its address and its length. */
export const TEXT_SIZE: usize = 8;
export const T_LENGTH: usize = 4;

// The codes of the operations.
export const NULLIF: u32 = 0;
export const CAST_INT: u32 = 1;
export const GROUP_BETWEEN: u32 = 2;
export const ADD_TEXT: u32 = 3;
export const TAG_TEXT: u32 = 4;
export const DROP: u32 = 5;
export const RENAME: u32 = 6;
export const READ_TIME: u32 = 7;
export const COPY_MEMBER: u32 = 8;
export const LOWERCASE: u32 = 9;
export const UPPERCASE: u32 = 10;
export const GROUP_IN: u32 = 11;

/**
 * Length in bytes of the longest string whose letters LOWERCASE and UPPERCASE change; JavaScript changes longer ones.
 */
export const LONGEST_CASED: u32 = 256;

// The marks that `copyMembers` reads, one byte for each key with an id below the number of marks. The mark is 0 for a
// member that is copied.
/** The mark of a member that JavaScript handles. */
export const MARK_STOP: u32 = 1;
/** The mark of a member that the script stores in its variable number 0; the mark of variable n is (n + 1) times that. */
export const MARK_STORED: u32 = 2;
/** Added to the mark of a stored member: JavaScript handles the member when it is a list, a map or a long string. */
export const MARK_SHORT: u32 = 1;

/** The words that `copyMembers` writes: the number of bytes of new JSON text. */
export const COPIED_KEPT: usize = 0;
/** The length of the names of all copied members, and the number of these members. */
export const COPIED_NAMES: usize = 4;
export const COPIED_COUNT: usize = 8;
/** For each variable, the index of the last member that is stored in it, plus one; 0 when there is none. */
export const COPIED_STORED: usize = 12;
