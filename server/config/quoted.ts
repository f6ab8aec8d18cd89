// Formats strings of the configuration for messages: in quotes, with control characters escaped, and shortened.

const mostShown = 100;

/** Returns a string in quotes, such as `"a\tb"`. When the string is long, returns its beginning and its length. */
export function quoted(text: string): string {
  const shown = text.length > mostShown ? text.slice(0, mostShown) : text;
  const escaped = JSON.stringify(shown).replace(
    /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
  return text.length > mostShown ? `${escaped}... (${text.length} characters)` : escaped;
}

/** Returns a key as TOML writes it: in quotes only where TOML requires them. */
export function shownKey(key: string): string {
  return /^[\w-]{1,64}$/.test(key) ? key : quoted(key);
}
