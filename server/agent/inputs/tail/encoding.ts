// The properties of a text encoding that are needed to split a file into lines: where a line ends, where text can be
// cut without splitting a character, and how bytes are converted to UTF-8.

export interface Encoding {
  /** Number of bytes of a line feed. The offset of each line in the file is a multiple of this number. */
  readonly width: 1 | 2;
  /** The byte order mark of the encoding. A file may begin with it. It does not belong to any line. */
  readonly byteOrderMark: readonly number[];
  /** Returns the offset of the first line feed in `[from, to)`; -1 when there is none. */
  lineFeed(bytes: Uint8Array, from: number, to: number): number;
  /** Returns whether the bytes from `from` to `end` end with a carriage return. */
  endsWithReturn(bytes: Uint8Array, from: number, end: number): boolean;
  /** Returns the largest offset, at most `end`, at which the text can be cut without splitting a character. */
  cutAt(bytes: Uint8Array, from: number, end: number): number;
  /** Converts text to UTF-8. When the encoding of the file is UTF-8, returns the bytes unchanged, even invalid ones. */
  utf8(bytes: Uint8Array): Uint8Array;
}

const lineFeed = 0x0a;
const carriageReturn = 0x0d;

/**
 * The functions for UTF-8 and GBK. In both encodings the byte of a line feed never occurs inside a longer character.
 */
const byteLines = {
  width: 1,
  lineFeed: (bytes: Uint8Array, from: number, to: number) => {
    const at = bytes.indexOf(lineFeed, from);
    return at < to ? at : -1;
  },
  endsWithReturn: (bytes: Uint8Array, from: number, end: number) => end > from && bytes[end - 1] === carriageReturn,
} as const;

const utf8: Encoding = {
  ...byteLines,
  byteOrderMark: [0xef, 0xbb, 0xbf],
  cutAt: (bytes, from, end) => {
    let at = end;
    while (at > from && end - at < 3 && (bytes[at]! & 0xc0) === 0x80) at--;
    return (bytes[at]! & 0xc0) === 0x80 ? end : at;
  },
  utf8: (bytes) => bytes,
};

/**
 * In GBK a byte of 0x81 or more begins a character of two bytes. So an offset lies between two characters when the
 * number of such bytes directly before it is even.
 */
const gbk: Encoding = {
  ...byteLines,
  byteOrderMark: [],
  cutAt: (bytes, from, end) => {
    let first = end;
    while (first > from && bytes[first - 1]! >= 0x81) first--;
    return (end - first) % 2 === 0 ? end : end - 1;
  },
  utf8: converter("gbk"),
};

function utf16(name: "utf-16le" | "utf-16be", high: 0 | 1): Encoding {
  const low = 1 - high;
  const isUnit = (bytes: Uint8Array, at: number, unit: number) => bytes[at + low] === unit && bytes[at + high] === 0;
  const isHighSurrogate = (bytes: Uint8Array, at: number) => (bytes[at + high]! & 0xfc) === 0xd8;
  return {
    width: 2,
    byteOrderMark: high === 1 ? [0xff, 0xfe] : [0xfe, 0xff],
    lineFeed: (bytes, from, to) => {
      for (let at = bytes.indexOf(lineFeed, from); at >= 0 && at < to; at = bytes.indexOf(lineFeed, at + 1)) {
        const unit = at - ((at - from) % 2);
        if (unit + 2 <= to && isUnit(bytes, unit, lineFeed)) return unit;
      }
      return -1;
    },
    endsWithReturn: (bytes, from, end) => end - 2 >= from && isUnit(bytes, end - 2, carriageReturn),
    cutAt: (bytes, from, end) => {
      const at = end - ((end - from) % 2);
      return at - 2 >= from && isHighSurrogate(bytes, at - 2) ? at - 2 : at;
    },
    utf8: converter(name),
  };
}

function converter(name: string): (bytes: Uint8Array) => Uint8Array {
  const decoder = new TextDecoder(name, { ignoreBOM: true });
  const encoder = new TextEncoder();
  return (bytes) => encoder.encode(decoder.decode(bytes));
}

const encodings: Readonly<Record<string, () => Encoding>> = {
  "utf-8": () => utf8,
  gbk: () => gbk,
  "utf-16le": () => utf16("utf-16le", 1),
  "utf-16be": () => utf16("utf-16be", 0),
};

/** Returns the encoding with the given name, which must be a value that the setting `encoding` allows. */
export function encodingOf(name: string): Encoding {
  return encodings[name]!();
}
