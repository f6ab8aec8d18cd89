// Globs: `*` stands for any text, `?` for one character, `\` takes the next character as it is (docs/reference/query.md#filters).

/** As a regular expression of RE2 that the whole value has to match. */
export function globSource(glob: string): string {
  return `(?s)^(?:${globPattern(glob)})$`;
}

/** The same without its ends. */
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

/** Text that a regular expression takes as it stands. */
export function literal(text: string): string {
  return text.replace(/[\\^$.|?*+()[\]{}]/g, "\\$&");
}
