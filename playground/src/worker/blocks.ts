// Cuts a stream of bytes into blocks that can be decoded separately: at line ends, or between JSON elements.

export interface Block {
  readonly bytes: Uint8Array;
  /** Number of the input line with which the block begins, from 1. */
  readonly line: number;
}

export interface JsonBlock {
  /** The elements of the block, each as the bytes of one JSON value. */
  readonly elements: readonly Uint8Array[];
  /** For each JSON element of the block, the number of the input line where it begins, from 1. */
  readonly lines: readonly number[];
}

const newline = 0x0a;
/** Largest size in bytes of a line or a JSON element. A larger line or element is cut; no valid point is this large. */
const longest = 32 * 1024 * 1024;

/** Yields blocks of at least `size` bytes. Every block except the last one ends with a newline. */
export async function* lineBlocks(chunks: AsyncIterable<Uint8Array>, size: number): AsyncGenerator<Block> {
  let held: Uint8Array[] = [];
  let length = 0;
  let line = 1;
  for await (const chunk of chunks) {
    const end = chunk.lastIndexOf(newline) + 1;
    if ((end > 0 && length + end >= size) || length + chunk.length > longest) {
      const cut = end > 0 ? end : chunk.length;
      const bytes = joined([...held, chunk.subarray(0, cut)]);
      yield { bytes, line };
      line += countNewlines(bytes);
      held = cut < chunk.length ? [chunk.subarray(cut)] : [];
      length = chunk.length - cut;
    } else {
      held.push(chunk);
      length += chunk.length;
    }
  }
  if (length > 0) yield { bytes: joined(held), line };
}

/**
 * Yields the elements of a top-level JSON array, or consecutive JSON values. The text between the elements is skipped.
 */
export async function* jsonBlocks(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<JsonBlock> {
  const scanner = new JsonScanner();
  for await (const chunk of chunks) yield scanner.take(chunk);
  const last = scanner.end();
  if (last !== null) yield last;
}

/** Finds where the elements of a JSON array begin and end, also when an element is split between chunks. */
class JsonScanner {
  private buffer: Uint8Array = new Uint8Array(0);
  /** Index in `buffer` of the next byte to read. */
  private at = 0;
  /** Index in `buffer` at which the JSON element being read begins; -1 between two elements. */
  private start = -1;
  private startLine = 0;
  private line = 1;
  private depth = 0;
  private inArray = false;
  private inString = false;
  private escaped = false;

  take(chunk: Uint8Array): JsonBlock {
    this.buffer = this.buffer.length === 0 ? chunk : joined([this.buffer, chunk]);
    const elements: Uint8Array[] = [];
    const lines: number[] = [];
    const { buffer } = this;
    const close = (end: number) => {
      elements.push(buffer.subarray(this.start, end));
      lines.push(this.startLine);
      this.start = -1;
      this.depth = 0;
    };
    let at = this.at;
    for (; at < buffer.length; at++) {
      const byte = buffer[at]!;
      if (byte === newline) this.line++;
      if (this.inString) {
        if (this.escaped) this.escaped = false;
        else if (byte === 0x5c) this.escaped = true;
        else if (byte === 0x22) this.inString = false;
      } else if (this.start < 0) this.between(byte, at);
      else if (byte === 0x22) this.inString = true;
      else if (byte === 0x7b || byte === 0x5b) this.depth++;
      else if (byte === 0x7d || byte === 0x5d) {
        if (this.depth === 0) {
          // A literal such as `true` has no closing character of its own. So the bracket that closes the array may also
          // end the literal.
          close(at);
          this.between(byte, at);
        } else if (--this.depth === 0) close(at + 1);
      } else if (this.depth === 0 && (byte === 0x2c || byte <= 0x20)) close(at);
      if (this.start >= 0 && at - this.start > longest) close(at + 1);
    }
    const from = this.start < 0 ? buffer.length : this.start;
    this.buffer = buffer.subarray(from);
    this.at = at - from;
    if (this.start >= 0) this.start = 0;
    return { elements, lines };
  }

  /**
   * Returns the bytes of an unfinished JSON element at the end of the input. The decoder then refuses the element and
   * reports the reason.
   */
  end(): JsonBlock | null {
    return this.start < 0 ? null : { elements: [this.buffer], lines: [this.startLine] };
  }

  private between(byte: number, at: number): void {
    if (byte <= 0x20 || byte === 0x2c) return;
    if (byte === 0x5b && !this.inArray) this.inArray = true;
    else if (byte === 0x5d && this.inArray) this.inArray = false;
    else {
      this.start = at;
      this.startLine = this.line;
      if (byte === 0x22) this.inString = true;
      if (byte === 0x7b || byte === 0x5b) this.depth = 1;
    }
  }
}

export function joined(parts: readonly Uint8Array[]): Uint8Array {
  if (parts.length === 1) return parts[0]!;
  const whole = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

export function countNewlines(bytes: Uint8Array): number {
  let count = 0;
  for (let at = bytes.indexOf(newline); at >= 0; at = bytes.indexOf(newline, at + 1)) count++;
  return count;
}
