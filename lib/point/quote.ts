// Text in double quotes as messages show it: bytes that cannot be printed become escapes (points document, table in 3.11).

import { isBytes, type Text } from "./value.ts";

const printable = /^[\p{L}\p{M}\p{N}\p{P}\p{S}]$/u;
const encoder = new TextEncoder();

/** The escape of each byte below 0x80, empty for a byte that stands for itself. */
const asciiEscapes: readonly string[] = Array.from({ length: 128 }, (_, byte) => {
  const named = `"\\\x07\b\f\n\r\t\v`.indexOf(String.fromCharCode(byte));
  if (named >= 0) return `\\${`"\\abfnrtv`[named]}`;
  return byte < 0x20 || byte === 0x7f ? hexByte(byte) : "";
});

/** Quotes bytes; those that are not valid UTF-8 are shown one by one as `\xff`. */
export function quoteBytes(bytes: Uint8Array): string {
  const parts = ['"'];
  let runStart = 0;
  let at = 0;
  while (at < bytes.length) {
    const byte = bytes[at]!;
    let width = 1;
    let escaped: string;
    if (byte < 0x80) escaped = asciiEscapes[byte]!;
    else {
      width = sequenceLength(bytes, at);
      if (width === 0) {
        width = 1;
        escaped = hexByte(byte);
      } else escaped = escapeOf(codePointAt(bytes, at, width));
    }
    if (escaped !== "") {
      if (runStart < at) parts.push(decodeRun(bytes, runStart, at));
      parts.push(escaped);
      runStart = at + width;
    }
    at += width;
  }
  if (runStart < at) parts.push(decodeRun(bytes, runStart, at));
  parts.push('"');
  return parts.join("");
}

export function quoteText(text: Text): string {
  if (isBytes(text)) return quoteBytes(text.view());
  return /^[ !#-[\]-~]*$/.test(text) ? `"${text}"` : quoteBytes(encoder.encode(text));
}

/** Length of the UTF-8 sequence that starts at `at`, 0 when there is no valid one (overlong forms and surrogates are not). */
export function sequenceLength(bytes: Uint8Array, at: number): number {
  const lead = bytes[at]!;
  if (lead < 0x80) return 1;
  const next = bytes[at + 1] ?? 0;
  if (lead < 0xc2 || (next & 0xc0) !== 0x80) return 0;
  if (lead < 0xe0) return 2;
  if (((bytes[at + 2] ?? 0) & 0xc0) !== 0x80) return 0;
  if (lead < 0xf0) return (lead === 0xe0 && next < 0xa0) || (lead === 0xed && next >= 0xa0) ? 0 : 3;
  if (lead > 0xf4 || ((bytes[at + 3] ?? 0) & 0xc0) !== 0x80) return 0;
  return (lead === 0xf0 && next < 0x90) || (lead === 0xf4 && next >= 0x90) ? 0 : 4;
}

function codePointAt(bytes: Uint8Array, at: number, length: number): number {
  let point = bytes[at]! & (0x7f >> length);
  for (let i = 1; i < length; i++) point = (point << 6) | (bytes[at + i]! & 0x3f);
  return point;
}

function escapeOf(codePoint: number): string {
  if (printable.test(String.fromCodePoint(codePoint))) return "";
  const hex = codePoint.toString(16);
  return codePoint < 0x10000 ? `\\u${hex.padStart(4, "0")}` : `\\U${hex.padStart(8, "0")}`;
}

function hexByte(byte: number): string {
  return `\\x${byte.toString(16).padStart(2, "0")}`;
}

const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

function decodeRun(bytes: Uint8Array, from: number, to: number): string {
  return decoder.decode(bytes.subarray(from, to));
}
