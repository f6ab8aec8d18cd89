// Quotes input in messages: bytes that cannot be printed become escapes (docs/reference/points.md#errors). A quote
// shows at most 1 KB and says how much is left out, because people read the messages, and the messages are also sent
// back to the sender of the input.

import { isBytes, type Text } from "./bytes.ts";

/** Largest number of bytes of input that a message shows. */
export const mostShown = 1024;

/** Largest number of bytes of a single quote, so that the message has room for its other words. */
export const mostQuoted = 512;

const printable = /^[\p{L}\p{M}\p{N}\p{P}\p{S}]$/u;
const encoder = new TextEncoder();

/** The escape for each byte below 0x80; empty when the byte is printed unchanged. */
const asciiEscapes: readonly string[] = Array.from({ length: 128 }, (_, byte) => {
  const named = `"\\\x07\b\f\n\r\t\v`.indexOf(String.fromCharCode(byte));
  if (named >= 0) return `\\${`"\\abfnrtv`[named]}`;
  return byte < 0x20 || byte === 0x7f ? hexByte(byte) : "";
});

/** Returns the note after a shortened quote, which says that `count` bytes or characters are left out. */
export function omittedNote(count: number, unit: "byte" | "character"): string {
  return `... (${count} more ${unit}${count === 1 ? "" : "s"})`;
}

/**
 * Quotes bytes; each byte that is not valid UTF-8 is shown as an escape such as `\xff`. The quote has at most `most`
 * bytes.
 */
export function quoteBytes(bytes: Uint8Array, most: number = mostQuoted): string {
  const { quote, shown } = quoteStart(bytes, most);
  return shown === bytes.length ? quote : quote + omittedNote(bytes.length - shown, "byte");
}

/** Quotes a string. The quote has at most `most` bytes. */
export function quoteText(text: Text, most: number = mostQuoted): string {
  if (isBytes(text)) return quoteBytes(text.view(), most);
  if (text.length <= most && /^[ !#-[\]-~]*$/.test(text)) return `"${text}"`;
  const bytes = new Uint8Array(Math.min(most, 3 * text.length));
  const { written } = encoder.encodeInto(text, bytes);
  const { quote, shown } = quoteStart(bytes.subarray(0, written), most);
  const units = decodeRun(bytes, 0, shown).length;
  return units === text.length ? quote : quote + omittedNote(text.length - units, "character");
}

/**
 * Quotes as many of the first bytes as fit into a quote of `most` bytes. Returns the quote and the number of
 * quoted bytes.
 */
function quoteStart(bytes: Uint8Array, most: number): { readonly quote: string; readonly shown: number } {
  const parts = ['"'];
  let runStart = 0;
  let at = 0;
  let size = 0;
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
    size += escaped === "" ? width : escaped.length;
    if (size > most) break;
    if (escaped !== "") {
      if (runStart < at) parts.push(decodeRun(bytes, runStart, at));
      parts.push(escaped);
      runStart = at + width;
    }
    at += width;
  }
  if (runStart < at) parts.push(decodeRun(bytes, runStart, at));
  parts.push('"');
  return { quote: parts.join(""), shown: at };
}

/**
 * Returns the length of the UTF-8 sequence that starts at `at`; 0 when it is not valid. Overlong sequences and
 * surrogates are invalid.
 */
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
