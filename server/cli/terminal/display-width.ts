// Measures how many columns of a terminal a string takes, and cuts strings to a width.

const wide =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Emoji_Presentation}\u3000-\u303f\uff00-\uff60\uffe0-\uffe6]/u;
const none = /^(?:\p{M}|[\u200b-\u200d])/u;

export function displayWidth(text: string): number {
  if (/^[\x20-\x7e]*$/.test(text)) return text.length;
  let width = 0;
  for (const character of text) width += widthOf(character);
  return width;
}

function widthOf(character: string): number {
  if (none.test(character)) return 0;
  return wide.test(character) ? 2 : 1;
}

/** Returns the string unchanged, or its beginning followed by `…` when it is wider than `width` columns. */
export function cutTo(text: string, width: number): string {
  if (displayWidth(text) <= width) return text;
  let taken = "";
  let at = 0;
  for (const character of text) {
    const next = at + widthOf(character);
    if (next > width - 1) break;
    taken += character;
    at = next;
  }
  return `${taken}…`;
}
