// Texts as columns hold them: a database takes neither U+0000 nor half a surrogate pair.

export function columnText(text: string): string {
  return text.replace(unkept, "\uFFFD");
}

const unkept = /[\0\p{Surrogate}]/gu;

/** Names are shorter; an index of PostgreSQL takes no longer ones. */
const searchedLength = 600;

/** For search in upper or lower case. */
export function foldedText(text: string): string {
  return columnText(text.toLowerCase().slice(0, searchedLength));
}

/** Takes as long for texts that differ early as for those that differ late. */
export function isSameText(a: string, b: string): boolean {
  let difference = a.length ^ b.length;
  for (let at = 0; at < a.length; at++) difference |= a.charCodeAt(at) ^ b.charCodeAt(at);
  return difference === 0;
}
