// The layout of a plan, which describes how the captures of a grok expression are converted: the addresses of the
// results, then the fields. lib/grok/module-captures.ts writes the plan. The build generates
// lib/grok/capture-layout.ts from this file, so that JavaScript has the same numbers.

/** Address of the results that say which texts matched: one byte for each text, 1 when it matched, else 0. */
export const P_MATCHED: usize = 0;
/**
 * Address of the start and end offsets in the results: two numbers for each text and field. Both are -1 when no group
 * of the field took part in the match.
 */
export const P_SPANS: usize = 4;
/**
 * Address of the values in the results: eight bytes for each text and field, which are an int64, a double or a boolean.
 */
export const P_VALUES: usize = 8;
/**
 * Address of the group numbers in the results: for each text and field, the number of the regular expression's group
 * from which the value was taken.
 */
export const P_GROUPS: usize = 12;
/** Number of 32-bit words that one text has in `slots`, the array with the start and end of every group. */
export const P_SLOTS: usize = 16;
/** Number of fields. */
export const P_COUNT: usize = 20;
export const P_FIELDS: usize = 24;

export const FIELD_TYPE: usize = 0;
/** Number of groups of the field, and the address of their numbers. */
export const FIELD_GROUPS: usize = 4;
export const FIELD_NUMBERS: usize = 8;
export const FIELD_SIZE: usize = 12;

// The types of fields.
export const TYPE_STRING: u32 = 0;
export const TYPE_INT: u32 = 1;
export const TYPE_FLOAT: u32 = 2;
export const TYPE_BOOL: u32 = 3;
