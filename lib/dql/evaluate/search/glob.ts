// Globs: `*` stands for any text, `?` for one character, `\` takes the next character as it is (docs/reference/query.md#filters).

/** Returns the glob as an RE2 regular expression that matches the whole value. */
export function globSource(glob: string): string {
  return `(?s)^(?:${globPattern(glob)})$`;
}

/** Returns the pattern of a glob without anchors. */
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

/** Escapes a text so that a regular expression matches it literally. */
export function literal(text: string): string {
  return text.replace(/[\\^$.|?*+()[\]{}]/g, "\\$&");
}
