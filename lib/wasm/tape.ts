// The layout of a batch in the module's memory as JavaScript reads it; assembly/tape/layout.ts says the same for AssemblyScript:
// change both together. Offsets of heads, points, entries and keys are in 32-bit words, sizes too.

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
  /** Where the chunk of the heap goes on, and where it ends. */
  heapAt: 16,
  heapEnd: 17,
  failures: 18,
  failureCount: 19,
  /** 1 when the body is ASCII, 2 when not, 0 when nobody has looked. */
  ascii: 22,
  attention: 21,
  /** List of warnings of points that the scan gave their required key, 0 while nobody asked for it. */
  warnings: 23,
  notes: 24,
  noteCount: 25,
  nextLine: 27,
  behind: 28,
  /** Lines that failed; the first 10,000 of them have a record. */
  failed: 29,
} as const;

export const pointWords = 12;
export const point = {
  first: 0,
  count: 1,
  name: 2,
  nameLength: 3,
  /** 64 bits. */
  time: 4,
  flags: 6,
  /** First and last entry of the overflow chain, index + 1. */
  more: 7,
  last: 8,
  line: 9,
  lineLength: 10,
  /** List of the point's own warnings, with `pointWarned`. */
  warnings: 11,
} as const;

/** The corrections went through the point; there may be notes of it. */
export const pointNoted = 1;
/** The scan appended the category's required key. */
export const pointRequired = 2;
/** The whole point is left to JavaScript: of JSON. */
export const pointAttention = 8;
/** The point has a list of warnings of its own. */
export const pointWarned = 4;
/** The line ends in the point's time, in nanoseconds. */
export const pointTimed = 16;
/** Bits for a number: while the line says what the point says but for entries that were added, the length of its measurement and tags; else 0. */
export const pointSeries = 0xffff0000;

export const entryWords = 8;
export const entry = {
  key: 0,
  /** Kind in bits 0 to 7, flags from bit 8. */
  kind: 1,
  text: 2,
  length: 3,
  /** 64 bits: int, uint, double or 0 and 1. */
  number: 4,
  /** Next entry of the overflow chain, index + 1. */
  link: 6,
  /** Address of the traits, with `traitsFlag`. */
  traits: 7,
} as const;

export const kinds = { nil: 0, int: 1, uint: 2, float: 3, string: 4, bool: 5, binary: 6, array: 7 } as const;

/** Letters of the kinds in messages, by kind. */
export const kindLetters = "xiufsbda";

/** The kind in the word `entry.kind`. */
export const kindMask = 0xff;

// Flags of an entry as they stand in the word `entry.kind`.
export const tagFlag = 1 << 8;
/** Deleted; the place stays. */
export const deadFlag = 2 << 8;
/** A string whose `\"` and `\\` still stand as in the body. */
export const escapedFlag = 4 << 8;
/** Binary as base64, array as written; without it a binary is its bytes, an array its packed elements. */
export const sourceFlag = 16 << 8;
/** The entry has metric type, unit or description. */
export const traitsFlag = 32 << 8;

/** An element of a packed array: its number, or address and length of its text or bytes. `entry.number` holds the kind of all. */
export const elementBytes = 8;

export const traits = { type: 0, unit: 1, unitLength: 2, description: 3, descriptionLength: 4 } as const;
export const traitsBytes = 20;

/** A list of warnings: their number, then these words for each. */
export const warning = { type: 0, typeLength: 1, message: 2, messageLength: 3 } as const;
export const warningWords = 4;

export const keyWords = 8;
export const key = {
  text: 0,
  length: 1,
  /** Serial number of the point that was indexed last and has the key, and index of its entry. */
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
  /** 64 bits. */
  number: 6,
} as const;

export const failureWords = 8;
export const failure = { reason: 0, line: 1, lineLength: 2, position: 3, first: 4, second: 5, stop: 6 } as const;

// Flags of `configure`.
export const settings = { strict: 1, dropsStrings: 2, replacesDots: 4, dropsUint: 8, requiredOfTags: 16 } as const;
