// Wildcards that match whole texts: `*` stands for any characters or none, `?` for one character. A character is a code
// point.

const any = -1;
const run = -2;

/** A code point, `any` or `run`. */
export type WildcardPart = number;

export const wildcardAny: WildcardPart = any;
export const wildcardRun: WildcardPart = run;

/** Parses a wildcard. `\*`, `\?` and `\\` stand for the second character; any other backslash is an ordinary character. */
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

function literalOf(parts: readonly WildcardPart[]): string {
  return parts.map((part) => String.fromCodePoint(part)).join("");
}

/**
 * Tests a text. Only the last run is retried, because a longer match of an earlier run would leave less text. Takes at
 * most parts times text steps.
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
