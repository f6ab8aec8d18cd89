// Functions over the bytes of strings: base64, percent escapes, character encodings, digests, trace ids
// (docs/reference/functions.md). Bytes that are not valid UTF-8 are kept as a value of the class `Bytes`.

import { md5, sha1, sha256, sha512 } from "../../../digest/digests.ts";
import { encodeBase64 } from "../../../text/base64.ts";
import { isBytes, type Text } from "../../../text/bytes.ts";
import { quoted } from "../../../text/quoting.ts";
import { OwnedBytes } from "../../../text/utf8.ts";
import type { Memory } from "../../runtime/memory.ts";
import { writeKey } from "../../runtime/point-access.ts";
import { checkCopies } from "../../runtime/step-charge.ts";
import { toText } from "../../runtime/to-text.ts";
import { isText, textOf, type Value, VOID } from "../../runtime/value.ts";
import { didYouMean } from "../../syntax/hints.ts";
import { type Call, type Declaration, declare } from "../declare.ts";
import { KEY } from "../nodes.ts";

const encoder = new TextEncoder();
const strict = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

function bytesOf(text: Text): Uint8Array {
  return isBytes(text) ? text.view() : encoder.encode(text);
}

/** Returns a JavaScript string when the bytes are valid UTF-8, else a `Bytes` value. */
function textFrom(bytes: Uint8Array): Text {
  try {
    return strict.decode(bytes);
  } catch {
    return new OwnedBytes(bytes);
  }
}

function textOrBytes(value: Value, memory: Memory): Text {
  return isText(value) ? value : toText(value, memory);
}

function keyArgument(call: Call) {
  const node = call.arg(0);
  if (node?.kind !== "Identifier" && node?.kind !== "StringLiteral")
    call.fail(`expect Identifier, got ${node?.kind}`, node);
  return call.key(0);
}

export const b64enc = declare({
  name: "b64enc",
  summary: "Encodes a key's text in base64.",
  params: [KEY],
  style: "positional",
  arity: { min: 1, max: 1, tooFew: "func b64enc expects 1 arg" },
  examples: [{ script: `b64enc(_)`, input: "héllo", gives: { message: "aMOpbGxv" } }],
  bind(call) {
    const { key, readInPlace } = keyArgument(call);
    return (run) => {
      const value = readInPlace(run);
      if (value === undefined || !isText(value)) return VOID;
      checkCopies(run, value);
      writeKey(run, key, encodeBase64(bytesOf(value)));
      return VOID;
    };
  },
});

const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/**
 * Decodes base64. Returns the bytes, or the offset of the first wrong character. Line breaks are skipped; padding is
 * required.
 */
function decodeBase64(text: string): Uint8Array | number {
  const result = new Uint8Array(Math.ceil(text.length / 4) * 3);
  let length = 0;
  let at = 0;
  const skipBreaks = () => {
    while (text[at] === "\n" || text[at] === "\r") at++;
  };
  for (;;) {
    let quantum = 0;
    let count = 0;
    while (count < 4) {
      skipBreaks();
      if (at >= text.length) return count === 0 ? result.subarray(0, length) : at - count;
      const c = text[at++] as string;
      const digit = ALPHABET.indexOf(c);
      if (digit >= 0) {
        quantum = (quantum << 6) | digit;
        count++;
        continue;
      }
      if (c !== "=" || count < 2) return at - 1;
      if (count === 2) {
        skipBreaks();
        if (at >= text.length) return text.length;
        if (text[at] !== "=") return at - 1;
        at++;
      }
      skipBreaks();
      if (at < text.length) return at;
      result[length++] = count === 2 ? quantum >> 4 : quantum >> 10;
      if (count === 3) result[length++] = quantum >> 2;
      return result.subarray(0, length);
    }
    result[length++] = quantum >> 16;
    result[length++] = quantum >> 8;
    result[length++] = quantum;
  }
}

export const b64dec = declare({
  name: "b64dec",
  summary: "Decodes a key's base64 text; text that is not base64 is a run error.",
  params: [KEY],
  style: "positional",
  arity: { min: 1, max: 1, tooFew: "func b64dec expects 1 arg" },
  examples: [{ script: `b64dec(_)`, input: "aGVsbG8sIHdvcmxk", gives: { message: "hello, world" } }],
  bind(call) {
    const { key, read } = keyArgument(call);
    return (run) => {
      const value = read(run);
      if (value === undefined || !isText(value)) return VOID;
      const decoded = decodeBase64(textOf(value));
      if (typeof decoded === "number") throw call.runFailure(`illegal base64 data at input byte ${decoded}`);
      writeKey(run, key, textFrom(decoded));
      return VOID;
    };
  },
});

function hexDigit(byte: number | undefined): number {
  const digit = byte === undefined ? Number.NaN : Number.parseInt(String.fromCharCode(byte), 16);
  return Number.isNaN(digit) ? -1 : digit;
}

/**
 * Returns the bytes with each percent escape `%HH` decoded. When an escape is malformed, returns this escape as a
 * string.
 */
export function unescapePercent(bytes: Uint8Array, plusIsBlank: boolean): Uint8Array | string {
  const result = new Uint8Array(bytes.length);
  let length = 0;
  for (let i = 0; i < bytes.length; i++) {
    const byte = bytes[i] as number;
    if (byte !== 0x25) {
      result[length++] = plusIsBlank && byte === 0x2b ? 0x20 : byte;
      continue;
    }
    const [high, low] = [hexDigit(bytes[i + 1]), hexDigit(bytes[i + 2])];
    if (high < 0 || low < 0) return new OwnedBytes(bytes.slice(i, i + 3)).toString();
    result[length++] = high * 16 + low;
    i += 2;
  }
  return result.subarray(0, length);
}

export const urlDecode = declare({
  name: "url_decode",
  summary: "Decodes percent escapes in a key's text, and plus signs to blanks.",
  params: [KEY],
  style: "positional",
  arity: { min: 1, max: 1, tooFew: "func `url_decode' expected 1 args" },
  examples: [{ script: `url_decode(_)`, input: "a%2Fb+c%e6%b5%8b", gives: { message: "a/b c测" } }],
  bind(call) {
    const { key, read } = call.key(0);
    return (run) => {
      const value = read(run);
      if (value === undefined) return VOID;
      const decoded = unescapePercent(bytesOf(textOrBytes(value, run.memory)), true);
      if (typeof decoded === "string") throw call.runFailure(`invalid URL escape ${quoted(decoded)}`);
      writeKey(run, key, textFrom(decoded));
      return VOID;
    };
  },
});

const ENCODINGS: ReadonlySet<string> = new Set(["gbk", "gb18030", "utf-16le", "utf-16be", "utf-8"]);

/** Returns the name without the single quotes that may surround it. */
function unquoted(name: string): string {
  return name.replace(/^'(.*)'$/, "$1");
}

export const decode = declare({
  name: "decode",
  summary: "Decodes the bytes of a key's text from another encoding to UTF-8.",
  params: [
    { ...KEY, name: "text" },
    { name: "text_encode", type: "str", summary: "gbk, gb18030, utf-16le, utf-16be or utf-8, or the name of a key" },
  ],
  style: "positional",
  arity: { min: 2, max: 2, tooFew: "func decode expected 2" },
  examples: [{ script: `b64dec(_); decode(_, "gbk")`, input: "1tDOxA==", gives: { message: "中文" } }],
  bind(call) {
    const { key, read } = call.key(0);
    const node = call.arg(1);
    if (node?.kind !== "StringLiteral" && node?.kind !== "Identifier" && node?.kind !== "AttrExpr")
      call.fail(`expect AttrExpr, Identifier or StringLiteral, got ${node?.kind}`, node);
    const literal = node?.kind === "StringLiteral" ? node.value : undefined;
    const name = literal === undefined ? call.key(1).read : () => literal;
    if (literal !== undefined && !ENCODINGS.has(unquoted(literal))) {
      const help = didYouMean(literal, ENCODINGS) ?? `an encoding is ${[...ENCODINGS].join(", ")}`;
      call.warn(`unknown encoding, the text is left as it is; ${help}`, node);
    }
    return (run) => {
      const [value, given] = [read(run), name(run)];
      if (value === undefined || given === undefined) return VOID;
      const encoding = unquoted(toText(given, run.memory));
      if (!ENCODINGS.has(encoding)) return VOID;
      writeKey(
        run,
        key,
        new TextDecoder(encoding, { ignoreBOM: true }).decode(bytesOf(textOrBytes(value, run.memory))),
      );
      return VOID;
    };
  },
});

export const convTraceId = declare({
  name: "conv_traceid_w3c_to_dd",
  summary: "Turns a W3C trace id of 32 or 16 hexadecimal digits into the decimal of its last 64 bits.",
  params: [KEY],
  style: "positional",
  arity: { min: 1, max: 1, tooFew: "func conv_traceid_w3c_to_dd expected 1 args" },
  examples: [
    {
      script: `conv_traceid_w3c_to_dd(_)`,
      input: "18962fdd9eea517f2ae0771ea69d6e16",
      gives: { message: "3089600317904219670" },
    },
  ],
  bind(call) {
    const { key, read } = call.key(0);
    return (run) => {
      const value = read(run);
      if (value === undefined || !isText(value)) return VOID;
      const { length } = bytesOf(value);
      const digits = textOf(value).slice(-16);
      if ((length === 16 || length === 32) && /^[0-9A-Fa-f]{16}$/.test(digits)) {
        writeKey(run, key, String(BigInt(`0x${digits}`)));
      }
      return VOID;
    };
  },
});

const DIGESTS: ReadonlyMap<string, (bytes: Uint8Array) => string> = new Map([
  ["md5", md5],
  ["sha1", sha1],
  ["sha256", sha256],
  ["sha512", sha512],
]);

export const hash = declare({
  name: "hash",
  summary: "The digest of a text in hexadecimal; empty for an unknown method.",
  params: [
    { name: "text", type: "str", summary: "the text" },
    { name: "method", type: "str", summary: "md5, sha1, sha256 or sha512" },
  ],
  returns: "str",
  style: "declared",
  examples: [
    { script: `add_key(r, hash("abc", "md5"))`, input: "x", gives: { r: "900150983cd24fb0d6963f7d28e17f72" } },
  ],
  bind(call) {
    const [text, method] = [call.value(0), call.value(1)];
    const node = call.arg(1);
    if (node?.kind === "StringLiteral" && !DIGESTS.has(node.value))
      call.warn(`unknown method, the result is empty; a method is ${[...DIGESTS.keys()].join(", ")}`, node);
    return (run) => {
      const [given, name] = [text(run) as Text, method(run) as Text];
      return DIGESTS.get(textOf(name))?.(bytesOf(given)) ?? "";
    };
  },
});

export const byteFunctions: readonly Declaration[] = [b64enc, b64dec, urlDecode, decode, convTraceId, hash];
