// Reads JSON text value by value without validating it: members and elements are returned as their source text, and
// values before a damaged part of the text are still found (docs/reference/functions.md#gjson).

/** A JSON value as its source text. */
export type Raw = string;

/**
 * One step of a path: takes the source text of a value and returns the source text of an inner value; undefined when
 * there is none.
 */
export type Step = (raw: Raw) => Raw | undefined;

const BLANK = /[\t\n\r ]*/y;

function skipBlanks(text: string, at: number): number {
  BLANK.lastIndex = at;
  return BLANK.test(text) ? BLANK.lastIndex : at;
}

function stringEnd(text: string, at: number): number {
  for (let i = at + 1; i < text.length; i++) {
    if (text[i] === "\\") i++;
    else if (text[i] === '"') return i + 1;
  }
  return text.length;
}

/**
 * Returns the offset at which the JSON value that begins at `at` ends; the end of the text when the value is cut off.
 */
function valueEnd(text: string, at: number): number {
  const first = text[at];
  if (first === '"') return stringEnd(text, at);
  if (first === "{" || first === "[") {
    let depth = 0;
    for (let i = at; i < text.length; i++) {
      const c = text[i];
      if (c === '"') i = stringEnd(text, i) - 1;
      else if (c === "{" || c === "[") depth++;
      else if (c === "}" || c === "]") {
        depth--;
        if (depth === 0) return i + 1;
      }
    }
    return text.length;
  }
  let end = at;
  while (end < text.length && !/[\s,}\]:]/.test(text[end] as string)) end++;
  return end;
}

/** Returns the source text of the first JSON value in `text`. */
export function firstValue(text: string): Raw {
  const at = skipBlanks(text, 0);
  return text.slice(at, valueEnd(text, at));
}

/** Returns the values of a text that contains several JSON values, such as JSON lines. */
export function valuesOf(text: string): Raw[] {
  const values: Raw[] = [];
  for (let at = skipBlanks(text, 0); at < text.length; at = skipBlanks(text, at)) {
    const end = Math.max(valueEnd(text, at), at + 1);
    values.push(text.slice(at, end));
    at = end;
  }
  return values;
}

export function elementsOf(raw: Raw): Raw[] {
  const elements: Raw[] = [];
  for (let at = skipBlanks(raw, 1); at < raw.length && raw[at] !== "]"; ) {
    const end = valueEnd(raw, at);
    if (end === at) break;
    elements.push(raw.slice(at, end));
    at = skipBlanks(raw, end);
    if (raw[at] !== ",") break;
    at = skipBlanks(raw, at + 1);
  }
  return elements;
}

export function* membersOf(raw: Raw): Generator<readonly [name: string, value: Raw]> {
  for (let at = skipBlanks(raw, 1); raw[at] === '"'; ) {
    const nameEnd = stringEnd(raw, at);
    const name = stringText(raw.slice(at, nameEnd));
    at = skipBlanks(raw, nameEnd);
    if (raw[at] !== ":") return;
    at = skipBlanks(raw, at + 1);
    const end = valueEnd(raw, at);
    if (end === at) return;
    yield [name, raw.slice(at, end)];
    at = skipBlanks(raw, end);
    if (raw[at] !== ",") return;
    at = skipBlanks(raw, at + 1);
  }
}

const SHORT: Readonly<Record<string, string>> = { b: "\b", f: "\f", n: "\n", r: "\r", t: "\t" };

/** Returns the value of a JSON string, given its source text. An invalid escape is kept unchanged. */
export function stringText(raw: Raw): string {
  const body = raw.slice(1, raw.length > 1 && raw.endsWith('"') ? -1 : undefined);
  if (!body.includes("\\")) return body;
  const text = body.replace(/\\(?:u([0-9A-Fa-f]{4})|(.))/gs, (_, code?: string, letter?: string) =>
    code !== undefined
      ? String.fromCharCode(Number.parseInt(code, 16))
      : (SHORT[letter as string] ?? (letter as string)),
  );
  return text.replace(/\p{Surrogate}/gu, "\ufffd");
}
