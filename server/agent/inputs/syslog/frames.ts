// Finds the messages in a stream (RFC 6587): by octet counting, as in `83 <34>1 ...`, or ended by a line feed or NUL.
// A stream may change between both. Holds at most one message that has not ended.

export type Framing = "auto" | "octet-counting" | "newline";

export interface FrameOptions {
  readonly framing: Framing;
  /** Longest message in bytes. The rest of a longer one is dropped. */
  readonly mostBytes: number;
  /** Takes the message `[from, to)` of `bytes`, which are valid during the call. */
  take(bytes: Uint8Array, from: number, to: number, isCut: boolean): void;
  /** Asks whether `bytes` more may be held for an unfinished message. A negative number gives bytes back. */
  hold(bytes: number): boolean;
}

/** An error: the stream cannot be read on. */
export class FrameError extends Error {
  readonly reason: "framing" | "unfinished";

  constructor(reason: "framing" | "unfinished", message: string) {
    super(message);
    this.reason = reason;
  }
}

const [lineFeed, space, less] = [0x0a, 0x20, 0x3c];
/** Largest number of digits of a length. */
const mostDigits = 10;

export class FrameReader {
  private readonly options: FrameOptions;
  /** The start of a message that has not ended; a memory that is used again. */
  private kept = new Uint8Array(0);
  private keptLength = 0;
  /** Bytes of the message that are still to come, of one with a length; -1 for a message that ends with a line feed. */
  private missing = -1;
  /** Whether the rest of the message is dropped, up to its end. */
  private isDropping = false;

  constructor(options: FrameOptions) {
    this.options = options;
  }

  /** Whether the last message has not ended. */
  get isUnfinished(): boolean {
    return this.keptLength > 0 || this.missing > 0 || this.isDropping;
  }

  /** Takes the next bytes of the stream. Throws FrameError when it cannot be read on. */
  read(chunk: Uint8Array): void {
    let at = 0;
    while (at < chunk.length) {
      if (this.isDropping) at = this.drop(chunk, at);
      else if (this.missing >= 0) at = this.readCounted(chunk, at);
      else if (this.keptLength > 0) at = this.goOn(chunk, at);
      else at = this.begin(chunk, at);
    }
  }

  /** Takes what is there of a message that will not end any more, because the stream has ended. */
  end(): void {
    if (this.keptLength > 0 && (this.missing >= 0 || !this.mayBeLength(this.kept.subarray(0, this.keptLength))))
      this.options.take(this.kept, 0, this.keptLength, this.missing >= 0);
    this.discard();
  }

  /** Forgets an unfinished message. */
  discard(): void {
    this.release();
    this.missing = -1;
    this.isDropping = false;
  }

  /** Gives the memory of an unfinished message back. */
  private release(): void {
    if (this.keptLength > 0) this.options.hold(-this.keptLength);
    this.keptLength = 0;
    if (this.kept.length > 4096) this.kept = new Uint8Array(0);
  }

  private begin(chunk: Uint8Array, from: number): number {
    const { framing, mostBytes } = this.options;
    // Line feeds and NULs between messages belong to none.
    if (chunk[from] === lineFeed || chunk[from] === 0) return from + 1;
    if (framing !== "newline") {
      const header = lengthAt(chunk, from, framing === "auto");
      if (header === "unfinished") return this.keep(chunk, from, chunk.length);
      if (header !== undefined) return this.beginCounted(header);
      if (framing === "octet-counting") throw new FrameError("framing", "a message does not begin with its length");
    }
    const end = endOf(chunk, from);
    if (end - from > mostBytes) {
      this.options.take(chunk, from, from + mostBytes, true);
      if (end < chunk.length) return end + 1;
      this.isDropping = true;
      return chunk.length;
    }
    if (end === chunk.length) return this.keep(chunk, from, end);
    this.options.take(chunk, from, end, false);
    return end + 1;
  }

  private beginCounted({ length, end }: Length): number {
    this.missing = length;
    return end;
  }

  /** Goes on with a message that began in an earlier chunk, and has no length or one whose digits are not complete. */
  private goOn(chunk: Uint8Array, from: number): number {
    const { framing, mostBytes } = this.options;
    if (framing !== "newline" && this.mayBeLength(this.kept.subarray(0, this.keptLength))) {
      // The few bytes that were kept, and those that decide whether they are a length.
      const kept = this.keptLength;
      const head = new Uint8Array(Math.min(kept + mostDigits + 2, kept + chunk.length - from));
      head.set(this.kept.subarray(0, kept));
      head.set(chunk.subarray(from, from + head.length - kept), kept);
      const header = lengthAt(head, 0, framing === "auto");
      if (header === "unfinished") return this.keep(chunk, from, chunk.length);
      if (header !== undefined) {
        this.release();
        this.missing = header.length;
        return from + header.end - kept;
      }
      if (framing === "octet-counting") throw new FrameError("framing", "a message does not begin with its length");
    }
    const end = endOf(chunk, from);
    if (this.keptLength + end - from > mostBytes) {
      this.keep(chunk, from, from + mostBytes - this.keptLength);
      this.takeKept(true);
      if (end < chunk.length) return end + 1;
      this.isDropping = true;
      return chunk.length;
    }
    this.keep(chunk, from, end);
    if (end === chunk.length) return end;
    this.takeKept(false);
    return end + 1;
  }

  /** Reads a message whose length is known. */
  private readCounted(chunk: Uint8Array, from: number): number {
    const { mostBytes, take } = this.options;
    const end = Math.min(chunk.length, from + this.missing);
    const isWhole = end - from === this.missing;
    if (this.keptLength === 0 && isWhole && end - from <= mostBytes) {
      this.missing = -1;
      if (end > from) take(chunk, from, end, false);
      return end;
    }
    const room = mostBytes - this.keptLength;
    if (end - from > room) {
      this.keep(chunk, from, from + room);
      this.missing -= end - from;
      this.takeKept(true);
      if (this.missing === 0) this.missing = -1;
      else this.isDropping = true;
      return end;
    }
    this.keep(chunk, from, end);
    this.missing -= end - from;
    if (this.missing === 0) {
      this.missing = -1;
      this.takeKept(false);
    }
    return end;
  }

  private drop(chunk: Uint8Array, from: number): number {
    if (this.missing >= 0) {
      const end = Math.min(chunk.length, from + this.missing);
      this.missing -= end - from;
      if (this.missing === 0) {
        this.missing = -1;
        this.isDropping = false;
      }
      return end;
    }
    const end = endOf(chunk, from);
    if (end === chunk.length) return end;
    this.isDropping = false;
    return end + 1;
  }

  private keep(chunk: Uint8Array, from: number, to: number): number {
    if (to <= from) return to;
    if (!this.options.hold(to - from)) throw new FrameError("unfinished", "max_unfinished_bytes");
    const length = this.keptLength + to - from;
    if (length > this.kept.length) {
      const larger = new Uint8Array(Math.max(256, 2 * this.kept.length, length));
      larger.set(this.kept.subarray(0, this.keptLength));
      this.kept = larger;
    }
    this.kept.set(chunk.subarray(from, to), this.keptLength);
    this.keptLength = length;
    return to;
  }

  private takeKept(isCut: boolean): void {
    if (this.keptLength > 0) this.options.take(this.kept, 0, this.keptLength, isCut);
    this.release();
  }

  /** Returns whether bytes could be the start of a length, with the space after it. */
  private mayBeLength(bytes: Uint8Array): boolean {
    if (this.options.framing === "newline" || bytes.length > mostDigits + 1) return false;
    return bytes.every((byte, at) => (byte >= 0x30 && byte <= 0x39) || (byte === space && at === bytes.length - 1));
  }
}

interface Length {
  readonly length: number;
  /** Offset of the message. */
  readonly end: number;
}

/**
 * Reads the length of a message and the space after it. `needsPriority`: whether the message must begin with `<`, which
 * tells a length from a line that begins with a number. Returns undefined when there is none.
 */
function lengthAt(bytes: Uint8Array, from: number, needsPriority: boolean): Length | "unfinished" | undefined {
  let length = 0;
  let at = from;
  for (; at < bytes.length && at - from < mostDigits; at++) {
    const digit = bytes[at]! - 0x30;
    if (digit < 0 || digit > 9) break;
    length = 10 * length + digit;
  }
  if (at === from || bytes[from] === 0x30) return undefined;
  if (at === bytes.length) return "unfinished";
  if (bytes[at] !== space) return undefined;
  if (needsPriority) {
    if (at + 1 === bytes.length) return "unfinished";
    if (bytes[at + 1] !== less) return undefined;
  }
  return { length, end: at + 1 };
}

/** Returns the offset of the next line feed or NUL; the length of the chunk when there is none. */
function endOf(chunk: Uint8Array, from: number): number {
  const feed = chunk.indexOf(lineFeed, from);
  const zero = chunk.indexOf(0, from);
  if (feed < 0) return zero < 0 ? chunk.length : zero;
  return zero < 0 ? feed : Math.min(feed, zero);
}
