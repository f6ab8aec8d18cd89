// Finds the position of a value in a JSON text by its path. The text may have an error after the value, because the
// search reads only up to the value.

/** A range of a text in UTF-16 indexes; `to` is the index after its last unit. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

export interface Member extends Span {
  /** The name of a member of an object, or the index of an element of a list. */
  readonly key: string | number;
}

/**
 * Returns the range of the value at `path`. When there is no such value, returns the range of the innermost existing
 * value on the path.
 */
export function spanAt(text: string, path: readonly (string | number)[], start = 0): Span {
  const from = afterBlanks(text, start);
  let span: Span = { from, to: endOf(text, from) };
  for (const key of path) {
    let found: Span | null = null;
    for (const member of membersOf(text, span.from)) {
      if (member.key !== key) continue;
      found = member;
      // An object may have two members with the same name. The last of them is used.
      if (typeof key === "number") break;
    }
    if (found === null) break;
    span = found;
  }
  return span;
}

/** Returns the elements of the list, or the members of the object, that begins at `start`. */
export function* membersOf(text: string, start: number): Generator<Member> {
  const isList = text[start] === "[";
  if (!isList && text[start] !== "{") return;
  let at = afterBlanks(text, start + 1);
  for (let index = 0; at < text.length && text[at] !== "]" && text[at] !== "}"; index++) {
    let key: string | number = index;
    if (!isList) {
      const name = nameAt(text, at);
      if (name === null) return;
      key = name.key;
      at = afterBlanks(text, name.to);
      if (text[at] !== ":") return;
      at = afterBlanks(text, at + 1);
    }
    const to = endOf(text, at);
    if (to === at) return;
    yield { key, from: at, to };
    at = afterBlanks(text, to);
    if (text[at] !== ",") return;
    at = afterBlanks(text, at + 1);
  }
}

function nameAt(text: string, from: number): { readonly key: string; readonly to: number } | null {
  if (text[from] !== '"') return null;
  const to = endOf(text, from);
  try {
    return { key: JSON.parse(text.slice(from, to)) as string, to };
  } catch {
    return null;
  }
}

const blanks = /[ \t\r\n]*/y;
const string = /"(?:[^"\\]|\\.)*"?/sy;
const scalar = /[^\s[\]{},:"]*/y;
/** Matches the next bracket or quote. The caller skips strings, because a bracket inside a string does not count. */
const structure = /[[\]{}"]/g;

function afterBlanks(text: string, at: number): number {
  return endOfMatch(blanks, text, at);
}

/** Returns the index after the JSON value that begins at `from`; the end of the text when the value is not complete. */
function endOf(text: string, from: number): number {
  if (text[from] === '"') return endOfMatch(string, text, from);
  if (text[from] !== "[" && text[from] !== "{") return endOfMatch(scalar, text, from);
  let depth = 0;
  structure.lastIndex = from;
  for (let found = structure.exec(text); found !== null; found = structure.exec(text)) {
    const [character] = found;
    if (character === '"') structure.lastIndex = endOfMatch(string, text, found.index);
    else {
      depth += character === "[" || character === "{" ? 1 : -1;
      if (depth === 0) return found.index + 1;
    }
  }
  return text.length;
}

function endOfMatch(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : at;
}
