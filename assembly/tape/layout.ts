// The layout of a batch (a decoded body) in memory, byte by byte. The build generates lib/wasm/layout.ts from
// this file, so that JavaScript has the same numbers.
//
// A batch lies in consecutive pages. They contain the head, whose layout follows, then the body, then a padding
// of 64 newlines. Because of the padding, a search with 16-byte loads may run past the end and always finds a
// newline. Points, entries (tags and fields of points), keys, hash slots, failures and heap chunks are in other
// pages.

// The members of a batch's head, as offsets in bytes; each member is a 32-bit number.
export const B_BODY: usize = 0;
export const B_LENGTH: usize = 4;
export const B_PAGES: usize = 8;
export const B_POINTS: usize = 12;
export const B_POINT_COUNT: usize = 16;
export const B_POINT_PAGES: usize = 20;
export const B_ENTRIES: usize = 24;
export const B_ENTRY_COUNT: usize = 28;
export const B_ENTRY_PAGES: usize = 32;
export const B_KEYS: usize = 36;
export const B_KEY_COUNT: usize = 40;
export const B_KEY_PAGES: usize = 44;
export const B_SLOTS: usize = 48;
export const B_SLOT_MASK: usize = 52;
export const B_SLOT_PAGES: usize = 56;
/**
 * Address of the newest heap chunk (consecutive pages of the heap). A chunk begins with two numbers: the address
 * of the previous chunk, and the number of pages of this chunk.
 */
export const B_HEAP: usize = 60;
export const B_HEAP_AT: usize = 64;
export const B_HEAP_END: usize = 68;
export const B_FAILURES: usize = 72;
export const B_FAILURE_COUNT: usize = 76;
export const B_FAILURE_PAGES: usize = 80;
/**
 * Whether the body is ASCII: 1 when it is known to have no byte above 0x7F; 2 when it has one, or when it is a protobuf
 * body, which is never checked; 0 when it was not checked yet.
 */
export const B_ASCII: usize = 88;
/** Number of points with the flag POINT_ATTENTION (only JavaScript can read the point). */
export const B_ATTENTION: usize = 84;
/**
 * Address of one list of warnings for all points with the flag POINT_REQUIRED, which says that the decoder added a
 * required key to the point. 0 until the list is needed.
 */
export const B_WARNINGS: usize = 92;
/** Address of the notes, the records of corrections (see assembly/correct/notes.ts), in the order of the points. */
export const B_NOTES: usize = 96;
export const B_NOTE_COUNT: usize = 100;
export const B_NOTE_PAGES: usize = 104;
/**
 * Where the decoding of the body continues: the address of the next line (B_NEXT_LINE), and the address after the last
 * line that was neither blank nor a comment (B_BEHIND).
 */
export const B_NEXT_LINE: usize = 108;
export const B_BEHIND: usize = 112;
/** Number of lines that could not be parsed; the first MAX_FAILURES of them have a failure record. */
export const B_FAILED: usize = 116;
/**
 * Number of keys, counted from the start of the key table, that have a rank (their place in sorted order, K_RANK); 0
 * until ranks are needed.
 */
export const B_RANKED: usize = 120;
/**
 * Measure of the time that was lost by sorting without ranks (places of the keys in sorted order) since the
 * ranks were last computed. The unit is a key: the number says how many keys could have been ranked in the lost
 * time.
 */
export const B_UNRANKED: usize = 124;
export const B_HEAD: usize = 128;
export const PADDING: usize = 64;

// The header of a point, 48 bytes: the offsets of its members.
export const POINT_SIZE: usize = 48;
export const P_FIRST: usize = 0;
export const P_COUNT: usize = 4;
export const P_NAME: usize = 8;
export const P_NAME_LENGTH: usize = 12;
export const P_TIME: usize = 16;
export const P_FLAGS: usize = 24;
/**
 * First and last entry of the overflow chain (linked list of entries that were added later). Each is the index
 * of the entry plus 1; 0 means that there is none.
 */
export const P_MORE: usize = 28;
export const P_LAST: usize = 32;
export const P_LINE: usize = 36;
export const P_LINE_LENGTH: usize = 40;
/** Address of the point's own list of warnings. Valid only with the flag POINT_WARNED. */
export const P_WARNINGS: usize = 44;

/** Flag: the point was corrected, so the batch may have notes (records of corrections) about it. */
export const POINT_NOTED: u32 = 1;
/**
 * Flag: the decoder added to the point the key that the point's category requires, such as `status` for the category
 * `logging`.
 */
export const POINT_REQUIRED: u32 = 2;
/**
 * Flag: the point has its own list of warnings. Without this flag, a point with the flag POINT_REQUIRED has the list
 * that the batch's member B_WARNINGS points to.
 */
export const POINT_WARNED: u32 = 4;
/** Flag, for JSON only: JavaScript has to read the whole point from the body. */
export const POINT_ATTENTION: u32 = 8;
/** Flag: the point's line ends with the point's time in nanoseconds. */
export const POINT_TIMED: u32 = 16;
/**
 * Bits of a point's flags that contain the length in bytes of the measurement and tags in the point's source
 * line. The length becomes 0 when the point is changed in any other way than by adding entries, because the line
 * then no longer has the content of the point.
 */
export const POINT_SERIES: u32 = 4294901760;
export const SERIES_SHIFT: u32 = 16;

// An entry (a tag or field of a point), 32 bytes: the offsets of its members.
export const ENTRY_SIZE: usize = 32;
export const ENTRY_SHIFT: usize = 5;
export const E_KEY: usize = 0;
export const E_KIND: usize = 4;
export const E_FLAGS: usize = 5;
export const E_TEXT: usize = 8;
export const E_LENGTH: usize = 12;
export const E_NUMBER: usize = 16;
/**
 * Next entry of the overflow chain (linked list of entries that were added later), as the index of the entry
 * plus 1; 0 means that there is none.
 */
export const E_LINK: usize = 24;
/** Address of the entry's traits (metric type, unit, description). Valid only with the flag ENTRY_TRAITS. */
export const E_TRAITS: usize = 28;

export const KIND_NIL: u32 = 0;
export const KIND_INT: u32 = 1;
export const KIND_UINT: u32 = 2;
export const KIND_FLOAT: u32 = 3;
export const KIND_STRING: u32 = 4;
export const KIND_BOOL: u32 = 5;
export const KIND_BINARY: u32 = 6;
export const KIND_ARRAY: u32 = 7;

export const ENTRY_TAG: u32 = 1;
/** Flag: the entry is deleted. It keeps its place in memory, so that the other entries do not move. */
export const ENTRY_DEAD: u32 = 2;
/** Flag: the entry is a string that still has the escapes `\"` and `\\` of the body. */
export const ENTRY_ESCAPED: u32 = 4;
/**
 * Flag of a binary or an array that is not unpacked yet: E_TEXT is the address of its source text in the body (base64,
 * or the array as written). Without this flag, E_TEXT is the address of the bytes or of the packed elements.
 */
export const ENTRY_SOURCE: u32 = 16;
/** Flag: the entry has a metric type, unit or description, in the record at E_TRAITS. */
export const ENTRY_TRAITS: u32 = 32;
/** Flag of a deleted entry: a later tag with the same key has replaced it. */
export const ENTRY_DUPLICATE: u32 = 64;
/** Flag: the entry is a number whose text at E_TEXT is exactly what the encoder would write. */
export const ENTRY_CANONICAL: u32 = 128;

// The record of a key, 64 bytes. A batch has one for each distinct key.
export const KEY_SIZE: usize = 64;
export const KEY_SHIFT: usize = 6;
export const K_TEXT: usize = 0;
export const K_LENGTH: usize = 4;
export const K_HASH: usize = 8;
export const K_FLAGS: usize = 12;
/**
 * Serial number of the last line that had this key (K_LINE), and the index of the key's entry in that line (K_ENTRY).
 */
export const K_LINE: usize = 16;
export const K_ENTRY: usize = 20;
/** Id + 1 of the key that results when `_` replaces each `.` of this key; 0 until this id is needed. */
export const K_DOTLESS: usize = 24;
/**
 * Place of the key among the batch's keys when they are sorted by bytes (assembly/tape/order/key-ranks.ts computes
 * it).
 */
export const K_RANK: usize = 28;
/**
 * The first 16 bytes of the key's text, followed by `=` and zeros when the key is shorter, so that one comparison of 16
 * bytes finds the key in a line.
 */
export const K_HEAD: usize = 32;
/**
 * A bit mask for comparing K_HEAD with 16 bytes of a line. Bit i is set when byte i may differ, because it lies
 * after the `=`. Bits 16 to 31 are always set. The mask is 0 when the key has 16 bytes or more.
 */
export const K_IDLE: usize = 48;
/**
 * Reference to the key that came after this key in an earlier line: the offset of that key's record in the key
 * table, plus KEY_SIZE; 0 when there is none. Only a key without bytes that need an escape in line protocol is
 * stored here.
 */
export const K_NEXT: usize = 52;

export const KEY_DOT: u32 = 1;
/** Flag: the key has a newline or ends in a backslash. */
export const KEY_DIRTY: u32 = 2;
export const KEY_REFUSED: u32 = 4;
export const KEY_REQUIRED: u32 = 8;
export const KEY_LONG_TAG: u32 = 16;
export const KEY_LONG_FIELD: u32 = 32;
/**
 * Two flags. KEY_SEEN: an encoder has checked whether every output format can write the key unchanged.
 * KEY_PLAIN: the result of this check was yes.
 */
export const KEY_SEEN: u32 = 64;
export const KEY_PLAIN: u32 = 128;
/** Flag: the key has a quote, which some decoders accept in a field key only with an escape. */
export const KEY_QUOTE: u32 = 256;

// A packed array lies on the heap. The entry of the array has the array's address in E_TEXT, the number of elements in
// E_LENGTH, and their type in E_NUMBER (u32). An element takes 8 bytes: a number, or the address and length of a string
// or of bytes.
export const ELEMENT_SHIFT: usize = 3;

// The traits of an entry (metric type, unit, description) on the heap, 20 bytes.
export const T_TYPE: usize = 0;
export const T_UNIT: usize = 4;
export const T_UNIT_LENGTH: usize = 8;
export const T_DESCRIPTION: usize = 12;
export const T_DESCRIPTION_LENGTH: usize = 16;
export const TRAITS_SIZE: u32 = 20;

// A list of warnings on the heap: the number of warnings (u32), then 16 bytes for each warning.
export const W_TYPE: usize = 0;
export const W_TYPE_LENGTH: usize = 4;
export const W_MESSAGE: usize = 8;
export const W_MESSAGE_LENGTH: usize = 12;
export const WARNING_SIZE: usize = 16;

// A note (the record of one correction), 32 bytes: the offsets of its members.
export const NOTE_SIZE: usize = 32;
export const N_POINT: usize = 0;
export const N_CODE: usize = 4;
export const N_KEY: usize = 8;
export const N_TEXT: usize = 12;
export const N_LENGTH: usize = 16;
/** A 64-bit number that describes the correction: a length, a count or a value. */
export const N_NUMBER: usize = 24;

// A failure record, 32 bytes. It describes a line that cannot be parsed.
export const FAILURE_SIZE: usize = 32;
/** Largest number of failure records of a batch. It limits the memory that a body with very many errors can take. */
export const MAX_FAILURES: u32 = 10000;
export const F_REASON: usize = 0;
export const F_LINE: usize = 4;
export const F_LINE_LENGTH: usize = 8;
/** The position that an error message about a line that cannot be parsed shows after `pos:`. */
export const F_POSITION: usize = 12;
export const F_FIRST: usize = 16;
export const F_SECOND: usize = 20;
/** Address, in the body, of the byte at which the parser stopped in a line that it cannot parse. */
export const F_STOP: usize = 24;
