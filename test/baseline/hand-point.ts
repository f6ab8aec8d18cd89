// A log pipeline written by hand for one kind of input. It parses line protocol with indexOf and slices, stores
// points as flat lists, and writes protobuf into one growing buffer. It corrects no values and checks little.
// The benchmarks of scripts compare the speed of the library with the speed of this pipeline.

export type HandKind = "text" | "int" | "float" | "bool";

export interface HandEntry {
  key: string;
  kind: HandKind;
  value: string | number | boolean;
  isTag: boolean;
}

export class HandPoint {
  readonly name: string;
  /** The time of the point in nanoseconds since 1970. */
  time = 0n;
  readonly entries: HandEntry[] = [];

  constructor(name: string) {
    this.name = name;
  }

  find(key: string): HandEntry | undefined {
    const { entries } = this;
    for (let i = 0; i < entries.length; i++) if (entries[i]!.key === key) return entries[i];
    return undefined;
  }

  text(key: string): string {
    return this.find(key)!.value as string;
  }

  number(key: string): number {
    return this.find(key)!.value as number;
  }

  /** Adds an entry (a tag or a field) for a key that the point does not have yet. */
  add(key: string, kind: HandKind, value: string | number | boolean, isTag = false): void {
    this.entries.push({ key, kind, value, isTag });
  }

  remove(key: string): void {
    const at = this.entries.findIndex((entry) => entry.key === key);
    if (at >= 0) this.entries.splice(at, 1);
  }

  rename(to: string, from: string): void {
    const entry = this.find(from);
    if (entry !== undefined) entry.key = to;
  }
}

const decoder = new TextDecoder();
const backslash = 0x5c;
const comma = 0x2c;
const equals = 0x3d;
const quote = 0x22;
const space = 0x20;

/** Returns the points of a body of line protocol. */
export function decodeByHand(body: Uint8Array): HandPoint[] {
  const text = decoder.decode(body);
  const points: HandPoint[] = [];
  for (let at = 0; at < text.length; ) at = readLine(text, at, points);
  return points;
}

/** Parses the line that starts at the offset `start`; returns the start of the next line. */
function readLine(text: string, start: number, points: HandPoint[]): number {
  let at = endOfName(text, start);
  const point = new HandPoint(plain(text.slice(start, at)));
  while (text.charCodeAt(at) === comma) {
    const key = endOfName(text, at + 1);
    const end = endOfName(text, key + 1);
    point.add(plain(text.slice(at + 1, key)), "text", plain(text.slice(key + 1, end)), true);
    at = end;
  }
  do {
    const key = endOfName(text, at + 1);
    const name = plain(text.slice(at + 1, key));
    at = key + 1;
    if (text.charCodeAt(at) === quote) {
      const end = closingQuote(text, at + 1);
      point.add(name, "text", unquoted(text.slice(at + 1, end)));
      at = end + 1;
    } else {
      const end = endOfName(text, at);
      addScalar(point, name, text.slice(at, end));
      at = end;
    }
  } while (text.charCodeAt(at) === comma);
  const newline = text.indexOf("\n", at);
  const end = newline < 0 ? text.length : newline;
  point.time = BigInt(text.slice(at + 1, end));
  points.push(point);
  return end + 1;
}

/** Returns the offset of the next comma, equals sign or space without a backslash before it. */
function endOfName(text: string, start: number): number {
  for (let at = start; ; at++) {
    const unit = text.charCodeAt(at);
    if (unit === comma || unit === equals || unit === space || Number.isNaN(unit)) return at;
    if (unit === backslash) at++;
  }
}

function closingQuote(text: string, start: number): number {
  for (let at = text.indexOf('"', start); ; at = text.indexOf('"', at + 1)) {
    let before = at;
    while (text.charCodeAt(before - 1) === backslash) before--;
    if ((at - before) % 2 === 0) return at;
  }
}

function plain(text: string): string {
  return text.includes("\\") ? text.replace(/\\([,= ])/g, "$1") : text;
}

function unquoted(text: string): string {
  return text.includes("\\") ? text.replace(/\\(["\\])/g, "$1") : text;
}

function addScalar(point: HandPoint, key: string, text: string): void {
  if (text.endsWith("i")) point.add(key, "int", Number(text.slice(0, -1)));
  else if (text === "true" || text === "false") point.add(key, "bool", text === "true");
  else point.add(key, "float", Number(text));
}

const encoder = new TextEncoder();

/** Encodes points as the protobuf message PBPoints. The returned bytes are valid until the next call. */
export class HandEncoder {
  private bytes = new Uint8Array(1 << 16);
  private view = new DataView(this.bytes.buffer);
  private at = 0;

  encode(points: readonly HandPoint[]): Uint8Array {
    this.at = 0;
    for (const point of points) this.point(point);
    return this.bytes.subarray(0, this.at);
  }

  private point(point: HandPoint): void {
    this.room(256);
    const start = this.begin(0x0a);
    this.text(0x0a, point.name);
    for (const { key, kind, value, isTag } of point.entries) {
      this.room(64);
      const entry = this.begin(0x12);
      this.text(0x0a, key);
      if (kind === "text") this.text(0x5a, value as string);
      else if (kind === "float") {
        this.bytes[this.at] = 0x21;
        this.view.setFloat64(this.at + 1, value as number, true);
        this.at += 9;
      } else {
        this.bytes[this.at++] = kind === "int" ? 0x10 : 0x28;
        if (typeof value === "number" && value >= 0) this.varint(value);
        else this.wide(BigInt(value));
      }
      if (isTag) {
        this.bytes[this.at++] = 0x40;
        this.bytes[this.at++] = 1;
      }
      this.end(entry);
    }
    this.bytes[this.at++] = 0x18;
    this.wide(point.time);
    this.end(start);
  }

  /**
   * Begins a nested protobuf message: writes the tag byte `tag` of its protobuf field, reserves one byte for the length
   * of the message, and returns the offset where the content of the message starts.
   */
  private begin(tag: number): number {
    this.bytes[this.at] = tag;
    this.at += 2;
    return this.at;
  }

  private end(start: number): void {
    const length = this.at - start;
    if (length < 128) {
      this.bytes[start - 1] = length;
      return;
    }
    const more = length < 16384 ? 1 : length < 2097152 ? 2 : 3;
    this.room(more);
    this.bytes.copyWithin(start + more, start, this.at);
    const end = this.at + more;
    this.at = start - 1;
    this.varint(length);
    this.at = end;
  }

  private text(tag: number, text: string): void {
    this.room(text.length * 3 + 8);
    const start = this.begin(tag);
    const { bytes } = this;
    if (text.length < 64) {
      let at = 0;
      for (let unit = 0; at < text.length && (unit = text.charCodeAt(at)) < 0x80; at++) bytes[start + at] = unit;
      if (at === text.length) {
        bytes[start - 1] = at;
        this.at = start + at;
        return;
      }
    }
    this.at = start + encoder.encodeInto(text, bytes.subarray(start)).written;
    this.end(start);
  }

  private varint(value: number): void {
    let rest = value;
    for (; rest >= 128; rest = Math.floor(rest / 128)) this.bytes[this.at++] = (rest % 128) | 128;
    this.bytes[this.at++] = rest;
  }

  private wide(value: bigint): void {
    let rest = BigInt.asUintN(64, value);
    for (; rest >= 0x10000000000000n; rest >>= 7n) this.bytes[this.at++] = Number(rest & 127n) | 128;
    this.varint(Number(rest));
  }

  private room(more: number): void {
    if (this.at + more <= this.bytes.length) return;
    const larger = new Uint8Array((this.at + more) * 2);
    larger.set(this.bytes);
    this.bytes = larger;
    this.view = new DataView(larger.buffer);
  }
}
