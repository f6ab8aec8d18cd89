// Long texts that are made of many short pieces.

/** Pieces of a text that grows: V8 keeps a node of 32 bytes for each of them until somebody reads the text. */
export const mostPieces = 256;

/** Returns a text whose characters lie in one place: reading one of them has the engine join the pieces. */
export function flat(text: string): string {
  text.charCodeAt(0);
  return text;
}

/** Is called with the length of each piece of a text before the next one is made; what it throws ends the making. */
export type CountPiece = (length: number) => void;

/** Returns the pieces of all items in one text; for a text, the items are its code points. */
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

/** Up to so many characters, a text is kept for the sake of a part of it. */
const shortWhole = 64;

/** Returns a part of a text. V8 keeps the whole as long as a slice of it is there: a small part of a long text is copied. */
export function partOf(whole: string, start: number, end: number): string {
  const part = whole.slice(start, end);
  return whole.length <= shortWhole || part.length * 2 > whole.length ? part : flat(` ${part}`).slice(1);
}
