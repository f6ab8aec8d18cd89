// Sets one member of a JSON object directly in the JSON text and leaves all other bytes of the text unchanged.
// If the text were parsed and written anew, numbers above 2^53 would lose digits.

/**
 * Returns the JSON text of an object with the member `name` set to the given value. When the text has several
 * members with this name, all of them get the value. When it has none, the new member is put before all others.
 */
export function withMember(text: string, name: string, value: string): string {
  const written = JSON.stringify(value);
  let result = "";
  let kept = 0;
  for (const { start, end } of valuesOf(text, name)) {
    result += text.slice(kept, start) + written;
    kept = end;
  }
  if (kept > 0) return result + text.slice(kept);
  const inside = text.indexOf("{") + 1;
  const rest = text.slice(inside);
  return `${text.slice(0, inside)}${JSON.stringify(name)}:${written}${/^\s*\}/.test(rest) ? "" : ","}${rest}`;
}

interface Span {
  readonly start: number;
  readonly end: number;
}

const quote = 0x22;
const backslash = 0x5c;
const comma = 0x2c;
const colon = 0x3a;

/**
 * Finds the values of all members with the given name in the outermost object. Returns the position of each
 * value in the text: its start and its end, including the white space around the value.
 */
function valuesOf(text: string, name: string): Span[] {
  const found: Span[] = [];
  let depth = 0;
  /**
   * The index at which the value of the current member of the outermost object begins, directly after the colon.
   * It is -1 while the name of the member is read.
   */
  let start = -1;
  let isWanted = false;
  const endMember = (end: number) => {
    if (isWanted) found.push({ start, end });
    start = -1;
    isWanted = false;
  };
  for (let at = text.indexOf("{"); at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (unit === quote) {
      const end = closingQuote(text, at);
      if (depth === 1 && start < 0) isWanted = isName(text.slice(at, end + 1), name);
      at = end;
    } else if (unit === 0x5b || unit === 0x7b) depth++;
    else if (unit === 0x5d || unit === 0x7d) {
      if (--depth === 0) endMember(at);
    } else if (depth === 1 && unit === colon) start = at + 1;
    else if (depth === 1 && unit === comma) endMember(at);
  }
  return found;
}

/** Returns the index of the quote that closes a string. `at` is the index of the quote that opens the string. */
function closingQuote(text: string, at: number): number {
  let end = at + 1;
  while (text.charCodeAt(end) !== quote) end += text.charCodeAt(end) === backslash ? 2 : 1;
  return end;
}

/**
 * Returns whether the JSON string `quoted` (with its quotes, and perhaps with escapes) stands for the string `name`.
 */
function isName(quoted: string, name: string): boolean {
  return quoted.includes("\\") ? JSON.parse(quoted) === name : quoted.slice(1, -1) === name;
}
