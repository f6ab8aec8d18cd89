// The body of a write, in line protocol, with the messages of one source (an entry [[inputs.tail]]). Every line of the
// body begins with the same text before its message.

import { LineBody } from "../delivery/line-body.ts";

export { bodyHead } from "../delivery/line-body.ts";

export class EventBody {
  private head = new Uint8Array();
  private readonly lines = new LineBody();

  get events(): number {
    return this.lines.events;
  }

  get byteLength(): number {
    return this.lines.byteLength;
  }

  /** Starts an empty body. `head`: the line protocol before each message, as `bodyHead` returns it. */
  begin(head: Uint8Array<ArrayBuffer>): void {
    this.head = head;
    this.lines.clear();
  }

  /** Adds an event to the body. `message` is the text of the event in UTF-8. */
  add(message: Uint8Array): void {
    this.lines.addMessage(this.head, message);
  }

  /**
   * Adds an event to the body. `head` is the start of its line. `time` is in nanoseconds since 1970, as decimal digits;
   * empty when the event has no time.
   */
  addRecord(head: Uint8Array, message: Uint8Array, time: string): void {
    this.lines.addMessage(head, message, time);
  }

  /** Returns the body that contains the events `[from, to)`. The bytes are valid until the next call of `begin`. */
  body(from = 0, to = this.events): Uint8Array {
    return this.lines.body(from, to);
  }
}
