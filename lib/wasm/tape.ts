// The layout of a batch in the module's memory as JavaScript reads it. assembly/tape/layout.ts holds the same layout
// for AssemblyScript: change both together. Offsets of heads, points, entries and keys, and sizes, count 32-bit words.

export const head = {
  body: 0,
  length: 1,
  points: 3,
  pointCount: 4,
  entries: 6,
  entryCount: 7,
  entryPages: 8,
  keys: 9,
  keyCount: 10,
  /** Where the current chunk of the heap continues, and where it ends. */
  heapAt: 16,
  heapEnd: 17,
  failures: 18,
  failureCount: 19,
  /** 1 when the body is ASCII, 2 when it is not, 0 when it was not checked. */
  ascii: 22,
  attention: 21,
  /** List of warnings for points that got their required key from the scan; 0 until it is needed. */
  warnings: 23,
  notes: 24,
  noteCount: 25,
  nextLine: 27,
  behind: 28,
  /** Number of lines that failed; the first 10,000 of them have a record. */
  failed: 29,
} as const;

export const pointWords = 12;
export const point = {
  first: 0,
  count: 1,
  name: 2,
  nameLength: 3,
  /** Time of the point, 64 bits. */
  time: 4,
  flags: 6,
  /** First and last entry of the overflow chain, index + 1. */
  more: 7,
  last: 8,
  line: 9,
  lineLength: 10,
  /** List of the point's own warnings, if `pointWarned` is set. */
  warnings: 11,
} as const;

/** The corrections worked on the point; it may have notes. */
export const pointNoted = 1;
/** The scan appended the category's required key. */
export const pointRequired = 2;
/** JavaScript reads the whole point; for JSON only. */
export const pointAttention = 8;
/** The point has its own list of warnings. */
export const pointWarned = 4;
/** The line ends with the point's time, in nanoseconds. */
export const pointTimed = 16;
/**
 * Bits for a number: the length of the line's measurement and tags, while the line says exactly what the point says,
 * except for added entries; else 0.
 */
export const pointSeries = 0xffff0000;

export const entryWords = 8;
export const entry = {
  key: 0,
  /** Kind in bits 0 to 7, flags from bit 8 on. */
  kind: 1,
  text: 2,
  length: 3,
  /** 64 bits: an int, uint, double, or 0 and 1. */
  number: 4,
  /** Next entry of the overflow chain, index + 1. */
  link: 6,
  /** Address of the traits, if `traitsFlag` is set. */
  traits: 7,
} as const;

export const kinds = { nil: 0, int: 1, uint: 2, float: 3, string: 4, bool: 5, binary: 6, array: 7 } as const;

/** Letters of the kinds in messages, indexed by kind. */
export const kindLetters = "xiufsbda";

/** Mask of the kind in the word `entry.kind`. */
export const kindMask = 0xff;

// Flags of an entry in the word `entry.kind`.
export const tagFlag = 1 << 8;
/** The entry is deleted; its place stays. */
export const deadFlag = 2 << 8;
/** The entry is a string with the escapes `\"` and `\\` of the body. */
export const escapedFlag = 4 << 8;
/**
 * The value is in its source form: a binary in base64, an array as written. Without this flag a binary is its bytes, an
 * array its packed elements.
 */
export const sourceFlag = 16 << 8;
/** The entry has a metric type, unit or description. */
export const traitsFlag = 32 << 8;

/**
 * Size of an element of a packed array: a number, or address and length of a text or bytes. `entry.number` holds the
 * kind of all elements.
 */
export const elementBytes = 8;

export const traits = { type: 0, unit: 1, unitLength: 2, description: 3, descriptionLength: 4 } as const;
export const traitsBytes = 20;

/** Words of a list of warnings: their number, then these words for each. */
export const warning = { type: 0, typeLength: 1, message: 2, messageLength: 3 } as const;
export const warningWords = 4;

export const keyWords = 8;
export const key = {
  text: 0,
  length: 1,
  /** Serial number of the last indexed point that has the key, and the index of its entry. */
  line: 4,
  entry: 5,
} as const;

// Flags that `markKey` sets.
export const refusedKey = 4;
export const requiredKey = 8;

export const noteWords = 8;
export const note = {
  point: 0,
  code: 1,
  key: 2,
  text: 3,
  length: 4,
  /** 64-bit number of the note. */
  number: 6,
} as const;

export const failureWords = 8;
export const failure = { reason: 0, line: 1, lineLength: 2, position: 3, first: 4, second: 5, stop: 6 } as const;

// Flags of `configure`.
export const settings = { strict: 1, dropsStrings: 2, replacesDots: 4, dropsUint: 8, requiredOfTags: 16 } as const;
