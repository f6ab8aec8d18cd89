// Makes input safe to show in messages: shortens it to 1 KB with a note about the remainder, and escapes characters
// that control a terminal, end a line or reverse the direction of text. quote.ts makes the quotes that
// docs/reference/points.md#errors describes.

import { mostShown, omittedNote } from "./quote.ts";
import { byteLength, cutText, isLonger } from "./utf8.ts";

/**
 * Matches unsafe characters: control characters, line separators, lone surrogates, and format characters such as those
 * for bidirectional text, but not the characters that join letters.
 */
const unsafe = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}]|(?!\p{Join_Control})\p{Cf}/gu;
const plain = /^[ -~]*$/;

/** Returns the string on one line: each unsafe character becomes an escape such as `\n`, `\x1b` or `\u202e`. */
export function escapeControls(text: string): string {
  return plain.test(text) ? text : text.replace(unsafe, escapeOf);
}

/**
 * Returns a text of several lines in which all unsafe characters except newlines and tabs are replaced by
 * escapes.
 */
export function escapeLines(text: string): string {
  return text.replace(unsafe, (character) => (/[\n\t]/.test(character) ? character : escapeOf(character)));
}

/**
 * Escapes, in a JSON text, the characters that must not reach a terminal (control characters and the like), and
 * returns the new JSON text. It has the same JSON value and the same newlines as the given text.
 */
export function escapeJson(json: string): string {
  return json.replace(unsafe, (character) => {
    if (character === "\n") return character;
    return Array.from({ length: character.length }, (_, at) => `\\u${hex(character.charCodeAt(at), 4)}`).join("");
  });
}

/**
 * Returns at most the first `most` bytes of the string, unchanged, and a note of how many characters (UTF-16 units) are
 * left out.
 */
export function shortenedText(text: string, most: number = mostShown): string {
  const shown = cutText(text, most);
  return shown.length === text.length ? text : shown + omittedNote(text.length - shown.length, "character");
}

/**
 * Returns at most `most` bytes of the string with its unsafe characters escaped, on one line, and a note of how many
 * characters (UTF-16 units) are left out.
 */
export function shownText(text: string, most: number = mostShown): string {
  if (text.length <= most && plain.test(text)) return text;
  // The result is built from single characters, because a slice would keep the whole input string in memory.
  let shown = "";
  let taken = 0;
  let room = most;
  for (const character of cutText(text, most)) {
    const next = escapeControls(character);
    if (isLonger(next, room)) break;
    room -= byteLength(next);
    shown += next;
    taken += character.length;
  }
  return taken === text.length ? shown : shown + omittedNote(text.length - taken, "character");
}

function escapeOf(character: string): string {
  const code = character.codePointAt(0)!;
  if (character === "\n") return "\\n";
  if (character === "\r") return "\\r";
  if (character === "\t") return "\\t";
  if (code < 0x100) return `\\x${hex(code, 2)}`;
  return code < 0x10000 ? `\\u${hex(code, 4)}` : `\\u{${hex(code, 1)}}`;
}

function hex(code: number, width: number): string {
  return code.toString(16).padStart(width, "0");
}
