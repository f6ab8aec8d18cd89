// Splits a stream into syslog messages (RFC 6587). A message either begins with its length (octet counting), as in `83
// <34>1 ...`, or ends with a line feed or NUL. A stream may mix both kinds. At most one unfinished message is in
// memory.

export type Framing = "auto" | "octet-counting" | "newline";

export interface FrameOptions {
  readonly framing: Framing;
  /** Largest length of a message in bytes. A longer message is cut. */
  readonly mostBytes: number;
  /** Called with each message: the range `[from, to)` of `bytes`, which are valid only during the call. */
  take(bytes: Uint8Array, from: number, to: number, isCut: boolean): void;
  /**
   * Reserves memory for `bytes` more bytes of an unfinished message; a negative number releases memory. Returns false
   * when the limit on the memory for unfinished messages is reached.
   */
  hold(bytes: number): boolean;
}

/** Thrown when no further message can be read from the stream. */
export class FrameError extends Error {
  readonly reason: "framing" | "unfinished";

  constructor(reason: "framing" | "unfinished", message: string) {
    super(message);
    this.reason = reason;
  }
}

const [lineFeed, space, less] = [0x0a, 0x20, 0x3c];
/** Largest number of digits that the length before a syslog message may have. */
const mostDigits = 10;

export class FrameReader {
  private readonly options: FrameOptions;
  /** The bytes of an unfinished message that have arrived so far. The next unfinished message reuses this memory. */
  private kept = new Uint8Array(0);
  private keptLength = 0;
  /**
   * Number of bytes that are still missing from a message with a declared length; -1 for a message that ends with a
   * line feed.
   */
  private missing = -1;
  /** Whether the syslog message is too long, so that its remaining bytes are dropped. */
  private isDropping = false;

  constructor(options: FrameOptions) {
    this.options = options;
  }

  /** Whether the syslog message that was received last is unfinished. */
  get isUnfinished(): boolean {
    return this.keptLength > 0 || this.missing > 0 || this.isDropping;
  }

  /** Reads the next bytes of the stream. Throws FrameError when no further message can be read. */
  read(chunk: Uint8Array): void {
    let at = 0;
    while (at < chunk.length) {
      if (this.isDropping) at = this.drop(chunk, at);
      else if (this.missing >= 0) at = this.readCounted(chunk, at);
      else if (this.keptLength > 0) at = this.goOn(chunk, at);
      else at = this.begin(chunk, at);
    }
  }

  /** Passes on the received part of an unfinished message. To be called when the stream has ended. */
  end(): void {
    if (this.keptLength > 0 && (this.missing >= 0 || !this.mayBeLength(this.kept.subarray(0, this.keptLength))))
      this.options.take(this.kept, 0, this.keptLength, this.missing >= 0);
    this.discard();
  }

  /** Drops the unfinished syslog message, if there is one. */
  discard(): void {
    this.release();
    this.missing = -1;
    this.isDropping = false;
  }

  /** Releases the memory that is reserved for an unfinished syslog message. */
  private release(): void {
    if (this.keptLength > 0) this.options.hold(-this.keptLength);
    this.keptLength = 0;
    if (this.kept.length > 4096) this.kept = new Uint8Array(0);
  }

  private begin(chunk: Uint8Array, from: number): number {
    const { framing, mostBytes } = this.options;
    // Line feeds and NULs between syslog messages are skipped.
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

  /**
   * Continues an unfinished message that began in an earlier chunk. Either the message has no declared length, or some
   * digits of its length have not arrived yet.
   */
  private goOn(chunk: Uint8Array, from: number): number {
    const { framing, mostBytes } = this.options;
    if (framing !== "newline" && this.mayBeLength(this.kept.subarray(0, this.keptLength))) {
      // `head`: the bytes that are kept from earlier chunks, and the next few bytes of this chunk. They show whether
      // the message begins with its length.
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

  /** Reads a syslog message that begins with its length. */
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

  /** Returns whether the bytes could be the start of a length: digits, possibly with the space that follows them. */
  private mayBeLength(bytes: Uint8Array): boolean {
    if (this.options.framing === "newline" || bytes.length > mostDigits + 1) return false;
    return bytes.every((byte, at) => (byte >= 0x30 && byte <= 0x39) || (byte === space && at === bytes.length - 1));
  }
}

interface Length {
  readonly length: number;
  /** Offset in bytes at which the message begins, after its length and a space. */
  readonly end: number;
}

/**
 * Reads the length before a message and the space after it. Returns undefined when the bytes are no length.
 * `needsPriority`: the digits count as a length only when `<` follows the space, since a line may also begin with a
 * number.
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

/** Returns the offset of the next line feed or NUL; the length of the chunk when it has none. */
function endOf(chunk: Uint8Array, from: number): number {
  const feed = chunk.indexOf(lineFeed, from);
  const zero = chunk.indexOf(0, from);
  if (feed < 0) return zero < 0 ? chunk.length : zero;
  return zero < 0 ? feed : Math.min(feed, zero);
}
