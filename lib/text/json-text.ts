// Reads JSON text (RFC 8259, strictly) as plain values. Unlike `JSON.parse` it keeps the digits of every number, so
// that no digit of a 64-bit integer is lost; it reports the byte where the text is wrong; and nesting does not use the
// call stack.

import { byteLength } from "./utf8.ts";

/** A number as it was written. */
export class JsonNumber {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

/** Members in the order of the text. When a name occurs twice, the last value counts, at the place of the first. */
export type JsonObject = Map<string, JsonValue>;
export type JsonValue = null | boolean | string | JsonNumber | JsonValue[] | JsonObject;

export class JsonSyntaxError extends Error {
  /** Description of the error, without its place. */
  readonly reason: string;
  /** UTF-16 index in the text. */
  readonly unit: number;
  /** Offset in the UTF-8 text, in bytes from 0. */
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
 * Deepest nesting of arrays and objects: far above any point, and a bound for the memory that a short body can make the
 * reader take.
 */
const maxDepth = 10_000;

/** Returns the one value of the text. Throws a `JsonSyntaxError`. */
export function readJson(text: string): JsonValue {
  return new JsonReader(text, true).read();
}

/** Checks the text without keeping its content: lists and objects are returned empty. Throws a `JsonSyntaxError`. */
export function checkJson(text: string): JsonValue {
  return new JsonReader(text, false).read();
}

/** An array or object that is still open, with the name of the member being read. */
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
      // A closed value may also close the containers around it; `undefined` says that another value must be read first.
      let current = value === undefined ? undefined : open.at(-1);
      while (current !== undefined) {
        if (!this.keeps) {
          // The container stays empty.
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

  /** Reads a scalar or an empty container. Opens a container with content, and then returns `undefined`. */
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
   * Reads what follows an element or member. Returns true at a comma; in an object it also reads the name of the next
   * member.
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
      // The comparison also catches NaN, which `charCodeAt` returns past the end.
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
    // In unicode mode this matches only surrogates without a partner.
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
