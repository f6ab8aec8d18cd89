// Converts the text of a body to bytes: protobuf from hex or base64, the other wire forms (line protocol, JSON and
// PBJSON) as UTF-8. Detects the wire form of a text as well.

import { t } from "../../text/translate.ts";
import type { WireForm } from "./conversion.ts";
import { readFields } from "./protobuf-fields.ts";

export interface BodyBytes {
  readonly bytes: Uint8Array;
  /** Converts an offset in `bytes` to the index in the text, in UTF-16 units. */
  textIndex(offset: number): number;
}

/** The error for a text that is neither hex nor base64. */
export class BinaryTextError extends Error {
  /** Index in the text of the first wrong character. */
  readonly index: number;

  constructor(message: string, index: number) {
    super(message);
    this.index = index;
  }
}

const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

/**
 * Returns the bytes of a body that is given as text in the wire form `form`. Throws a BinaryTextError when a protobuf
 * body is neither hex nor base64.
 */
export function bodyBytes(text: string, form: WireForm): BodyBytes {
  if (form === "pb") return binaryBytes(text);
  const bytes = encoder.encode(text);
  return { bytes, textIndex: (offset) => decoder.decode(bytes.subarray(0, offset)).length };
}

/**
 * Characters that may stand between hex bytes and are skipped: white space, colons, commas, and the prefixes `0x` and
 * `\x`.
 */
const between = /\s|[:,]|0x|\\x/y;

/**
 * Matches the beginning of a text whose hex bytes are separated, for example by spaces. Such a text is certainly
 * hex and not base64.
 */
const pairs = /^\s*(?:0x|\\x)?[0-9a-fA-F]{2}(?:[\s:,]|0x|\\x)/;

/** Reads the text as hex when it begins with separated pairs of hex digits or has only hex digits, else as base64. */
function binaryBytes(text: string): BodyBytes {
  const hex = hexBytes(text, pairs.test(text));
  if (hex !== null) return hex;
  const digits: number[] = [];
  for (let at = 0; at < text.length; at++) {
    if (/\s/.test(text[at]!)) continue;
    if (text[at] === "=") break;
    if (!/[A-Za-z0-9+/_-]/.test(text[at]!))
      throw new BinaryTextError(
        t("{character} is neither a hex digit nor a character of base64", { character: JSON.stringify(text[at]) }),
        at,
      );
    digits.push(at);
  }
  if (digits.length % 4 === 1)
    throw new BinaryTextError(t("the base64 text ends in the middle of a byte"), digits.at(-1)!);
  const plain = digits.map((at) => text[at]!.replace("-", "+").replace("_", "/")).join("");
  const bytes = Uint8Array.from(atob(plain), (character) => character.charCodeAt(0));
  return { bytes, textIndex: (offset) => digits[Math.floor((offset * 4) / 3)] ?? (digits.at(-1) ?? -1) + 1 };
}

/**
 * Returns the bytes of a hex text. For any other text returns null, or throws if `isMeant` is true (the user
 * certainly meant hex).
 */
function hexBytes(text: string, isMeant: boolean): BodyBytes | null {
  const bytes: number[] = [];
  const starts: number[] = [];
  let at = 0;
  let end = 0;
  while (at < text.length) {
    between.lastIndex = at;
    const skipped = between.exec(text);
    if (skipped !== null) at += skipped[0].length;
    else if (/^[0-9a-fA-F]{2}$/.test(text.slice(at, at + 2))) {
      bytes.push(Number.parseInt(text.slice(at, at + 2), 16));
      starts.push(at);
      at += 2;
      end = at;
    } else if (at === text.trimEnd().length - 1 && /[0-9a-fA-F]/.test(text[at]!))
      throw new BinaryTextError(t("the hex text ends in the middle of a byte"), at);
    else if (isMeant) {
      const wrong = /^[0-9a-fA-F]/.test(text[at]!) ? at + 1 : at;
      throw new BinaryTextError(t("{character} is no hex digit", { character: JSON.stringify(text[wrong]) }), wrong);
    } else return null;
  }
  return { bytes: Uint8Array.from(bytes), textIndex: (offset) => starts[offset] ?? end };
}

/** Writes bytes as hex that `bodyBytes` can read, with 32 bytes on each line. */
export function hexText(bytes: Uint8Array): string {
  const lines: string[] = [];
  for (let at = 0; at < bytes.length; at += 32)
    lines.push(Array.from(bytes.subarray(at, at + 32), (byte) => byte.toString(16).padStart(2, "0")).join(" "));
  return lines.join("\n");
}

/** Guesses the wire form of a text. */
export function detectForm(text: string): WireForm {
  const start = /^\s*(\[\s*)?\{/.exec(text) ?? /^\s*\[/.exec(text);
  if (start !== null) return isPbjson(text) ? "pbjson" : "json";
  return isProtobuf(text) ? "pb" : "lp";
}

/**
 * Returns whether a text in JSON is PBJSON. The first member `fields` decides: it is a list in PBJSON and an object in
 * simple JSON. When there is no such member, the text is PBJSON if it has a member `name` but no `measurement`.
 */
function isPbjson(text: string): boolean {
  const fields = /"fields"\s*:\s*([[{])/.exec(text);
  if (fields !== null) return fields[1] === "[";
  return /"name"\s*:/.test(text) && !/"measurement"\s*:/.test(text);
}

function isProtobuf(text: string): boolean {
  // Hex (with separators) and base64 contain only these characters. A text with any other character is line
  // protocol.
  if (text.trim() === "" || !/^[\s0-9A-Za-z+/_=\\:,-]+$/.test(text)) return false;
  try {
    const { bytes } = binaryBytes(text);
    return bytes.length > 0 && bytes[0] === 0x0a && readFields(bytes, 64).fault === null;
  } catch {
    return false;
  }
}
