// Parses a line of a container log. Docker's driver `json-file` writes `{"log":"text\n","stream":"stdout","time":"…"}`;
// a record without `\n` at the end of its text is partial. CRI runtimes write `2024-01-02T03:04:05.6Z stdout F text`,
// with `P` for a partial record.

import { UTC } from "../../../../../lib/time/index.ts";
import { type ScannedTime, scanIsoTime } from "../../syslog/time-scanner.ts";

/**
 * Formats of the log files of a source (an entry [[inputs.tail]] of the configuration). `auto` detects the format of
 * each line.
 */
export type RecordFormat = "auto" | "docker" | "cri";

/**
 * Names of the output streams (stdout and stderr) by number. A line that is no valid record has the number 0, which has
 * no name.
 */
export const streamNames = ["", "stdout", "stderr"] as const;
export type Stream = 0 | 1 | 2;

const [quote, backslash, brace, space] = [0x22, 0x5c, 0x7b, 0x20];
const [lineFeed, carriageReturn] = [0x0a, 0x0d];
const dockerHead = Buffer.from('{"log":"');
const escapes: ReadonlyMap<number, number> = new Map(
  Object.entries({ n: "\n", r: "\r", t: "\t", b: "\b", f: "\f", '"': '"', "\\": "\\", "/": "/" }).map(
    ([letter, character]) => [letter.charCodeAt(0), character.charCodeAt(0)],
  ),
);
const timeContext = { now: () => Date.now() / 1000, zone: UTC };

/**
 * Parses the records of a container log. After a call of `parse`, the members hold the parts of the record; `message`
 * is valid until the next call.
 */
export class RecordParser {
  stream: Stream = 0;
  isPartial = false;
  /** The time of the record in nanoseconds since 1970, as decimal digits; empty when the line has no time. */
  time = "";
  message: Uint8Array = new Uint8Array();
  private readonly format: RecordFormat;
  private scratch = Buffer.alloc(1024);
  private readonly scanned: ScannedTime = { seconds: undefined, nanos: 0, end: 0 };

  constructor(format: RecordFormat) {
    this.format = format;
  }

  /** Parses the line `[start, end)`. When the line is no valid record, the whole line becomes the message. */
  parse(bytes: Uint8Array, start: number, end: number): void {
    const { format } = this;
    const isDocker = bytes[start] === brace && format !== "cri" && this.parseDocker(bytes, start, end);
    if (isDocker || (bytes[start] !== brace && format !== "docker" && this.parseCri(bytes, start, end))) return;
    this.stream = 0;
    this.isPartial = false;
    this.time = "";
    this.message = withoutReturn(bytes.subarray(start, end));
  }

  private parseDocker(bytes: Uint8Array, start: number, end: number): boolean {
    const close = isDockerHead(bytes, start) ? this.unescape(bytes, start + dockerHead.length, end) : -1;
    const rest = close < 0 ? undefined : objectIn(`{"":0${latin1(bytes, close + 1, end)}`);
    let { message } = this;
    let parts = rest;
    if (parts === undefined) {
      // The JSON members are in an unusual order, or an escape is not valid, so the whole record is parsed as JSON.
      parts = objectIn(Buffer.from(bytes.buffer, bytes.byteOffset + start, end - start).toString());
      if (typeof parts?.log !== "string") return false;
      message = Buffer.from(parts.log);
    }
    const { stream, time } = parts;
    if (typeof stream !== "string" || typeof time !== "string") return false;
    this.setTime(Buffer.from(time), 0, time.length);
    this.setStream(stream);
    this.isPartial = message.at(-1) !== lineFeed;
    this.message = this.isPartial ? message : withoutReturn(message.subarray(0, -1));
    return true;
  }

  private parseCri(bytes: Uint8Array, start: number, end: number): boolean {
    const timeEnd = indexOf(bytes, space, start, end);
    if (timeEnd < 0 || timeEnd - start > 40) return false;
    if (!this.setTime(bytes, start, timeEnd)) return false;
    const streamEnd = indexOf(bytes, space, timeEnd + 1, end);
    if (streamEnd < 0) return false;
    const stream = latin1(bytes, timeEnd + 1, Math.min(streamEnd, timeEnd + 10));
    if (stream !== "stdout" && stream !== "stderr") return false;
    // After the name of the stream, a record has tags with colons between them. Only the first tag (`F` or `P`) is
    // used.
    const tagsEnd = indexOf(bytes, space, streamEnd + 1, end);
    const tags = latin1(bytes, streamEnd + 1, tagsEnd < 0 ? end : tagsEnd);
    if (!/^[FP](?::|$)/.test(tags)) return false;
    this.setStream(stream);
    this.isPartial = tags.startsWith("P");
    const message = bytes.subarray(tagsEnd < 0 ? end : tagsEnd + 1, end);
    this.message = this.isPartial ? message : withoutReturn(message);
    return true;
  }

  private setStream(name: string): void {
    this.stream = name === "stdout" ? 1 : name === "stderr" ? 2 : 0;
  }

  /** Sets `time` from the bytes `[at, to)`. Returns whether these bytes are a time. */
  private setTime(bytes: Uint8Array, at: number, to: number): boolean {
    const { scanned } = this;
    scanIsoTime(bytes, at, to, scanned, timeContext);
    const { seconds, nanos, end } = scanned;
    const isTime = seconds !== undefined && end === to;
    this.time = isTime && seconds > 0 ? `${seconds}${String(nanos).padStart(9, "0")}` : "";
    return isTime;
  }

  /**
   * Stores in `message` the text of the JSON string whose first character is at `from`. Returns the offset of the
   * closing quote; -1 when there is none or the string has an escape that JSON does not allow.
   */
  private unescape(bytes: Uint8Array, from: number, end: number): number {
    let at = from;
    while (at < end && bytes[at] !== quote && bytes[at] !== backslash) at++;
    if (at === end) return -1;
    if (bytes[at] === quote) {
      this.message = bytes.subarray(from, at);
      return at;
    }
    // Decoding escapes never makes a text longer, so memory of the encoded length is enough.
    if (this.scratch.length < end - from) this.scratch = Buffer.alloc(end - from);
    const { scratch } = this;
    scratch.set(bytes.subarray(from, at));
    let length = at - from;
    for (; at < end && bytes[at] !== quote; at++) {
      if (bytes[at] !== backslash) {
        scratch[length++] = bytes[at]!;
        continue;
      }
      at++;
      const plain = escapes.get(bytes[at]!);
      if (plain !== undefined) {
        scratch[length++] = plain;
        continue;
      }
      const units = unicodeAt(bytes, at, end);
      if (units === undefined) return -1;
      length += scratch.write(units.text, length);
      at += units.length - 1;
    }
    this.message = scratch.subarray(0, length);
    return at < end ? at : -1;
  }
}

/**
 * Decodes the escape `uXXXX` at the offset `at`, or two such escapes that form one character. Returns the decoded text,
 * and the length of the escapes in bytes.
 */
function unicodeAt(bytes: Uint8Array, at: number, end: number): { text: string; length: number } | undefined {
  const first = /^u([0-9a-fA-F]{4})(?:\\u([dD][c-fC-F][0-9a-fA-F]{2}))?/.exec(
    latin1(bytes, at, Math.min(end, at + 11)),
  );
  if (first === null) return undefined;
  const unit = Number.parseInt(first[1]!, 16);
  const isPair = unit >= 0xd800 && unit < 0xdc00 && first[2] !== undefined;
  if (!isPair) return { text: String.fromCharCode(unit), length: 5 };
  return { text: String.fromCharCode(unit, Number.parseInt(first[2]!, 16)), length: 11 };
}

function isDockerHead(bytes: Uint8Array, start: number): boolean {
  for (let at = 0; at < dockerHead.length; at++) if (bytes[start + at] !== dockerHead[at]) return false;
  return true;
}

function objectIn(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}

function latin1(bytes: Uint8Array, from: number, to: number): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset + from, Math.max(0, to - from)).toString("latin1");
}

function indexOf(bytes: Uint8Array, byte: number, from: number, to: number): number {
  const at = bytes.indexOf(byte, from);
  return at < to ? at : -1;
}

function withoutReturn(line: Uint8Array): Uint8Array {
  return line.at(-1) === carriageReturn ? line.subarray(0, -1) : line;
}
