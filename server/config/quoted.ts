// Texts of a configuration as a message shows them: in quotes, with control characters escaped, and not long.

const mostShown = 100;

/** `"a\tb"`; of a long text its beginning and its length. */
export function quoted(text: string): string {
  const shown = text.length > mostShown ? text.slice(0, mostShown) : text;
  const escaped = JSON.stringify(shown).replace(
    /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
  return text.length > mostShown ? `${escaped}... (${text.length} characters)` : escaped;
}

/** A key of a TOML file: as it is when it needs no quotes there. */
export function shownKey(key: string): string {
  return /^[\w-]{1,64}$/.test(key) ? key : quoted(key);
}
