// Prepares input for messages to people: at most 1 KB of it, with a note of how much was left out, and without
// characters that control a terminal, end a line or reverse the order of the text around them. quote.ts makes the
// quotes of docs/reference/points.md#errors.

import { leftOut, mostShown } from "./quote.ts";
import { byteLength, cutText, isLonger } from "./utf8.ts";

/**
 * C0, DEL, C1, line separators, lone surrogates, and format characters (bidi controls are some of them) except those
 * that join letters.
 */
const unsafe = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}]|(?!\p{Join_Control})\p{Cf}/gu;
const plain = /^[ -~]*$/;

/** Returns the text on one line, with an escape in place of each character that is unsafe to print: `\n`, `\x1b`, `\u202e`. */
export function escapeControls(text: string): string {
  return plain.test(text) ? text : text.replace(unsafe, escapeOf);
}

/** Returns a text that is laid out in lines: its newlines and tabs stay, other unsafe characters become escapes. */
export function escapeLines(text: string): string {
  return text.replace(unsafe, (character) => (/[\n\t]/.test(character) ? character : escapeOf(character)));
}

/** Returns JSON text of the same meaning in which unsafe characters are written as escapes of JSON; its newlines stay. */
export function escapeJson(json: string): string {
  return json.replace(unsafe, (character) => {
    if (character === "\n") return character;
    return Array.from({ length: character.length }, (_, at) => `\\u${hex(character.charCodeAt(at), 4)}`).join("");
  });
}

/** Returns the text as it is up to `most` bytes, then says how many characters (UTF-16 units) are left out. */
export function shortenedText(text: string, most: number = mostShown): string {
  const shown = cutText(text, most);
  return shown.length === text.length ? text : shown + leftOut(text.length - shown.length, "character");
}

/** Returns the text escaped on one line up to `most` bytes, then says how many characters (UTF-16 units) are left out. */
export function shownText(text: string, most: number = mostShown): string {
  if (text.length <= most && plain.test(text)) return text;
  // The text is built from single characters, because a slice would keep the whole input in memory.
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
  return taken === text.length ? shown : shown + leftOut(text.length - taken, "character");
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
