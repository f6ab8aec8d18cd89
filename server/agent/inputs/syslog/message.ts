// Parses syslog messages in the formats of RFC 5424 and RFC 3164, and the variants that devices send. Reads the bytes
// once and records the range of each part without copying it. Never fails: when the bytes are not a syslog message, all
// of them become the text of a message without a priority.

import { type ScannedTime, scanBsdTime, scanIsoTime, type TimeContext } from "./time-scanner.ts";

/** The byte range `[from, to)` of one part of the syslog message; empty when the message does not have this part. */
export interface Part {
  from: number;
  to: number;
}

/** A parameter of the structured data. Its value may hold the escapes `\"`, `\\` and `\]`. */
export interface Parameter {
  readonly id: Part;
  readonly name: Part;
  readonly value: Part;
  readonly hasEscapes: boolean;
}

export class SyslogMessage {
  /** Priority, from 0 to 191: eight times the facility plus the severity; -1 when the message has no priority. */
  priority = -1;
  readonly time: ScannedTime = { seconds: undefined, nanos: 0, end: 0 };
  readonly host: Part = { from: 0, to: 0 };
  readonly appname: Part = { from: 0, to: 0 };
  readonly procid: Part = { from: 0, to: 0 };
  readonly msgid: Part = { from: 0, to: 0 };
  readonly text: Part = { from: 0, to: 0 };
  /** The parameters of the structured data; at most `mostParameters`. */
  readonly parameters: Parameter[] = [];
}

/** Largest number of parameters of the structured data that become fields. */
const mostParameters = 200;
const [space, lineFeed, carriageReturn] = [0x20, 0x0a, 0x0d];
const [less, greater, dash, openBracket, closeBracket, equal, quote, backslash, colon] = [
  0x3c, 0x3e, 0x2d, 0x5b, 0x5d, 0x3d, 0x22, 0x5c, 0x3a,
];

/** Parses messages. The returned message is valid until the next call of `scan`, which reuses it. */
export class SyslogScanner {
  readonly message = new SyslogMessage();
  private readonly context: TimeContext;
  private bytes: Uint8Array = new Uint8Array();
  private to = 0;

  constructor(context: TimeContext) {
    this.context = context;
  }

  /** Parses the syslog message in the range `bytes[from, to)`. */
  scan(bytes: Uint8Array, from: number, to: number): SyslogMessage {
    const { message } = this;
    this.bytes = bytes;
    this.to = to;
    while (this.to > from && isTrailer(bytes[this.to - 1]!)) this.to--;
    message.time.seconds = undefined;
    message.parameters.length = 0;
    for (const part of [message.host, message.appname, message.procid, message.msgid]) set(part, 0, 0);
    const start = this.scanPriority(from);
    if (!this.scanRfc5424(start)) this.scanRfc3164(start);
    return message;
  }

  /** Reads the priority, such as `<34>`. Returns the offset after it; `from` when there is none. */
  private scanPriority(from: number): number {
    const { bytes, to, message } = this;
    message.priority = -1;
    if (bytes[from] !== less) return from;
    let value = 0;
    let at = from + 1;
    for (; at < to && at < from + 4; at++) {
      const digit = bytes[at]! - 0x30;
      if (digit < 0 || digit > 9) break;
      value = 10 * value + digit;
    }
    if (at === from + 1 || at >= to || bytes[at] !== greater || value > 191) return from;
    message.priority = value;
    return at + 1;
  }

  /**
   * Reads the parts after the priority in the format of RFC 5424. Returns false when the message does not have this
   * format.
   */
  private scanRfc5424(from: number): boolean {
    const { bytes, to, message } = this;
    if (message.priority < 0 || bytes[from] !== 0x31 || bytes[from + 1] !== space) return false;
    let at = from + 2;
    const timeEnd = this.wordEnd(at);
    if (!isNil(bytes, at, timeEnd)) {
      scanIsoTime(bytes, at, timeEnd, message.time, this.context);
      if (message.time.seconds === undefined || message.time.end !== timeEnd) {
        message.time.seconds = undefined;
        return false;
      }
    }
    at = timeEnd + 1;
    for (const part of [message.host, message.appname, message.procid, message.msgid]) {
      const end = this.wordEnd(at);
      if (isNil(bytes, at, end)) set(part, 0, 0);
      else set(part, Math.min(at, to), end);
      at = end + 1;
    }
    at = this.scanStructuredData(Math.min(at, to));
    if (bytes[at] === space && at < to) at++;
    // In RFC 5424, a byte order mark before the text tells that the text is UTF-8.
    if (at + 3 <= to && bytes[at] === 0xef && bytes[at + 1] === 0xbb && bytes[at + 2] === 0xbf) at += 3;
    set(message.text, at, to);
    return true;
  }

  /** Reads the structured data. Returns the offset after the last valid element. */
  private scanStructuredData(from: number): number {
    const { bytes, to, message } = this;
    if (bytes[from] === dash && (from + 1 >= to || bytes[from + 1] === space)) return from + 1;
    let at = from;
    while (at < to && bytes[at] === openBracket) {
      const before = message.parameters.length;
      const end = this.scanElement(at + 1);
      if (end < 0) {
        // An invalid element of the structured data ends the structured data. The element and everything after it
        // belong to the text of the message.
        message.parameters.length = before;
        return at;
      }
      at = end;
    }
    return at;
  }

  /**
   * Reads an element of the structured data after its `[`: `id name="value" ...]`. Returns the offset after the
   * element; -1 when it is invalid.
   */
  private scanElement(from: number): number {
    const { bytes, to, message } = this;
    const idEnd = this.nameEnd(from);
    if (idEnd === from) return -1;
    const id = { from, to: idEnd };
    let at = idEnd;
    while (at < to && bytes[at] === space) {
      while (at < to && bytes[at] === space) at++;
      if (bytes[at] === closeBracket) break;
      const nameEnd = this.nameEnd(at);
      if (nameEnd === at || bytes[nameEnd] !== equal || bytes[nameEnd + 1] !== quote) return -1;
      const name = { from: at, to: nameEnd };
      const start = nameEnd + 2;
      let hasEscapes = false;
      for (at = start; at < to && bytes[at] !== quote; at++) {
        if (bytes[at] !== backslash) continue;
        hasEscapes = true;
        at++;
      }
      if (at >= to) return -1;
      if (message.parameters.length < mostParameters)
        message.parameters.push({ id, name, value: { from: start, to: at }, hasEscapes });
      at++;
    }
    return at < to && bytes[at] === closeBracket ? at + 1 : -1;
  }

  /** Returns the end of an identifier in the structured data. An identifier cannot contain `=`, `]`, `"` or spaces. */
  private nameEnd(from: number): number {
    const { bytes, to } = this;
    let at = from;
    while (at < to && bytes[at]! > space && bytes[at] !== equal && bytes[at] !== closeBracket && bytes[at] !== quote)
      at++;
    return at;
  }

  /** Reads the parts after the priority in the format of RFC 3164. Time, host and tag are all optional. */
  private scanRfc3164(from: number): void {
    const { bytes, to, message } = this;
    let at = this.skipSequence(from);
    const { time } = message;
    scanIsoTime(bytes, at, to, time, this.context);
    if (time.seconds === undefined) scanBsdTime(bytes, at, to, time, this.context);
    const hasTime = time.seconds !== undefined && this.endsWord(time.end);
    if (!hasTime) {
      time.seconds = undefined;
      at = from;
      if (message.priority < 0) {
        set(message.text, from, to);
        return;
      }
    } else {
      at = time.end;
      if (bytes[at] === colon && at < to) at++;
      while (at < to && bytes[at] === space) at++;
      const hostEnd = this.wordEnd(at);
      // A word that ends with a colon is not the host but the tag (the name of the program); such a message names no
      // host.
      const isHost = hostEnd > at && hostEnd < to && bytes[hostEnd - 1] !== colon;
      if (isHost) {
        set(message.host, at, hostEnd);
        at = hostEnd + 1;
      }
    }
    set(message.text, this.scanTag(at), to);
  }

  /**
   * Skips the sequence number that Cisco devices write before the time, as in `<189>29: *Mar  1 18:48:50.483: %SYS-5:
   * text`.
   */
  private skipSequence(from: number): number {
    const { bytes, to } = this;
    let at = from;
    while (at < to && bytes[at]! >= 0x30 && bytes[at]! <= 0x39) at++;
    return at > from && bytes[at] === colon && bytes[at + 1] === space ? at + 2 : from;
  }

  /**
   * Reads a tag, which is the name of a program, such as `sshd[123]: ` or `su: `. Returns the offset of the text after
   * the tag.
   */
  private scanTag(from: number): number {
    const { bytes, to, message } = this;
    let at = from;
    while (at < to && bytes[at]! > space && bytes[at] !== openBracket && bytes[at] !== colon) at++;
    if (at === from) return from;
    const nameEnd = at;
    if (at < to && bytes[at] === openBracket) {
      let end = at + 1;
      while (end < to && bytes[end]! > space && bytes[end] !== closeBracket) end++;
      if (end >= to || bytes[end] !== closeBracket) return from;
      set(message.procid, at + 1, end);
      at = end + 1;
      // Some programs write no colon after the process id. A space must then follow the process id.
      if (at < to && bytes[at] !== colon && bytes[at] !== space) {
        set(message.procid, 0, 0);
        return from;
      }
    } else if (at >= to || bytes[at] !== colon || (at + 1 < to && bytes[at + 1] !== space)) {
      return from;
    }
    set(message.appname, from, nameEnd);
    if (at < to && bytes[at] === colon) at++;
    if (at < to && bytes[at] === space) at++;
    return at;
  }

  private endsWord(at: number): boolean {
    return at >= this.to || this.bytes[at] === space || this.bytes[at] === colon;
  }

  /** Returns the offset of the next space, or the end of the message. */
  private wordEnd(from: number): number {
    const { bytes, to } = this;
    let at = from;
    while (at < to && bytes[at] !== space) at++;
    return Math.min(at, to);
  }
}

function set(part: Part, from: number, to: number): void {
  part.from = from;
  part.to = to;
}

function isNil(bytes: Uint8Array, from: number, to: number): boolean {
  return to <= from || (to - from === 1 && bytes[from] === dash);
}

function isTrailer(byte: number): boolean {
  return byte === lineFeed || byte === carriageReturn || byte === 0;
}
