// JSON text (RFC 8259, strictly) to plain values. Unlike `JSON.parse` it keeps the digits of every number, so that 64 bits
// survive, says the byte at which the text went wrong, and does not use the call stack for nesting.

import { byteLength } from "../text.ts";

/** A number as it was written. */
export class JsonNumber {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

/** Members in document order; of two with one name the last counts, at the place of the first. */
export type JsonObject = Map<string, JsonValue>;
export type JsonValue = null | boolean | string | JsonNumber | JsonValue[] | JsonObject;

export class JsonSyntaxError extends Error {
  /** What is wrong, without the place. */
  readonly reason: string;
  /** Index in the text, in UTF-16 units. */
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

/** Arrays and objects within each other; far above any point, and a bound for what a short body can make us keep. */
const maxDepth = 10_000;

/** The one value of the text. Throws a `JsonSyntaxError`. */
export function readJson(text: string): JsonValue {
  return new JsonReader(text, true).read();
}

/** Reads the text without keeping what is in it: lists and objects come empty. Throws a `JsonSyntaxError`. */
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
      // A closed value may close those around it too; `undefined` says that another value is to be read first.
      let current = value === undefined ? undefined : open.at(-1);
      while (current !== undefined) {
        if (!this.keeps) {
          // A container stays as it is.
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

  /** Reads a scalar or an empty container. A container with content is opened, then the answer is `undefined`. */
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

  /** Reads what follows an element or member: true at a comma, with the next member's name taken in. */
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
      // NaN, past the end, is not below 0x20 either.
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
    // In unicode mode this matches surrogates without a partner only.
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
