// Texts as columns hold them: a database takes neither U+0000 nor half a surrogate pair.

export function columnText(text: string): string {
  return Buffer.from(text).toString().replaceAll("\0", "\uFFFD");
}

/** Names are shorter; an index of PostgreSQL takes no longer ones. */
const searchedLength = 600;

/** For search in upper or lower case. */
export function foldedText(text: string): string {
  return columnText(text.toLowerCase().slice(0, searchedLength));
}
