// A streaming JSON parser (RFC 8259): receives the text in chunks, calls a handler for each token, and keeps only a
// token that is split between two chunks.

/**
 * Receives the tokens of the JSON text. The bytes of a string or number are `bytes[from]` up to `bytes[to]` (exclusive)
 * and are valid only during the call.
 */
export interface JsonHandler {
  open(kind: "[" | "{"): void;
  close(): void;
  /** Receives a key of an object. `escaped` says whether the bytes of the key contain escapes. */
  key(bytes: Uint8Array, from: number, to: number, escaped: boolean): void;
  text(bytes: Uint8Array, from: number, to: number, escaped: boolean): void;
  number(bytes: Uint8Array, from: number, to: number): void;
  literal(value: boolean | null): void;
}

/** The error for a text that is not JSON. `message` says what was wrong and at which byte. */
export class JsonError extends Error {
  override readonly name = "JsonError";
}

const deepest = 512;
const longestToken = 16 * 1024 * 1024;
const numberText = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;
const ascii = new TextDecoder("latin1");
const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

type Expects = "value" | "value or ]" | "key" | "key or }" | ":" | ", or end" | "nothing";

export class JsonStream {
  private readonly handler: JsonHandler;
  private expects: Expects = "value";
  private readonly open: ("[" | "{")[] = [];
  /** The bytes of an incomplete token at the end of the last chunk. */
  private rest = new Uint8Array(0);
  /** Offset in bytes, within the whole JSON text, at which the unread part `rest` begins. */
  private passed = 0;

  constructor(handler: JsonHandler) {
    this.handler = handler;
  }

  push(piece: Uint8Array): void {
    let bytes = piece;
    if (this.rest.length > 0) {
      bytes = new Uint8Array(this.rest.length + piece.length);
      bytes.set(this.rest);
      bytes.set(piece, this.rest.length);
    }
    const end = this.scan(bytes, false);
    this.rest = bytes.slice(end);
    this.passed += end;
    if (this.rest.length > longestToken) throw new JsonError(`a text of more than ${longestToken} bytes`);
  }

  /** Ends the parsing after the last chunk. Throws JsonError when the text is incomplete. */
  end(): void {
    this.scan(this.rest, true);
    if (this.expects !== "nothing") throw new JsonError("unexpected end of JSON input");
  }

  /**
   * Reads all tokens that are complete. Returns the index at which the first incomplete token begins. `last` says that
   * no more bytes will follow.
   */
  private scan(bytes: Uint8Array, last: boolean): number {
    let at = 0;
    while (at < bytes.length) {
      const byte = bytes[at]!;
      if (byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09) at++;
      else if (byte === 0x22) {
        const end = this.quoted(bytes, at);
        if (end < 0) {
          if (last) throw new JsonError("unexpected end of JSON input");
          return at;
        }
        at = end;
      } else if (byte === 0x2d || (byte >= 0x30 && byte <= 0x39)) {
        let end = at + 1;
        while (end < bytes.length && isNumberByte(bytes[end]!)) end++;
        if (end === bytes.length && !last) return at;
        this.value(at);
        if (!isNumber(bytes, at, end))
          throw this.unexpected(at, ascii.decode(bytes.subarray(at, Math.min(end, at + 40))));
        this.handler.number(bytes, at, end);
        at = end;
      } else if (byte === 0x74 || byte === 0x66 || byte === 0x6e) {
        const word = byte === 0x74 ? "true" : byte === 0x66 ? "false" : "null";
        if (at + word.length > bytes.length && !last) return at;
        const found = ascii.decode(bytes.subarray(at, at + word.length));
        if (found !== word) throw this.unexpected(at, found);
        this.value(at);
        this.handler.literal(word === "null" ? null : word === "true");
        at += word.length;
      } else this.punctuation(byte, at++);
    }
    return at;
  }

  /**
   * Reads a string value or a key, starting at its opening quote. Returns the index after its closing quote; -1 when
   * the chunk ends first.
   */
  private quoted(bytes: Uint8Array, start: number): number {
    let escaped = false;
    let at = start + 1;
    for (; at < bytes.length; at++) {
      const byte = bytes[at]!;
      if (byte === 0x22) break;
      if (byte === 0x5c) {
        escaped = true;
        at++;
      } else if (byte < 0x20) throw this.unexpected(at, "a control character in a text");
    }
    if (at >= bytes.length) return -1;
    if (this.expects === "key" || this.expects === "key or }") {
      this.expects = ":";
      this.handler.key(bytes, start + 1, at, escaped);
    } else {
      this.value(start);
      this.handler.text(bytes, start + 1, at, escaped);
    }
    return at + 1;
  }

  private punctuation(byte: number, at: number): void {
    const { expects, open } = this;
    const character = String.fromCharCode(byte);
    switch (character) {
      case "[":
      case "{":
        this.value(at);
        if (open.length >= deepest) throw this.unexpected(at, `more than ${deepest} levels`);
        open.push(character);
        this.expects = character === "[" ? "value or ]" : "key or }";
        this.handler.open(character);
        return;
      case "]":
      case "}": {
        const isEmpty = expects === (character === "]" ? "value or ]" : "key or }");
        if (open.at(-1) !== (character === "]" ? "[" : "{") || (!isEmpty && expects !== ", or end")) break;
        open.pop();
        this.expects = open.length === 0 ? "nothing" : ", or end";
        this.handler.close();
        return;
      }
      case ",":
        if (expects !== ", or end") break;
        this.expects = open.at(-1) === "[" ? "value" : "key";
        return;
      case ":":
        if (expects !== ":") break;
        this.expects = "value";
        return;
    }
    throw this.unexpected(at, JSON.stringify(character));
  }

  /**
   * Records that a value begins at the current position. Throws JsonError when no value is allowed in this position.
   */
  private value(at: number): void {
    if (this.expects !== "value" && this.expects !== "value or ]") throw this.unexpected(at, "a value");
    this.expects = this.open.length === 0 ? "nothing" : ", or end";
  }

  private unexpected(at: number, what: string): JsonError {
    return new JsonError(`unexpected ${what} at byte ${this.passed + at}`);
  }
}

/**
 * Returns the string that the content of a JSON string literal stands for. Throws JsonError for an invalid escape; lone
 * surrogates are allowed.
 */
export function textOf(bytes: Uint8Array, from: number, to: number, escaped: boolean): string {
  const text = decoder.decode(bytes.subarray(from, to));
  if (!escaped) return text;
  try {
    return JSON.parse(`"${text}"`) as string;
  } catch {
    throw new JsonError(`bad escape in the text "${text.slice(0, 40)}"`);
  }
}

function isNumberByte(byte: number): boolean {
  return (
    (byte >= 0x30 && byte <= 0x39) || byte === 0x2e || byte === 0x65 || byte === 0x45 || byte === 0x2b || byte === 0x2d
  );
}

/**
 * Returns whether the text is a JSON number. Most numbers consist only of digits; all others are checked with a regular
 * expression.
 */
function isNumber(bytes: Uint8Array, from: number, to: number): boolean {
  const first = bytes[from] === 0x2d ? from + 1 : from;
  let at = first;
  while (at < to && bytes[at]! >= 0x30 && bytes[at]! <= 0x39) at++;
  if (at === to) return at > first && (bytes[first] !== 0x30 || at === first + 1);
  return numberText.test(ascii.decode(bytes.subarray(from, to)));
}
