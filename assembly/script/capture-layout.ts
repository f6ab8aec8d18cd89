// The layout of a plan, which describes the captures that one call of `grok` writes: a table with a row for each named
// group of the expression, in the order of the groups. lib/pipeline/functions/point/grok-captures.ts writes the plan.
// The build generates lib/pipeline/functions/point/capture-layout.ts from this file, so that JavaScript has the same
// numbers.

/** Number of rows. */
export const PLAN_COUNT: usize = 0;
/** Whether white space around captures is removed. */
export const PLAN_TRIM: usize = 4;
/** Length and address of the text that the last call searched. */
export const PLAN_LENGTH: usize = 8;
export const PLAN_TEXT: usize = 12;
/** Number of the row that JavaScript has to write, and the value of this row in eight bytes. */
export const PLAN_ROW: usize = 16;
export const PLAN_VALUE: usize = 24;
export const PLAN_ROWS: usize = 32;

export const ROW_SIZE: usize = 20;
export const R_GROUP: usize = 0;
/** Id of the key that gets the capture. */
export const R_KEY: usize = 4;
/** Type of the field, as assembly/grok/layout.ts numbers the types. */
export const R_TYPE: usize = 8;
/**
 * The next row (R_NEXT) and the previous row (R_PREVIOUS) of the plan that belong to the same field. Each is the row's
 * number plus 1; 0 means that there is none.
 */
export const R_NEXT: usize = 12;
export const R_PREVIOUS: usize = 16;

// Results of `matchEntry`. MISSED: the text does not match. WRITTEN: the text matches and all captures are written.
export const MISSED: u32 = 0;
export const WRITTEN: u32 = 1;
/**
 * Result of `matchEntry`: the text matched, but JavaScript has to write some captures: those from row PLAN_ROW of the
 * plan on.
 */
export const FOUND: u32 = 2;
/**
 * Result of `matchEntry`: JavaScript has to search the value, because a table entry of the automaton is missing, or
 * because the value is not a string.
 */
export const UNDECIDED: u32 = 3;
