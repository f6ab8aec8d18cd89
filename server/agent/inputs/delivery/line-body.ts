// Writes points as line protocol, the body of a write. Its memory is used again for the next one. Tags that all points
// share are not in the body: the write request names them once.

const quote = 0x22;
const backslash = 0x5c;
const lineFeed = 0x0a;
/** Length of the memory beyond which it is given back when most of it is not needed. */
const mostIdle = 4 * 1024 * 1024;
const encoder = new TextEncoder();

/** Returns text as the bytes of a measurement, a key or a tag value (docs/reference/points.md#tags-and-keys). */
export function keyBytes(name: string): Uint8Array<ArrayBuffer> {
  return encoder.encode(
    name
      .replace(/\\+$/, "")
      .replace(/[\n\r]/g, " ")
      .replace(/[, ="]/g, "\\$&"),
  );
}

/** Returns the text before each message: the name of the points, escaped, and the key of the field. */
export function bodyHead(measurement: string): Uint8Array<ArrayBuffer> {
  return joined(keyBytes(measurement), encoder.encode(' message="'));
}

function joined(first: Uint8Array, second: Uint8Array): Uint8Array<ArrayBuffer> {
  const both = new Uint8Array(first.length + second.length);
  both.set(first);
  both.set(second, first.length);
  return both;
}

/** The body of a write, which is written line by line. */
export class LineBody {
  private memory = new Uint8Array(64 * 1024);
  private length = 0;
  private readonly starts: number[] = [];

  /** Number of lines. */
  get events(): number {
    return this.starts.length;
  }

  get byteLength(): number {
    return this.length;
  }

  /** Removes all lines. Gives memory back that a rare burst needed. */
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

  /** Adds a line whose text before the message is `head`, from `bodyHead`. */
  addMessage(head: Uint8Array, message: Uint8Array): void {
    this.startLine();
    this.put(head);
    this.putEscaped(message);
    this.reserve(2);
    this.memory[this.length++] = quote;
    this.memory[this.length++] = lineFeed;
  }

  /** Adds bytes as they are. */
  put(bytes: Uint8Array, from = 0, to = bytes.length): void {
    this.reserve(to - from);
    const { memory } = this;
    if (to - from > 32) memory.set(bytes.subarray(from, to), this.length);
    else for (let at = from; at < to; at++) memory[this.length + at - from] = bytes[at]!;
    this.length += to - from;
  }

  /** Adds a text of ASCII characters as it is. */
  putAscii(text: string): void {
    this.reserve(text.length);
    for (let at = 0; at < text.length; at++) this.memory[this.length++] = text.charCodeAt(at);
  }

  /** Adds a byte as it is. */
  putByte(byte: number): void {
    this.reserve(1);
    this.memory[this.length++] = byte;
  }

  /** Adds bytes as they stand between the quotes of a text field. */
  putEscaped(bytes: Uint8Array, from = 0, to = bytes.length): void {
    // Each byte may need a backslash.
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

  /** Returns the body of the lines `[from, to)`. The bytes are valid until the body is written to again. */
  body(from = 0, to = this.events): Uint8Array {
    return this.memory.subarray(this.starts[from], this.starts[to] ?? this.length);
  }

  /** Returns the largest number of lines from `from` on that take at most `most` bytes; at least one. */
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
    // One byte more than needed keeps the memory longer than the body: a body that filled its memory would be handed to
    // another thread for good, and could not be sent again.
    if (this.length + bytes < this.memory.length) return;
    const larger = new Uint8Array(Math.max(2 * this.memory.length, this.length + bytes + 1));
    larger.set(this.memory.subarray(0, this.length));
    this.memory = larger;
  }
}
