// The reserved words of DQL (docs/reference/query.md#names-texts-and-numbers), in lower case. A name that equals a
// reserved word must be written in backquotes.

const keywords: ReadonlySet<string> = new Set(
  (
    "and as asc auto by desc distinct false filter group having identifier in limit linear link nil not notin not_in null " +
    "offset or order previous re slimit soffset sorder true tz with"
  ).split(" "),
);

/** Returns whether the word is reserved. Upper and lower case make no difference. */
export function isKeyword(word: string): boolean {
  return keywords.has(word.toLowerCase());
}
