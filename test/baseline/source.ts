// The body that a decoder in plain JavaScript reads. It has a fast method that returns parts of the body as
// strings.

const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

export const byteOf = {
  nul: 0x00,
  tab: 0x09,
  newline: 0x0a,
  carriageReturn: 0x0d,
  space: 0x20,
  quote: 0x22,
  hash: 0x23,
  plus: 0x2b,
  comma: 0x2c,
  minus: 0x2d,
  dot: 0x2e,
  zero: 0x30,
  nine: 0x39,
  equals: 0x3d,
  opening: 0x5b,
  backslash: 0x5c,
  closing: 0x5d,
} as const;

export function isWhitespace(byte: number): boolean {
  return byte === byteOf.space || byte === byteOf.tab || byte === byteOf.nul;
}

/** The bytes that can be escaped with a backslash. Before any other byte, a backslash is an ordinary character. */
export type EscapeSet = readonly number[];

const { comma, space, equals, quote, backslash } = byteOf;

export const escapesOf = {
  measurement: [comma, space, equals, quote],
  tag: [comma, space, equals],
  fieldKey: [comma, space, equals, quote],
  string: [quote, backslash],
} as const satisfies Record<string, EscapeSet>;

export class Source {
  readonly bytes: Uint8Array;
  /**
   * The whole body as a string; null when it has bytes outside ASCII. With this string, parts of the body are slices of
   * the string and need no decoding.
   */
  private readonly ascii: string | null;

  constructor(bytes: Uint8Array) {
    this.bytes = bytes;
    const text = decoder.decode(bytes);
    // Equal lengths of string and bytes alone do not prove ASCII, because an invalid byte becomes U+FFFD, which is also
    // one UTF-16 unit.
    this.ascii = text.length === bytes.length && isAscii(bytes) ? text : null;
  }

  text(from: number, to: number): string {
    return this.ascii === null ? decoder.decode(this.bytes.subarray(from, to)) : this.ascii.slice(from, to);
  }

  /**
   * Returns the bytes from `from` to `to` as a string. Removes each backslash that escapes a byte of `set`; the escapes
   * are read from left to right.
   */
  unescaped(from: number, to: number, set: EscapeSet): string {
    const { bytes } = this;
    // This loop searches for a backslash only up to `to`. In a body without a backslash, `indexOf` would search to
    // the end of the body for every string.
    let first = from;
    while (first < to && bytes[first] !== backslash) first++;
    if (first === to) return this.text(from, to);
    const kept = new Uint8Array(to - from);
    let length = 0;
    for (let i = from; i < to; i++) {
      if (bytes[i] === backslash && i + 1 < to && set.includes(bytes[i + 1]!)) i++;
      kept[length++] = bytes[i]!;
    }
    return decoder.decode(kept.subarray(0, length));
  }
}

function isAscii(bytes: Uint8Array): boolean {
  for (let i = 0; i < bytes.length; i++) if (bytes[i]! >= 0x80) return false;
  return true;
}
