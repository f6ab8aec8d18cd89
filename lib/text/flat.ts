// Long texts that are made of many short pieces.

/** Number of pieces after which a growing text is joined: V8 keeps a node of 32 bytes for each piece until somebody reads the text. */
export const mostPieces = 256;

/** Returns the same text with its pieces joined: the engine joins them when one character is read. */
export function flat(text: string): string {
  text.charCodeAt(0);
  return text;
}

/** Receives the length of each joined piece of a text before the next piece is made; an error that it throws ends the work. */
export type CountPiece = (length: number) => void;

/** Maps each item to a piece and returns the pieces as one text; the items of a text are its code points. */
export function mapped<T>(items: Iterable<T>, map: (item: T) => string, count: CountPiece = () => {}): string {
  let result = "";
  let recent = "";
  let pieces = 0;
  for (const item of items) {
    recent += map(item);
    if (++pieces % mostPieces !== 0) continue;
    count(recent.length);
    result += flat(recent);
    recent = "";
  }
  return result + recent;
}

/** Longest text, in UTF-16 units, of which a part may keep the whole in memory. */
const shortWhole = 64;

/** Returns a part of a text. Copies a small part of a long text, because V8 keeps the whole text as long as a slice of it lives. */
export function partOf(whole: string, start: number, end: number): string {
  const part = whole.slice(start, end);
  return whole.length <= shortWhole || part.length * 2 > whole.length ? part : flat(` ${part}`).slice(1);
}
