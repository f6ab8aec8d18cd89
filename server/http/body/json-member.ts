// Sets one member of an object in its JSON text and leaves all other bytes of the text unchanged. Parsing the text and
// writing it again would lose digits of numbers above 2^53.

/**
 * Returns the JSON text of an object in which the member has the given value. When several members have the name, all
 * of them get the value. When no member has the name, a new member with the name becomes the first one.
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
 * Finds the values of all members with the given name in the outermost object. Returns the range of each value in the
 * text, with the white space around it.
 */
function valuesOf(text: string, name: string): Span[] {
  const found: Span[] = [];
  let depth = 0;
  /**
   * Index at which the value of the current member begins, directly after the colon; -1 while the name of the member is
   * read. Only members of the outermost object count.
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
