// Wildcard patterns that match whole strings: `*` stands for any number of characters, `?` for one character. A
// character is a Unicode code point.

const any = -1;
const run = -2;

/** One part of a parsed pattern: a code point, `any` (the wildcard `?`) or `run` (the wildcard `*`). */
export type WildcardPart = number;

export const wildcardAny: WildcardPart = any;
export const wildcardRun: WildcardPart = run;

/**
 * Parses a wildcard pattern. `\*`, `\?` and `\\` stand for the literal `*`, `?` and `\`; any other backslash is an
 * ordinary character.
 */
export function parseWildcard(source: string): WildcardPart[] {
  const parts: WildcardPart[] = [];
  const characters = [...source];
  for (let at = 0; at < characters.length; at++) {
    const character = characters[at]!;
    const next = characters[at + 1];
    if (character === "\\" && (next === "*" || next === "?" || next === "\\")) {
      parts.push(next.codePointAt(0)!);
      at++;
    } else parts.push(character === "*" ? run : character === "?" ? any : character.codePointAt(0)!);
  }
  return parts;
}

export function compileWildcard(source: string): (text: string) => boolean {
  return wildcardTest(parseWildcard(source));
}

export function wildcardTest(parts: readonly WildcardPart[]): (text: string) => boolean {
  const firstSpecial = parts.findIndex((part) => part < 0);
  if (firstSpecial < 0) {
    const literal = literalOf(parts);
    return (text) => text === literal;
  }
  if (firstSpecial === parts.length - 1 && parts[firstSpecial] === run) {
    const prefix = literalOf(parts.slice(0, -1));
    return (text) => text.startsWith(prefix);
  }
  return (text) => matches(parts, text);
}

/** Returns the text of a pattern's parts, all of which must be code points and not wildcards. */
export function literalOf(parts: readonly WildcardPart[]): string {
  return parts.map((part) => String.fromCodePoint(part)).join("");
}

/**
 * Tests a string. Only the last `*` before a mismatch is retried with a longer match, because a longer match of an
 * earlier `*` would only leave less of the string for the later parts. The time is at most proportional to the length
 * of the pattern times the length of the string.
 */
function matches(parts: readonly WildcardPart[], text: string): boolean {
  let part = 0;
  let at = 0;
  let runPart = -1;
  let runAt = 0;
  while (at < text.length) {
    const code = text.codePointAt(at)!;
    const wanted = parts[part];
    if (wanted === run) {
      runPart = part++;
      runAt = at;
    } else if (wanted === code || wanted === any) {
      part++;
      at += code > 0xffff ? 2 : 1;
    } else if (runPart >= 0) {
      part = runPart + 1;
      runAt += text.codePointAt(runAt)! > 0xffff ? 2 : 1;
      at = runAt;
    } else return false;
  }
  while (parts[part] === run) part++;
  return part === parts.length;
}
