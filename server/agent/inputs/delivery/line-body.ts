// Writes points as line protocol into the body of a write. The memory of a body is reused for the next body.
// Tags that all points share are not written into the body: they are given once in the write request.

const quote = 0x22;
const backslash = 0x5c;
const lineFeed = 0x0a;
/**
 * Size in bytes above which a buffer may be replaced by a small one. It is replaced when less than an eighth of
 * it is used.
 */
const mostIdle = 4 * 1024 * 1024;
const encoder = new TextEncoder();

/**
 * Returns a measurement, a key or a tag value as escaped bytes of line protocol
 * (docs/reference/points.md#tags-and-keys).
 */
export function keyBytes(name: string): Uint8Array<ArrayBuffer> {
  return encoder.encode(
    name
      .replace(/\\+$/, "")
      .replace(/[\n\r]/g, " ")
      .replace(/[, ="]/g, "\\$&"),
  );
}

/**
 * Returns the start of a line, up to the text of the message: the escaped measurement and the key of the field
 * `message`. `tags`: escaped tags, each with a comma before it.
 */
export function bodyHead(measurement: string, tags = ""): Uint8Array<ArrayBuffer> {
  return joined(keyBytes(measurement), encoder.encode(`${tags} message="`));
}

function joined(first: Uint8Array, second: Uint8Array): Uint8Array<ArrayBuffer> {
  const both = new Uint8Array(first.length + second.length);
  both.set(first);
  both.set(second, first.length);
  return both;
}

/** The body of a write in line protocol. Lines are added one by one. */
export class LineBody {
  private memory = new Uint8Array(64 * 1024);
  private length = 0;
  private readonly starts: number[] = [];

  /** Number of lines in the body of the write; each line is one event. */
  get events(): number {
    return this.starts.length;
  }

  get byteLength(): number {
    return this.length;
  }

  /** Removes all lines. Replaces the buffer by a small one when it has become much larger than needed. */
  clear(): void {
    const { memory, length } = this;
    if (memory.length > mostIdle && length < memory.length / 8) this.memory = new Uint8Array(64 * 1024);
    this.length = 0;
    this.starts.length = 0;
  }

  startLine(): void {
    this.starts.push(this.length);
  }

  endLine(): void {
    this.reserve(1);
    this.memory[this.length++] = lineFeed;
  }

  /**
   * Adds a line with a message. `head`: the start of the line, as `bodyHead` returns it. `time`: nanoseconds since 1970
   * as decimal digits; empty for a point without a time.
   */
  addMessage(head: Uint8Array, message: Uint8Array, time = ""): void {
    this.startLine();
    this.put(head);
    this.putEscaped(message);
    this.reserve(2);
    this.memory[this.length++] = quote;
    if (time !== "") this.putAscii(` ${time}`);
    this.endLine();
  }

  /** Adds bytes to the current line of the body without escaping them. */
  put(bytes: Uint8Array, from = 0, to = bytes.length): void {
    this.reserve(to - from);
    const { memory } = this;
    if (to - from > 32) memory.set(bytes.subarray(from, to), this.length);
    else for (let at = from; at < to; at++) memory[this.length + at - from] = bytes[at]!;
    this.length += to - from;
  }

  /** Adds ASCII characters to the current line of the body without escaping them. */
  putAscii(text: string): void {
    this.reserve(text.length);
    for (let at = 0; at < text.length; at++) this.memory[this.length++] = text.charCodeAt(at);
  }

  /** Adds a byte to the current line of the body without escaping it. */
  putByte(byte: number): void {
    this.reserve(1);
    this.memory[this.length++] = byte;
  }

  /**
   * Adds bytes of a string field to the current line of the body. Puts a backslash before each quote and each
   * backslash.
   */
  putEscaped(bytes: Uint8Array, from = 0, to = bytes.length): void {
    // Each byte may need a backslash before it, so twice the length is reserved.
    this.reserve(2 * (to - from));
    const { memory } = this;
    if (to - from > 64) {
      const part = bytes.subarray(from, to);
      if (!part.includes(quote) && !part.includes(backslash)) {
        memory.set(part, this.length);
        this.length += part.length;
        return;
      }
    }
    let at = this.length;
    for (let each = from; each < to; each++) {
      const byte = bytes[each]!;
      if (byte === quote || byte === backslash) memory[at++] = backslash;
      memory[at++] = byte;
    }
    this.length = at;
  }

  /** Returns the part of the body that holds the lines `[from, to)`. The bytes are valid until the body is changed. */
  body(from = 0, to = this.events): Uint8Array {
    return this.memory.subarray(this.starts[from], this.starts[to] ?? this.length);
  }

  /** Returns how many lines, beginning with the line `from`, fit in `most` bytes; at least one. */
  linesWithin(from: number, most: number): number {
    const { starts } = this;
    const limit = starts[from]! + most;
    if (this.length <= limit) return starts.length - from;
    let [low, high] = [from + 1, starts.length];
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (starts[middle]! <= limit) low = middle;
      else high = middle - 1;
    }
    return low - from;
  }

  private reserve(bytes: number): void {
    // The buffer always has one byte more than the body. If the body filled the buffer completely, the agent would
    // transfer the buffer to a worker thread instead of copying the body, and the body could not be sent again after
    // a failure.
    if (this.length + bytes < this.memory.length) return;
    const larger = new Uint8Array(Math.max(2 * this.memory.length, this.length + bytes + 1));
    larger.set(this.memory.subarray(0, this.length));
    this.memory = larger;
  }
}
