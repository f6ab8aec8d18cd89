// Writes events as line protocol for the body of a write. The body has no tags, because the write request gives the
// tags once for all points.

const quote = 0x22;
const backslash = 0x5c;
const encoder = new TextEncoder();

/** Returns the line protocol before each message: the escaped measurement and the key of the field `message`. */
export function bodyHead(measurement: string): Uint8Array<ArrayBuffer> {
  return encoder.encode(`${escaped(measurement)} message="`);
}

/** The body of a write. Its memory is reused for the next body. */
export class EventBody {
  private head = new Uint8Array();
  private memory = new Uint8Array(64 * 1024);
  private length = 0;
  private readonly starts: number[] = [];

  get events(): number {
    return this.starts.length;
  }

  get byteLength(): number {
    return this.length;
  }

  /** Starts an empty body. `head`: the line protocol before each message, as `bodyHead` returns it. */
  begin(head: Uint8Array<ArrayBuffer>): void {
    this.head = head;
    this.length = 0;
    this.starts.length = 0;
  }

  /** Adds an event with this message, in UTF-8. */
  add(message: Uint8Array): void {
    const { head } = this;
    // Each byte of the message may need a backslash. One more byte is reserved, so that the body never fills its
    // memory. A body that fills its memory is transferred to a worker thread and not copied, so it could not be sent
    // again after a failure.
    this.reserve(head.length + 2 * message.length + 3);
    this.starts.push(this.length);
    this.memory.set(head, this.length);
    this.length += head.length;
    if (message.includes(quote) || message.includes(backslash)) this.addEscaped(message);
    else {
      this.memory.set(message, this.length);
      this.length += message.length;
    }
    this.memory[this.length++] = quote;
    this.memory[this.length++] = 0x0a;
  }

  /** Returns the body that contains the events `[from, to)`. The bytes are valid until the next call of `begin`. */
  body(from = 0, to = this.events): Uint8Array {
    return this.memory.subarray(this.starts[from], this.starts[to] ?? this.length);
  }

  private addEscaped(message: Uint8Array): void {
    const { memory } = this;
    let at = this.length;
    for (const byte of message) {
      if (byte === quote || byte === backslash) memory[at++] = backslash;
      memory[at++] = byte;
    }
    this.length = at;
  }

  private reserve(bytes: number): void {
    if (this.length + bytes <= this.memory.length) return;
    const larger = new Uint8Array(Math.max(2 * this.memory.length, this.length + bytes));
    larger.set(this.memory.subarray(0, this.length));
    this.memory = larger;
  }
}

/** Returns the measurement, escaped for line protocol (docs/reference/points.md#tags-and-keys). */
function escaped(name: string): string {
  return name.replace(/\\+$/, "").replace(/[, ="]/g, "\\$&");
}
