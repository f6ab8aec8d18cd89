// Returns a string that any database column can store: each U+0000 and each surrogate that is not part of a pair
// is replaced by U+FFFD, because databases refuse such characters.

export function columnText(text: string): string {
  return text.replace(unkept, "\uFFFD");
}

const unkept = /[\0\p{Surrogate}]/gu;

/**
 * Maximum length in characters of a name in the search index, because PostgreSQL cannot store longer strings in
 * an index. All valid names are shorter.
 */
const searchedLength = 600;

/** Returns a string in lower case, for searches that ignore case. */
export function foldedText(text: string): string {
  return columnText(text.toLowerCase().slice(0, searchedLength));
}

/** Compares two strings in constant time, so that the duration does not reveal where they differ. */
export function isSameText(a: string, b: string): boolean {
  let difference = a.length ^ b.length;
  for (let at = 0; at < a.length; at++) difference |= a.charCodeAt(at) ^ b.charCodeAt(at);
  return difference === 0;
}
