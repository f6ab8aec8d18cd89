// Texts as columns hold them: a database takes neither U+0000 nor half a surrogate pair.

export function columnText(text: string): string {
  return Buffer.from(text).toString().replaceAll("\0", "\uFFFD");
}

/** For search in upper or lower case. */
export function foldedText(text: string): string {
  return columnText(text.toLowerCase());
}
