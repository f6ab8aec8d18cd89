// Globs: `*` stands for any characters, `?` for one character, and `\` makes the next character literal
// (docs/reference/query.md#filters).

/** Returns an RE2 regular expression that matches the same whole values as the glob. */
export function globSource(glob: string): string {
  return `(?s)^(?:${globPattern(glob)})$`;
}

/** Returns the regular expression of a glob without the anchors for the whole value. */
export function globPattern(glob: string): string {
  let source = "";
  const characters = [...glob];
  for (let at = 0; at < characters.length; at++) {
    const character = characters[at]!;
    if (character === "*") source += ".*";
    else if (character === "?") source += ".";
    else source += literal(character === "\\" && at + 1 < characters.length ? characters[++at]! : character);
  }
  return source;
}

/** Escapes a string so that a regular expression matches it literally. */
export function literal(text: string): string {
  return text.replace(/[\\^$.|?*+()[\]{}]/g, "\\$&");
}
