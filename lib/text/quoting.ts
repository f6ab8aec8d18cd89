// Quotes text for error messages (docs/reference/language.md#syntax-errors).

import { type CountPiece, mapJoined } from "./flat.ts";

const named: Readonly<Record<string, string>> = {
  "\u0007": "\\a",
  "\b": "\\b",
  "\f": "\\f",
  "\n": "\\n",
  "\r": "\\r",
  "\t": "\\t",
  "\v": "\\v",
  "\\": "\\\\",
};

/** Returns whether the character can be printed: a letter, mark, number, punctuation, symbol or the plain space. */
export function isPrintable(character: string): boolean {
  return /^[\p{L}\p{M}\p{N}\p{P}\p{S} ]$/u.test(character);
}

/** Returns the text in double quotes with escapes: `"a\"b"`. */
export function quoted(text: string): string {
  return enclosed(text, '"');
}

/** Returns one code point in single quotes: `'\f'`. */
export function quotedCharacter(character: string): string {
  return enclosed(character, "'");
}

/**
 * Returns the text in the given quotes, with escapes. When `ascii` is true, characters beyond ASCII are escaped, too.
 */
export function enclosed(text: string, quote: '"' | "'", ascii = false, count?: CountPiece): string {
  const shown = (character: string) =>
    character === quote ? `\\${quote}` : (named[character] ?? escaped(character, ascii));
  return quote + mapJoined(text, shown, count) + quote;
}

function escaped(character: string, ascii: boolean): string {
  if (isPrintable(character) && (!ascii || character < "\x80")) return character;
  const code = character.codePointAt(0)!;
  if (code < 0x80) return `\\x${hex(code, 2)}`;
  if (code >= 0xd800 && code <= 0xdfff) return "\ufffd";
  return code > 0xffff ? `\\U${hex(code, 8)}` : `\\u${hex(code, 4)}`;
}

function hex(code: number, width: number): string {
  return code.toString(16).padStart(width, "0");
}

/** Returns the Unicode name of a code point: `U+0064 'd'`, or only the number when the character cannot be printed. */
export function codePointName(character: string): string {
  const name = `U+${character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, "0")}`;
  return isPrintable(character) ? `${name} '${character}'` : name;
}
