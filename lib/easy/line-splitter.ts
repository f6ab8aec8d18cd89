// Splits chunks of text into lines. Holds the chunk that was added last and the begin of a line that is not complete.

/** A longer memory for the begin of a line is given back after the line. */
const mostHeld = 65536;

/** Splits text into lines, which end with `\n` or `\r\n`. Lines are decoded as UTF-8. */
export class LineSplitter {
  private readonly maxBytes: number;
  private readonly cuts: boolean;
  private readonly decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  private readonly encoder = new TextEncoder();
  private chunk: Uint8Array = new Uint8Array(0);
  private at = 0;
  /** The begin of the current line, from earlier chunks: the first `heldBytes` bytes. */
  private held: Uint8Array = new Uint8Array(0);
  private heldBytes = 0;
  /** Whether the current line was longer than the limit, so that its other bytes are left out. */
  private isCut = false;
  private lineNumber = 1;

  /** `maxBytes` is the largest length of a line. A longer line is cut with `cuts`, and else throws a RangeError. */
  constructor(maxBytes: number, cuts: boolean) {
    this.maxBytes = maxBytes;
    this.cuts = cuts;
  }

  /** Adds a chunk, after the lines of the last one were taken. */
  add(chunk: string | Uint8Array): void {
    this.chunk = typeof chunk === "string" ? this.encoder.encode(chunk) : chunk;
    this.at = 0;
  }

  clear(): void {
    this.chunk = new Uint8Array(0);
    this.at = 0;
    this.held = new Uint8Array(0);
    this.heldBytes = 0;
  }

  /**
   * Returns the next complete line; undefined when the chunk holds no other one. With `isLast` the rest of the text is a
   * line, too.
   */
  next(isLast: boolean): string | undefined {
    const { chunk, at } = this;
    const newline = chunk.indexOf(0x0a, at);
    if (newline >= 0) {
      this.at = newline + 1;
      return this.line(chunk.subarray(at, newline));
    }
    this.at = chunk.length;
    this.keep(chunk.subarray(at));
    this.chunk = chunk.subarray(chunk.length);
    this.at = 0;
    if (isLast && this.heldBytes > 0) return this.line(new Uint8Array(0));
    return undefined;
  }

  /** Keeps a copy of the begin of a line, because the writer of the chunk may use its memory again. */
  private keep(part: Uint8Array): void {
    const kept = this.bounded(part);
    const needed = this.heldBytes + kept.length;
    if (needed > this.held.length) {
      const larger = new Uint8Array(Math.max(needed, Math.min(this.held.length * 2, this.maxBytes + 1)));
      larger.set(this.held.subarray(0, this.heldBytes));
      this.held = larger;
    }
    this.held.set(kept, this.heldBytes);
    this.heldBytes = needed;
  }

  /** Returns the part of the current line that is within the limit. One byte more is allowed for a `\r` at the end. */
  private bounded(part: Uint8Array): Uint8Array {
    const room = this.maxBytes + 1 - this.heldBytes;
    if (part.length <= room) return part;
    if (!this.cuts) throw this.tooLong();
    this.isCut = true;
    return part.subarray(0, room);
  }

  private tooLong(): RangeError {
    return new RangeError(`lines: line ${this.lineNumber} is longer than maxLineBytes, ${this.maxBytes} bytes`);
  }

  private line(end: Uint8Array): string {
    let bytes = this.bounded(end);
    if (this.heldBytes > 0) {
      this.keep(bytes);
      bytes = this.held.subarray(0, this.heldBytes);
      this.heldBytes = 0;
    }
    if (!this.isCut && bytes[bytes.length - 1] === 0x0d) bytes = bytes.subarray(0, bytes.length - 1);
    if (bytes.length > this.maxBytes && !this.cuts) throw this.tooLong();
    const length = bytes.length > this.maxBytes ? characterStart(bytes, this.maxBytes) : bytes.length;
    this.isCut = false;
    this.lineNumber++;
    const text = this.decoder.decode(bytes.subarray(0, length));
    if (this.held.length > mostHeld) this.held = new Uint8Array(0);
    return text;
  }
}

/** Returns the start of the character that holds the byte at `at`, so that no character is cut in two. */
function characterStart(bytes: Uint8Array, at: number): number {
  let start = at;
  while (start > 0 && at - start < 3 && (bytes[start]! & 0xc0) === 0x80) start--;
  return start;
}
