// Parses one line of line protocol from left to right. The order of the checks is the order on the page
// docs/reference/points.md#line-protocol; the first failed check throws a `Fault`.

import { maxSeriesKey } from "../../lib/point/limits.ts";
import { Point } from "../../lib/point/point.ts";
import { isTimeInRange, resolveTime, timeOutsideRange } from "../../lib/point/precision.ts";
import { kindOf, PointArray, type PointValue, type Scalar } from "../../lib/point/value.ts";
import { decodeBase64 } from "../../lib/text/base64.ts";
import { quoteText } from "../../lib/text/quote.ts";
import { Fault, isDigit, parseBoolean, parseNumber, parseTimestamp, startsNumber } from "./scalar.ts";
import { byteOf, escapesOf, isWhitespace, type Source } from "./source.ts";

const { backslash, closing, comma, equals, minus, opening, quote, space } = byteOf;
const letterB = 0x62;

export interface LineOptions {
  readonly precision: string | undefined;
  readonly now: bigint;
  readonly strict: boolean;
}

interface TagSpan {
  readonly keyStart: number;
  readonly keyEnd: number;
  readonly valueEnd: number;
}

/** Parses the line in the bytes `[start, end)`, which is not empty, has no newline and no leading white space. */
export function parseLine(source: Source, start: number, end: number, options: LineOptions): Point {
  return new LineParser(source, start, end, options).parse();
}

class LineParser {
  private readonly source: Source;
  private readonly bytes: Uint8Array;
  private readonly start: number;
  private readonly end: number;
  private readonly options: LineOptions;
  private at: number;

  constructor(source: Source, start: number, end: number, options: LineOptions) {
    this.source = source;
    this.bytes = source.bytes;
    this.start = start;
    this.end = end;
    this.options = options;
    this.at = start;
  }

  parse(): Point {
    const { source, start } = this;
    const point = new Point("", 0n);
    point.name = source.unescaped(start, this.measurement(), escapesOf.measurement);
    const tags = this.tags(point);
    const seriesLength = this.at - start;
    if (seriesLength > maxSeriesKey) throw tooLong(seriesLength);
    this.fields(point, seriesLength);
    for (const { keyStart, keyEnd, valueEnd } of tags) {
      const value = source.unescaped(keyEnd + 1, valueEnd, escapesOf.tag);
      point.set(source.unescaped(keyStart, keyEnd, escapesOf.tag), value, true);
    }
    point.time = this.time();
    return point;
  }

  /**
   * Returns whether the byte before the offset `at` is a backslash. Does not check whether another backslash escapes
   * this backslash.
   */
  private isEscaped(at: number): boolean {
    return this.bytes[at - 1] === backslash;
  }

  /** Moves the offset `at` to the comma or space after the measurement, and returns this offset. */
  private measurement(): number {
    const { bytes, end } = this;
    if (bytes[this.at] === comma) throw new Fault("missing measurement");
    for (this.at++; this.at < end; this.at++) {
      const byte = bytes[this.at]!;
      if ((byte === comma || byte === space) && !this.isEscaped(this.at)) return this.at;
    }
    throw new Fault("missing fields");
  }

  /** Moves `at` to the space after the tags. Returns the tags sorted by the bytes of their keys, each key once. */
  private tags(point: Point): TagSpan[] {
    const tags: TagSpan[] = [];
    let sorted = true;
    while (this.bytes[this.at] === comma) {
      const tag = this.tag();
      const before = tags.at(-1);
      if (before !== undefined && this.compareKeys(before, tag) >= 0) sorted = false;
      tags.push(tag);
    }
    if (sorted) return tags;
    tags.sort((a, b) => this.compareKeys(a, b));
    return this.withoutRepeats(tags, point);
  }

  private tag(): TagSpan {
    const { bytes, end } = this;
    const keyStart = ++this.at;
    const first = bytes[keyStart];
    if (keyStart >= end || first === space || first === comma || first === equals) throw new Fault("missing tag key");
    for (this.at++; ; this.at++) {
      if (this.at >= end) throw new Fault("missing tag value");
      const byte = bytes[this.at]!;
      if (byte !== equals && byte !== space && byte !== comma) continue;
      if (this.isEscaped(this.at)) continue;
      if (byte !== equals) throw new Fault("missing tag value");
      break;
    }
    const keyEnd = this.at++;
    if (this.at >= end || bytes[this.at] === space || bytes[this.at] === comma) throw new Fault("missing tag value");
    for (this.at++; this.at < end; this.at++) {
      const byte = bytes[this.at]!;
      if (byte !== equals && byte !== space && byte !== comma) continue;
      if (this.isEscaped(this.at)) continue;
      if (byte === equals) throw new Fault("invalid tag format");
      return { keyStart, keyEnd, valueEnd: this.at };
    }
    throw new Fault("missing fields");
  }

  private withoutRepeats(tags: readonly TagSpan[], point: Point): TagSpan[] {
    const kept: TagSpan[] = [];
    for (const tag of tags) {
      const before = kept.at(-1);
      if (before !== undefined && this.compareKeys(before, tag) === 0) {
        if (this.options.strict) throw new Fault("duplicate tags");
        const key = this.source.unescaped(tag.keyStart, tag.keyEnd, escapesOf.tag);
        point.warnings.push({ type: "key_name_conflict", message: `same key (${quoteText(key)})` });
        kept.pop();
      }
      kept.push(tag);
    }
    return kept;
  }

  private compareKeys(a: TagSpan, b: TagSpan): number {
    const { bytes } = this;
    const lengthA = a.keyEnd - a.keyStart;
    const lengthB = b.keyEnd - b.keyStart;
    for (let i = 0; i < lengthA && i < lengthB; i++) {
      const difference = bytes[a.keyStart + i]! - bytes[b.keyStart + i]!;
      if (difference !== 0) return difference;
    }
    return lengthA - lengthB;
  }

  /**
   * Reads the fields into the point and moves the offset `at` to the space after them. Two rules are checked only at
   * the end of the fields: the number of commas must be one less than the number of equals signs, and no key may have
   * an unescaped comma.
   */
  private fields(point: Point, seriesLength: number): void {
    const { bytes, end } = this;
    this.skipWhitespace();
    const sectionStart = this.at;
    let equalsSeen = 0;
    let commas = 0;
    let keyStart = this.at;
    let valueEnded = true;
    let malformed = false;
    let deferred: Fault | null = null;
    while (this.at < end) {
      const byte = bytes[this.at]!;
      if (byte === backslash && this.at + 1 < end) this.at += 2;
      else if (byte === space) break;
      else if (byte === comma) {
        commas++;
        if (!valueEnded) malformed = true;
        valueEnded = false;
        keyStart = ++this.at;
      } else if (byte === equals) {
        equalsSeen++;
        const before = bytes[this.at - 1]!;
        const opens = this.at === sectionStart || before === space || before === comma;
        if (opens && (this.at === sectionStart || bytes[this.at - 2] !== backslash))
          throw new Fault("missing field key");
        const keyEnd = this.at++;
        const next = bytes[this.at];
        if (this.at >= end || next === comma || next === space) throw new Fault("missing field value");
        if (next === quote && equalsSeen <= commas) continue;
        const value = this.value(next!);
        valueEnded = true;
        if (before === backslash) throw this.badKey(keyStart);
        const length = seriesLength + 4 + keyEnd - keyStart;
        if (length > maxSeriesKey) deferred ??= tooLong(length);
        point.set(this.source.unescaped(keyStart, keyEnd, escapesOf.fieldKey), value, false);
      } else this.at++;
    }
    if (malformed || equalsSeen === 0 || commas !== equalsSeen - 1) throw new Fault("invalid field format");
    if (deferred !== null) throw deferred;
  }

  /**
   * Returns the error for a field key that ends with a backslash. The message shows the key together with the equals
   * sign and the value after it.
   */
  private badKey(keyStart: number): Fault {
    return new Fault(`invalid value: field-key=${this.source.text(keyStart, this.at)}`);
  }

  /**
   * Parses the field value at the offset `at`, whose first byte is `first`. A comma, a space or the end of the line
   * must follow the value.
   */
  private value(first: number): PointValue {
    if (first === opening) return this.array();
    if (first === quote) {
      const value = this.string();
      const next = this.at < this.end ? this.bytes[this.at]! : space;
      if (next !== comma && next !== space) throw badTail(next);
      return value();
    }
    const start = this.at;
    while (this.at < this.end && this.bytes[this.at] !== comma && this.bytes[this.at] !== space) this.at++;
    if (startsNumber(first)) return parseNumber(this.source, start, this.at);
    return parseBoolean(this.source, start, this.at);
  }

  /**
   * Moves to the end of a string or a binary value, and returns a function that decodes the value. The caller checks
   * the bytes after the value before it calls this function, so that an error in these bytes is reported first.
   */
  private string(): () => string | Uint8Array {
    const { bytes, source, end } = this;
    const start = ++this.at;
    while (this.at < end && bytes[this.at] !== quote) {
      this.at += bytes[this.at] === backslash && this.at + 1 < end ? 2 : 1;
    }
    if (this.at >= end) throw new Fault("unbalanced quotes");
    const stop = this.at++;
    if (this.at >= end || bytes[this.at] !== letterB) return () => source.unescaped(start, stop, escapesOf.string);
    this.at++;
    return () => {
      const value = decodeBase64(bytes.subarray(start, stop));
      if (value === undefined) throw new Fault(`invalid base64 string: "${source.text(start, stop)}"`);
      return value;
    };
  }

  private array(): PointArray {
    const { bytes, end } = this;
    this.requireClosing();
    this.at++;
    const elements: Scalar[] = [];
    this.skipSpaces();
    if (bytes[this.at] === closing) this.at++;
    else {
      for (let last = false; !last; this.at++) {
        this.skipSpaces();
        this.element(elements);
        this.skipSpaces();
        last = bytes[this.at] === closing;
      }
    }
    const next = this.at < end ? bytes[this.at]! : space;
    if (next !== comma && next !== space) throw badTail(next);
    return new PointArray(elements);
  }

  /** Parses one array element and moves the offset `at` to the comma or bracket after the element. */
  private element(elements: Scalar[]): void {
    const { bytes } = this;
    const first = bytes[this.at]!;
    if (first === comma || first === closing) throw new Fault("missing field value");
    if (first === opening) throw new Fault("missing closing bracket");
    let value: Scalar;
    if (first === quote) {
      const text = this.string();
      this.skipSpaces();
      if (bytes[this.at] !== comma && bytes[this.at] !== closing) throw badTail(bytes[this.at]!);
      value = text();
    } else {
      const start = this.at;
      while (bytes[this.at] !== comma && bytes[this.at] !== closing) this.at++;
      let stop = this.at;
      while (bytes[stop - 1] === space) stop--;
      const parse = startsNumber(first) ? parseNumber : parseBoolean;
      value = parse(this.source, start, stop);
    }
    const kinds = elements.length === 0 ? [] : [letterOf(elements[0]!), letterOf(value)];
    if (kinds[0] !== kinds[1]) {
      throw new Fault(`mixed type elements found in array([0]: ${kinds[0]} <> [${elements.length}]: ${kinds[1]})`);
    }
    elements.push(value);
  }

  /** Throws unless the line has a `]` outside quotes after the offset `at`. */
  private requireClosing(): void {
    const { bytes, end } = this;
    let quoted = false;
    for (let i = this.at + 1; i < end; i++) {
      const byte = bytes[i]!;
      // Outside quotes, a backslash does not escape the next byte.
      if (byte === backslash && quoted) i++;
      else if (byte === quote) quoted = !quoted;
      else if (byte === closing && !quoted) return;
    }
    throw new Fault("missing closing bracket");
  }

  private time(): bigint {
    const { bytes, end, options } = this;
    this.skipWhitespace();
    const start = this.at;
    if (bytes[start] === minus && start < end) this.at++;
    while (this.at < end && bytes[this.at] !== space) {
      if (!isDigit(bytes[this.at]!)) throw new Fault("bad timestamp");
      this.at++;
    }
    const sent = this.at > start ? parseTimestamp(this.source.text(start, this.at)) : undefined;
    if (sent !== undefined && !isTimeInRange(sent)) throw new Fault(timeOutsideRange);
    this.skipSpaces();
    if (this.at < end) throw new Fault("point is invalid");
    const time = resolveTime(sent, options.precision, options.now);
    if (time === undefined) throw new Fault(timeOutsideRange);
    return time;
  }

  private skipWhitespace(): void {
    while (this.at < this.end && isWhitespace(this.bytes[this.at]!)) this.at++;
  }

  private skipSpaces(): void {
    while (this.at < this.end && this.bytes[this.at] === space) this.at++;
  }
}

function letterOf(value: Scalar): string {
  const kind = kindOf(value);
  return kind === "binary" ? "d" : kind[0]!;
}

/**
 * Returns the error for a wrong byte after the end of a string or array. If the byte is a quote, it would open another
 * string, so the message is about unbalanced quotes.
 */
function badTail(byte: number): Fault {
  if (byte === quote) return new Fault("unbalanced quotes");
  return new Fault(`invalid string, got tail char \`${String.fromCharCode(byte)}'`);
}

function tooLong(length: number): Fault {
  return new Fault(`max key length exceeded: ${length} > ${maxSeriesKey}`);
}
