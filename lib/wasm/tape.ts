// The layout of a batch in the module's memory as JavaScript reads it. Offsets of heads, points, entries and keys are in 32-bit words, sizes too.
// The numbers come from assembly/tape/layout.ts, from which the build makes layout.ts beside this file.

import * as layout from "./layout.ts";

/** Returns the offset in 32-bit words of an offset in bytes. */
const words = (bytes: number) => bytes >>> 2;

export const head = {
  body: words(layout.B_BODY),
  length: words(layout.B_LENGTH),
  points: words(layout.B_POINTS),
  pointCount: words(layout.B_POINT_COUNT),
  entries: words(layout.B_ENTRIES),
  entryCount: words(layout.B_ENTRY_COUNT),
  entryPages: words(layout.B_ENTRY_PAGES),
  keys: words(layout.B_KEYS),
  keyCount: words(layout.B_KEY_COUNT),
  /** Where the chunk of the heap goes on, and where it ends. */
  heapAt: words(layout.B_HEAP_AT),
  heapEnd: words(layout.B_HEAP_END),
  failures: words(layout.B_FAILURES),
  failureCount: words(layout.B_FAILURE_COUNT),
  /** 1 when the body is ASCII, 2 when not, 0 when nobody has looked. */
  ascii: words(layout.B_ASCII),
  attention: words(layout.B_ATTENTION),
  /** List of warnings of points that the scan gave their required key, 0 while nobody asked for it. */
  warnings: words(layout.B_WARNINGS),
  notes: words(layout.B_NOTES),
  noteCount: words(layout.B_NOTE_COUNT),
  nextLine: words(layout.B_NEXT_LINE),
  behind: words(layout.B_BEHIND),
  /** Lines that failed; the first 10,000 of them have a record. */
  failed: words(layout.B_FAILED),
} as const;

export const pointWords = words(layout.POINT_SIZE);
export const point = {
  first: words(layout.P_FIRST),
  count: words(layout.P_COUNT),
  name: words(layout.P_NAME),
  nameLength: words(layout.P_NAME_LENGTH),
  /** 64 bits. */
  time: words(layout.P_TIME),
  flags: words(layout.P_FLAGS),
  /** First and last entry of the overflow chain, index + 1. */
  more: words(layout.P_MORE),
  last: words(layout.P_LAST),
  line: words(layout.P_LINE),
  lineLength: words(layout.P_LINE_LENGTH),
  /** List of the point's own warnings, with `pointWarned`. */
  warnings: words(layout.P_WARNINGS),
} as const;

/** The corrections went through the point; there may be notes of it. */
export const pointNoted = layout.POINT_NOTED;
/** The scan appended the category's required key. */
export const pointRequired = layout.POINT_REQUIRED;
/** The whole point is left to JavaScript: of JSON. */
export const pointAttention = layout.POINT_ATTENTION;
/** The point has a list of warnings of its own. */
export const pointWarned = layout.POINT_WARNED;
/** The line ends in the point's time, in nanoseconds. */
export const pointTimed = layout.POINT_TIMED;
/** Bits for a number: while the line says what the point says but for entries that were added, the length of its measurement and tags; else 0. */
export const pointSeries = layout.POINT_SERIES;

export const entryWords = words(layout.ENTRY_SIZE);
export const entry = {
  key: words(layout.E_KEY),
  /** Kind in bits 0 to 7, flags from bit 8. */
  kind: words(layout.E_KIND),
  text: words(layout.E_TEXT),
  length: words(layout.E_LENGTH),
  /** 64 bits: int, uint, double or 0 and 1. */
  number: words(layout.E_NUMBER),
  /** Next entry of the overflow chain, index + 1. */
  link: words(layout.E_LINK),
  /** Address of the traits, with `traitsFlag`. */
  traits: words(layout.E_TRAITS),
} as const;

export const kinds = {
  nil: layout.KIND_NIL,
  int: layout.KIND_INT,
  uint: layout.KIND_UINT,
  float: layout.KIND_FLOAT,
  string: layout.KIND_STRING,
  bool: layout.KIND_BOOL,
  binary: layout.KIND_BINARY,
  array: layout.KIND_ARRAY,
} as const;

/** Letters of the kinds in messages, by kind. */
export const kindLetters = "xiufsbda";

/** The kind in the word `entry.kind`. */
export const kindMask = 0xff;

// Flags of an entry as they stand in the word `entry.kind`.
export const tagFlag = layout.ENTRY_TAG << 8;
/** Deleted; the place stays. */
export const deadFlag = layout.ENTRY_DEAD << 8;
/** A string whose `\"` and `\\` still stand as in the body. */
export const escapedFlag = layout.ENTRY_ESCAPED << 8;
/** Binary as base64, array as written; without it a binary is its bytes, an array its packed elements. */
export const sourceFlag = layout.ENTRY_SOURCE << 8;
/** The entry has metric type, unit or description. */
export const traitsFlag = layout.ENTRY_TRAITS << 8;

/** An element of a packed array: its number, or address and length of its text or bytes. `entry.number` holds the kind of all. */
export const elementBytes = 1 << layout.ELEMENT_SHIFT;

export const traits = {
  type: words(layout.T_TYPE),
  unit: words(layout.T_UNIT),
  unitLength: words(layout.T_UNIT_LENGTH),
  description: words(layout.T_DESCRIPTION),
  descriptionLength: words(layout.T_DESCRIPTION_LENGTH),
} as const;
export const traitsBytes = layout.TRAITS_SIZE;

/** A list of warnings: their number, then these words for each. */
export const warning = {
  type: words(layout.W_TYPE),
  typeLength: words(layout.W_TYPE_LENGTH),
  message: words(layout.W_MESSAGE),
  messageLength: words(layout.W_MESSAGE_LENGTH),
} as const;
export const warningWords = words(layout.WARNING_SIZE);

export const keyWords = words(layout.KEY_SIZE);
export const key = {
  text: words(layout.K_TEXT),
  length: words(layout.K_LENGTH),
  /** Serial number of the point that was indexed last and has the key, and index of its entry. */
  line: words(layout.K_LINE),
  entry: words(layout.K_ENTRY),
} as const;

// Flags that `markKey` sets.
export const refusedKey = layout.KEY_REFUSED;
export const requiredKey = layout.KEY_REQUIRED;

export const noteWords = words(layout.NOTE_SIZE);
export const note = {
  point: words(layout.N_POINT),
  code: words(layout.N_CODE),
  key: words(layout.N_KEY),
  text: words(layout.N_TEXT),
  length: words(layout.N_LENGTH),
  /** 64 bits. */
  number: words(layout.N_NUMBER),
} as const;

export const failureWords = words(layout.FAILURE_SIZE);
export const failure = {
  reason: words(layout.F_REASON),
  line: words(layout.F_LINE),
  lineLength: words(layout.F_LINE_LENGTH),
  position: words(layout.F_POSITION),
  first: words(layout.F_FIRST),
  second: words(layout.F_SECOND),
  stop: words(layout.F_STOP),
} as const;

// Flags of `configure`.
export const settings = { strict: 1, dropsStrings: 2, replacesDots: 4, dropsUint: 8, requiredOfTags: 16 } as const;
