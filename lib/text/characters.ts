// Counts and finds the code points of strings.

const beyondAscii = /[\u0080-\uffff]/;

/** Returns whether the string contains only ASCII characters. */
export function isAscii(text: string): boolean {
  return !beyondAscii.test(text);
}

/** Returns the number of code points of a string. */
export function characterCount(text: string): number {
  let count = 0;
  for (const _ of text) count++;
  return count;
}

/**
 * Returns the UTF-16 index that is `characters` code points after the index `from`, but at most the length of the
 * string.
 */
export function indexBehind(text: string, from: number, characters: number): number {
  let index = from;
  for (let left = characters; left > 0 && index < text.length; left--) index += characterAt(text, index).length;
  return index;
}

/** Returns the code point at a UTF-16 index, as a string. */
export function characterAt(text: string, index: number): string {
  return String.fromCodePoint(text.codePointAt(index) as number);
}
