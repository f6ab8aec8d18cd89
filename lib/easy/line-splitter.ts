// Splits chunks of text into lines. Keeps the chunk that was added last, and the beginning of a line that is not
// complete yet.

/**
 * Size in bytes beyond which the buffer for the beginning of a line is not reused: a larger buffer is freed at
 * the end of the line.
 */
const mostHeld = 65536;

/** Splits UTF-8 text into lines, which end with `\n` or `\r\n`. */
export class LineSplitter {
  private readonly maxBytes: number;
  private readonly cuts: boolean;
  private readonly decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  private readonly encoder = new TextEncoder();
  private chunk: Uint8Array = new Uint8Array(0);
  private at = 0;
  /**
   * Buffer for the part of the current line that came in earlier chunks. The first `heldBytes` bytes of the buffer are
   * in use.
   */
  private held: Uint8Array = new Uint8Array(0);
  private heldBytes = 0;
  /** Whether the current line is longer than `maxBytes`, so that its remaining bytes are dropped. */
  private isCut = false;
  private lineNumber = 1;

  /**
   * `maxBytes` is the largest length of a line. When `cuts` is true, a longer line is cut to this length; otherwise a
   * longer line causes a RangeError.
   */
  constructor(maxBytes: number, cuts: boolean) {
    this.maxBytes = maxBytes;
    this.cuts = cuts;
  }

  /** Adds a chunk. Must be called only after `next` has returned all lines of the previous chunk. */
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
   * Returns the next complete line; undefined when the chunk has no more. When `isLast` is true, text at the end
   * without a newline counts as a line, too.
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

  /** Copies the beginning of a line to the buffer, because the caller may overwrite the memory of the chunk. */
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

  /**
   * Returns the beginning of `part`, cut so that the current line does not become too long. The line may exceed the
   * limit by one byte, because its last byte may be a `\r`, which is not part of the text.
   */
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

/** Returns the index of the first byte of the character that contains byte `at`, so that no character is cut in two. */
function characterStart(bytes: Uint8Array, at: number): number {
  let start = at;
  while (start > 0 && at - start < 3 && (bytes[start]! & 0xc0) === 0x80) start--;
  return start;
}
