// The layout of a batch in the module's memory as JavaScript reads it. Offsets of heads, points, entries and keys, and sizes, count 32-bit words.
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
  /** Where the current chunk of the heap continues, and where it ends. */
  heapAt: words(layout.B_HEAP_AT),
  heapEnd: words(layout.B_HEAP_END),
  failures: words(layout.B_FAILURES),
  failureCount: words(layout.B_FAILURE_COUNT),
  /** 1 when the body is ASCII, 2 when it is not, 0 when it was not checked. */
  ascii: words(layout.B_ASCII),
  attention: words(layout.B_ATTENTION),
  /** List of warnings for points that got their required key from the scan; 0 until it is needed. */
  warnings: words(layout.B_WARNINGS),
  notes: words(layout.B_NOTES),
  noteCount: words(layout.B_NOTE_COUNT),
  nextLine: words(layout.B_NEXT_LINE),
  behind: words(layout.B_BEHIND),
  /** Number of lines that failed; the first 10,000 of them have a record. */
  failed: words(layout.B_FAILED),
} as const;

export const pointWords = words(layout.POINT_SIZE);
export const point = {
  first: words(layout.P_FIRST),
  count: words(layout.P_COUNT),
  name: words(layout.P_NAME),
  nameLength: words(layout.P_NAME_LENGTH),
  /** Time of the point, 64 bits. */
  time: words(layout.P_TIME),
  flags: words(layout.P_FLAGS),
  /** First and last entry of the overflow chain, index + 1. */
  more: words(layout.P_MORE),
  last: words(layout.P_LAST),
  line: words(layout.P_LINE),
  lineLength: words(layout.P_LINE_LENGTH),
  /** List of the point's own warnings, if `pointWarned` is set. */
  warnings: words(layout.P_WARNINGS),
} as const;

/** The corrections worked on the point; it may have notes. */
export const pointNoted = layout.POINT_NOTED;
/** The scan appended the category's required key. */
export const pointRequired = layout.POINT_REQUIRED;
/** JavaScript reads the whole point; for JSON only. */
export const pointAttention = layout.POINT_ATTENTION;
/** The point has its own list of warnings. */
export const pointWarned = layout.POINT_WARNED;
/** The line ends with the point's time, in nanoseconds. */
export const pointTimed = layout.POINT_TIMED;
/**
 * Bits for a number: the length of the line's measurement and tags, while the line says exactly what the point says,
 * except for added entries; else 0.
 */
export const pointSeries = layout.POINT_SERIES;

export const entryWords = words(layout.ENTRY_SIZE);
export const entry = {
  key: words(layout.E_KEY),
  /** Kind in bits 0 to 7, flags from bit 8 on. */
  kind: words(layout.E_KIND),
  text: words(layout.E_TEXT),
  length: words(layout.E_LENGTH),
  /** 64 bits: an int, uint, double, or 0 and 1. */
  number: words(layout.E_NUMBER),
  /** Next entry of the overflow chain, index + 1. */
  link: words(layout.E_LINK),
  /** Address of the traits, if `traitsFlag` is set. */
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

/** Letters of the kinds in messages, indexed by kind. */
export const kindLetters = "xiufsbda";

/** Mask of the kind in the word `entry.kind`. */
export const kindMask = 0xff;

// Flags of an entry in the word `entry.kind`.
export const tagFlag = layout.ENTRY_TAG << 8;
/** The entry is deleted; its place stays. */
export const deadFlag = layout.ENTRY_DEAD << 8;
/** The entry is a string with the escapes `\"` and `\\` of the body. */
export const escapedFlag = layout.ENTRY_ESCAPED << 8;
/**
 * The value is in its source form: a binary in base64, an array as written. Without this flag a binary is its bytes, an
 * array its packed elements.
 */
export const sourceFlag = layout.ENTRY_SOURCE << 8;
/** The entry has a metric type, unit or description. */
export const traitsFlag = layout.ENTRY_TRAITS << 8;

/**
 * Size of an element of a packed array: a number, or address and length of a text or bytes. `entry.number` holds the
 * kind of all elements.
 */
export const elementBytes = 1 << layout.ELEMENT_SHIFT;

export const traits = {
  type: words(layout.T_TYPE),
  unit: words(layout.T_UNIT),
  unitLength: words(layout.T_UNIT_LENGTH),
  description: words(layout.T_DESCRIPTION),
  descriptionLength: words(layout.T_DESCRIPTION_LENGTH),
} as const;
export const traitsBytes = layout.TRAITS_SIZE;

/** Words of a list of warnings: their number, then these words for each. */
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
  /** Serial number of the last indexed point that has the key, and the index of its entry. */
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
  /** 64-bit number of the note. */
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
