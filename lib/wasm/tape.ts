// The layout of a batch in WebAssembly memory, as JavaScript reads it. A batch is a "tape": arrays of points and of
// their entries (tags and fields). The sizes of heads, points, entries and keys, and the offsets of their members, are
// counted in 32-bit words. The numbers come from assembly/tape/layout.ts, from which the build makes layout.ts beside
// this file.

import * as layout from "./layout.ts";

/** Converts an offset in bytes to an offset in 32-bit words. */
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
  /** Two addresses: where the unused part of the batch's newest heap chunk starts, and where it ends. */
  heapAt: words(layout.B_HEAP_AT),
  heapEnd: words(layout.B_HEAP_END),
  failures: words(layout.B_FAILURES),
  failureCount: words(layout.B_FAILURE_COUNT),
  /** Whether the body is ASCII: 1 when it is, 2 when it is not, 0 when it was not checked. */
  ascii: words(layout.B_ASCII),
  attention: words(layout.B_ATTENTION),
  /**
   * Address of one list of warnings that many points share: all points to which the decoder added a key because
   * their category requires it (such as `status` for the category `logging`). The address is 0 until JavaScript
   * has written this list.
   */
  warnings: words(layout.B_WARNINGS),
  notes: words(layout.B_NOTES),
  noteCount: words(layout.B_NOTE_COUNT),
  nextLine: words(layout.B_NEXT_LINE),
  behind: words(layout.B_BEHIND),
  /** Number of lines that could not be decoded. Only the first 10,000 of them have a failure record. */
  failed: words(layout.B_FAILED),
} as const;

export const pointWords = words(layout.POINT_SIZE);
export const point = {
  first: words(layout.P_FIRST),
  count: words(layout.P_COUNT),
  name: words(layout.P_NAME),
  nameLength: words(layout.P_NAME_LENGTH),
  /** Time of the point in nanoseconds, a 64-bit number. */
  time: words(layout.P_TIME),
  flags: words(layout.P_FLAGS),
  /** First and last entry of the point's overflow chain (entries that were added later), each as index + 1. */
  more: words(layout.P_MORE),
  last: words(layout.P_LAST),
  line: words(layout.P_LINE),
  lineLength: words(layout.P_LINE_LENGTH),
  /** Address of the point's own list of warnings; valid only when the flag `pointWarned` is set. */
  warnings: words(layout.P_WARNINGS),
} as const;

/** Flag: the point was corrected, and the batch may have notes (records of corrections) about it. */
export const pointNoted = layout.POINT_NOTED;
/**
 * Flag: the decoder added to the point the key that the point's category requires, such as `status` for the category
 * `logging`.
 */
export const pointRequired = layout.POINT_REQUIRED;
/** Flag, for JSON only: JavaScript must decode the whole point from the body. */
export const pointAttention = layout.POINT_ATTENTION;
/** Flag: the point has its own list of warnings. */
export const pointWarned = layout.POINT_WARNED;
/** Flag: the point's line of the body ends with the time of the point, in nanoseconds. */
export const pointTimed = layout.POINT_TIMED;
/**
 * Mask of the bits, in the flags of a point, that hold the length of the measurement and tags in the point's line of
 * the body. The length is 0 when the point was changed in any other way than by adding entries, because the line then
 * no longer has the content of the point.
 */
export const pointSeries = layout.POINT_SERIES;

export const entryWords = words(layout.ENTRY_SIZE);
export const entry = {
  key: words(layout.E_KEY),
  /** A word with the type of the value in bits 0 to 7 and the flags of the entry from bit 8 on. */
  kind: words(layout.E_KIND),
  text: words(layout.E_TEXT),
  length: words(layout.E_LENGTH),
  /** The value of the entry in 64 bits: an int, a uint, a double, or 0 and 1 for a bool. */
  number: words(layout.E_NUMBER),
  /** Next entry of the point's overflow chain (entries that were added later), as index + 1. */
  link: words(layout.E_LINK),
  /** Address of the entry's traits (metric type, unit, description); valid only when `traitsFlag` is set. */
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

/** The letter that error messages show for each value type, indexed by the number of the type. */
export const kindLetters = "xiufsbda";

/** Mask of the bits of the word `entry.kind` that hold the type of the value. */
export const kindMask = 0xff;

// Flags of an entry, in the bits of the word `entry.kind` from bit 8 on.
export const tagFlag = layout.ENTRY_TAG << 8;
/** Flag: the entry is deleted, but keeps its position in the array of entries. */
export const deadFlag = layout.ENTRY_DEAD << 8;
/** Flag: the entry is a string that still contains the escapes `\"` and `\\` of the body. */
export const escapedFlag = layout.ENTRY_ESCAPED << 8;
/**
 * Flag: the value is stored as in the body: a binary in base64, an array as its source text. Without this flag a binary
 * is stored as its bytes, and an array as packed elements.
 */
export const sourceFlag = layout.ENTRY_SOURCE << 8;
/** Flag: the entry has a metric type, a unit or a description. */
export const traitsFlag = layout.ENTRY_TRAITS << 8;

/**
 * Size in bytes of one element of a packed array. An element is a number, or the address and the length of a string or
 * of bytes. `entry.number` holds the type of all elements.
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

/** Layout of one warning in a list of warnings, in 32-bit words. The list begins with the number of its warnings. */
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
  /**
   * These two members belong to an index of a point's entries (tags and fields). When such an index is made, it
   * gets a serial number. The record of each key of the point then stores this number in `line`, and the index of
   * the entry with the key in `entry`.
   */
  line: words(layout.K_LINE),
  entry: words(layout.K_ENTRY),
} as const;

// Flags that the export `markKey` sets on a key.
export const refusedKey = layout.KEY_REFUSED;
export const requiredKey = layout.KEY_REQUIRED;

export const noteWords = words(layout.NOTE_SIZE);
export const note = {
  point: words(layout.N_POINT),
  code: words(layout.N_CODE),
  key: words(layout.N_KEY),
  text: words(layout.N_TEXT),
  length: words(layout.N_LENGTH),
  /**
   * A 64-bit number that describes the correction; the code of the note (record of the correction) decides its meaning.
   */
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

// Flags that are passed to the WebAssembly export `configure`. They set how bodies are scanned and points corrected.
export const settings = { strict: 1, dropsStrings: 2, replacesDots: 4, dropsUint: 8, requiredOfTags: 16 } as const;
