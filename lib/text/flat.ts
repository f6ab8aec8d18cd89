// Builds long strings from many short strings, and cuts short strings from long ones, without using much more memory
// than the characters need.

/**
 * Number of strings that are appended to a growing string before its parts are copied into one buffer. V8 keeps a node
 * of 32 bytes for each appended string until the characters are read.
 */
export const mostPieces = 256;

/**
 * Returns the same string in one contiguous buffer. Reading one character makes the JavaScript engine join the parts of
 * the string.
 */
export function flattenString(text: string): string {
  text.charCodeAt(0);
  return text;
}

/**
 * A callback that code calls while it joins a string from parts: the callback receives the length of each joined part
 * before the next part is made. An error that the callback throws ends the joining.
 */
export type CountPiece = (length: number) => void;

/**
 * Maps each item to a string with `map`, and joins all these strings to one string. When `items` is a string,
 * its items are its code points.
 */
export function mapJoined<T>(items: Iterable<T>, map: (item: T) => string, count: CountPiece = () => {}): string {
  let result = "";
  let recent = "";
  let pieces = 0;
  for (const item of items) {
    recent += map(item);
    if (++pieces % mostPieces !== 0) continue;
    count(recent.length);
    result += flattenString(recent);
    recent = "";
  }
  return result + recent;
}

/**
 * Largest length, in UTF-16 units, of a string whose slices are not copied. Each slice keeps the whole string in
 * memory, but a string of this length is short.
 */
const shortWhole = 64;

/**
 * Returns a part of a string. Copies a small part of a long string, because V8 keeps the whole string in memory as long
 * as a slice of it is in use.
 */
export function detachedSlice(whole: string, start: number, end: number): string {
  const part = whole.slice(start, end);
  return whole.length <= shortWhole || part.length * 2 > whole.length ? part : flattenString(` ${part}`).slice(1);
}
