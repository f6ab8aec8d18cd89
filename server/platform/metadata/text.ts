// Returns a text that a database column can hold: databases take neither U+0000 nor half a surrogate pair.

export function columnText(text: string): string {
  return text.replace(unkept, "\uFFFD");
}

const unkept = /[\0\p{Surrogate}]/gu;

/**
 * Maximum length of the searched part of a name. Names are shorter; an index of PostgreSQL cannot hold longer texts.
 */
const searchedLength = 600;

/** Returns a text in lower case, for search. */
export function foldedText(text: string): string {
  return columnText(text.toLowerCase().slice(0, searchedLength));
}

/** Compares two texts in constant time, so that the duration does not reveal where they differ. */
export function isSameText(a: string, b: string): boolean {
  let difference = a.length ^ b.length;
  for (let at = 0; at < a.length; at++) difference |= a.charCodeAt(at) ^ b.charCodeAt(at);
  return difference === 0;
}
