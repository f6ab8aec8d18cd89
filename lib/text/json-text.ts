// Parses JSON (RFC 8259, strictly) into plain values. Unlike `JSON.parse` it keeps all digits of a number, so that
// 64-bit integers stay exact; it reports the byte offset of an error; and deep nesting does not use the call stack.

import { byteLength } from "./utf8.ts";

/** A number with its digits as they were written. */
export class JsonNumber {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

/**
 * The members of an object in their order. A name that occurs twice has the place of its first occurrence and the value
 * of its last one.
 */
export type JsonObject = Map<string, JsonValue>;
export type JsonValue = null | boolean | string | JsonNumber | JsonValue[] | JsonObject;

export class JsonSyntaxError extends Error {
  /** Description of the error, without its position. */
  readonly reason: string;
  /** Position of the error as a UTF-16 index in the JSON string. */
  readonly unit: number;
  /** Position of the error as a byte offset from 0, in UTF-8. */
  readonly position: number;

  constructor(reason: string, text: string, at: number) {
    const position = byteLength(text.slice(0, at));
    super(`${reason} at byte ${position}`);
    this.reason = reason;
    this.unit = at;
    this.position = position;
  }
}

/**
 * Deepest nesting of arrays and objects. The values of points nest far less deeply. The number limits the memory that a
 * short body can make the parser use.
 */
const maxDepth = 10_000;

/** Parses JSON and returns its value. Throws a `JsonSyntaxError`. */
export function readJson(text: string): JsonValue {
  return new JsonReader(text, true).read();
}

/**
 * Checks the syntax of JSON without keeping its content: arrays and objects are returned empty. Throws a
 * `JsonSyntaxError`.
 */
export function checkJson(text: string): JsonValue {
  return new JsonReader(text, false).read();
}

/** An array or object that is still open, and the name of the member that is being read. */
interface Open {
  readonly container: JsonValue[] | JsonObject;
  member: string;
}

class JsonReader {
  private readonly text: string;
  private readonly keeps: boolean;
  private at = 0;

  constructor(text: string, keeps: boolean) {
    this.text = text;
    this.keeps = keeps;
  }

  read(): JsonValue {
    const open: Open[] = [];
    for (;;) {
      let value = this.value(open);
      // When `value` is undefined, an array or object has just begun; the next round of the outer loop then reads its
      // first element. Otherwise `value` is complete, and the inner loop stores it in the innermost open array or
      // object. When this array or object ends here, it is complete as well, and the inner loop stores it in the array
      // or object around it.
      let current = value === undefined ? undefined : open.at(-1);
      while (current !== undefined) {
        if (!this.keeps) {
          // When the syntax is only checked, elements and members are not stored, and all arrays and objects stay
          // empty.
        } else if (Array.isArray(current.container)) current.container.push(value!);
        else current.container.set(current.member, value!);
        if (this.hasMore(current)) {
          value = undefined;
          break;
        }
        value = current.container;
        open.pop();
        current = open.at(-1);
      }
      if (value !== undefined) return this.finished(value);
    }
  }

  /**
   * Reads and returns a string, number or other scalar, or an empty array or object. When an array or object with
   * content begins here, opens this array or object and returns `undefined`.
   */
  private value(open: Open[]): JsonValue | undefined {
    const { text } = this;
    this.skipSpace();
    const first = text[this.at];
    if (first === '"') return this.string();
    if (first === "[" || first === "{") {
      this.at++;
      this.skipSpace();
      const container = first === "[" ? [] : new Map<string, JsonValue>();
      if (text[this.at] === (first === "[" ? "]" : "}")) {
        this.at++;
        return container;
      }
      if (open.length === maxDepth) throw this.error(`nested deeper than ${maxDepth}`);
      open.push({ container, member: first === "{" ? this.memberName() : "" });
      return undefined;
    }
    if (first === "t") return this.word("true", true);
    if (first === "f") return this.word("false", false);
    if (first === "n") return this.word("null", null);
    return this.number();
  }

  /**
   * Reads the comma or closing bracket after an element or member. Returns true after a comma, and false after a
   * closing bracket. After a comma in an object, also reads the name of the next member.
   */
  private hasMore(current: Open): boolean {
    const isArray = Array.isArray(current.container);
    this.skipSpace();
    const next = this.text[this.at];
    if (next === ",") {
      this.at++;
      if (!isArray) {
        this.skipSpace();
        current.member = this.memberName();
      }
      return true;
    }
    if (next !== (isArray ? "]" : "}")) throw this.unexpected(`after ${isArray ? "array element" : "object member"}`);
    this.at++;
    return false;
  }

  private memberName(): string {
    if (this.text[this.at] !== '"') throw this.unexpected("looking for a member name");
    const name = this.string();
    this.skipSpace();
    if (this.text[this.at] !== ":") throw this.unexpected("after a member name");
    this.at++;
    return name;
  }

  private string(): string {
    const { text } = this;
    const start = ++this.at;
    let escaped = false;
    for (; ; this.at++) {
      const unit = text.charCodeAt(this.at);
      if (unit === 0x22) break;
      if (unit === 0x5c) {
        escaped = true;
        this.at++;
      }
      // After the end of the text, `charCodeAt` returns NaN. Every comparison with NaN is false, so the negated
      // comparison is true there, and a string without an end is reported as an error.
      if (!(text.charCodeAt(this.at) >= 0x20)) throw this.unexpected("in a string");
    }
    const raw = text.slice(start, this.at++);
    return escaped ? this.unescape(raw, start) : raw;
  }

  private unescape(raw: string, start: number): string {
    const plain = raw.replace(/\\(?:u([0-9a-fA-F]{4})|([\s\S]))/g, (_, hex: string | undefined, letter: string, at) => {
      if (hex !== undefined) return String.fromCharCode(Number.parseInt(hex, 16));
      const known = `"\\/bfnrt`.indexOf(letter);
      if (known < 0) throw new JsonSyntaxError("invalid escape in a string", this.text, start + at);
      return `"\\/\b\f\n\r\t`[known]!;
    });
    // Because of its flag `u` (Unicode mode), this expression matches only surrogates that are not part of a pair.
    return plain.replace(/\p{Surrogate}/gu, "\ufffd");
  }

  private number(): JsonNumber {
    const pattern = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
    pattern.lastIndex = this.at;
    const match = pattern.exec(this.text);
    if (match === null) throw this.unexpected("looking for beginning of value");
    this.at = pattern.lastIndex;
    return new JsonNumber(match[0]);
  }

  private word<T extends JsonValue>(word: string, value: T): T {
    if (!this.text.startsWith(word, this.at)) throw this.unexpected("looking for beginning of value");
    this.at += word.length;
    return value;
  }

  private finished(value: JsonValue): JsonValue {
    this.skipSpace();
    if (this.at < this.text.length) throw this.unexpected("after top-level value");
    return value;
  }

  private skipSpace(): void {
    for (; ; this.at++) {
      const unit = this.text.charCodeAt(this.at);
      if (unit !== 0x20 && unit !== 0x0a && unit !== 0x0d && unit !== 0x09) return;
    }
  }

  private unexpected(where: string): JsonSyntaxError {
    const found = this.text.codePointAt(this.at);
    if (found === undefined) return this.error("unexpected end of JSON input");
    return this.error(`invalid character ${JSON.stringify(String.fromCodePoint(found))} ${where}`);
  }

  private error(reason: string): JsonSyntaxError {
    return new JsonSyntaxError(reason, this.text, this.at);
  }
}
