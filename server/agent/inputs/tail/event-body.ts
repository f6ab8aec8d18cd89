// Writes events as line protocol, the body of a write. Tags are not in the body: the write request names them once for
// all points.

const quote = 0x22;
const backslash = 0x5c;
const encoder = new TextEncoder();

/** Returns the text before each message: the name of the points, escaped, and the key of the field. */
export function bodyHead(measurement: string): Uint8Array<ArrayBuffer> {
  return encoder.encode(`${escaped(measurement)} message="`);
}

/** The body of a write. Its memory is used again for the next one. */
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

  /** Begins a body without events. `head`: the text before each message, from `bodyHead`. */
  begin(head: Uint8Array<ArrayBuffer>): void {
    this.head = head;
    this.length = 0;
    this.starts.length = 0;
  }

  /** Adds an event with this message, in UTF-8. */
  add(message: Uint8Array): void {
    const { head } = this;
    // Each byte of the message may need a backslash. One byte more than needed keeps the memory longer than the body:
    // a body that filled its memory would be handed to another thread for good, and could not be sent again.
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

  /** Returns the body of the events `[from, to)`. The bytes are valid until the next `begin`. */
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

/** Returns the name of a measurement as line protocol writes it (docs/reference/points.md#tags-and-keys). */
function escaped(name: string): string {
  return name.replace(/\\+$/, "").replace(/[, ="]/g, "\\$&");
}
