// Strings that try to control a terminal, forge a log line, or reverse the order of the text around them.

export const hostileTexts: readonly (readonly [name: string, text: string])[] = [
  ["colours", "\x1b[31mred\x1b[0m"],
  ["a new title and the bell", "\x1b]0;owned\x07"],
  ["an end of line", "one\n2026-01-01T00:00:00.000Z INFO forged"],
  ["a carriage return", "one\rforged"],
  ["NUL, backspace and DEL", "a\x00\b\x7f"],
  ["C1", "\x9b31mred\x85"],
  ["separators of lines", "a\u2028b\u2029c"],
  ["marks of order", "\u202egnp.exe\u2066\u2069\u200f"],
];

/** One line of input with all hostile strings. Their line feeds are replaced by spaces. */
export const hostileLine = hostileTexts
  .map(([, text]) => text)
  .join(" ")
  .replaceAll("\n", " ");

/**
 * Returns the characters in a text that must not be shown to people. Newlines and tabs are allowed, because they belong
 * to the layout.
 */
export function unsafeIn(text: string): readonly string[] {
  return (
    text
      .replaceAll(/[\n\t]/g, "")
      .match(/[\p{Cc}\p{Cs}\p{Zl}\p{Zp}]|(?!\p{Join_Control})\p{Cf}/gu)
      ?.map((character) => character.codePointAt(0)!.toString(16)) ?? []
  );
}
