// Reads literals from the text of a script: strings, patterns that the script defines, and calls of `grok`.

import { tokenize } from "../../../lib/index.ts";

const controls: Readonly<Record<string, string>> = { a: "\x07", b: "\b", f: "\f", n: "\n", r: "\r", t: "\t", v: "\v" };
const escapes = /\\(?:x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|([0-7]{3})|([\s\S]))/g;

/** Returns the value of a string literal (docs/reference/language.md#strings); null for any other token. */
export function stringOf(token: string): string | null {
  const quoted = /^("""|'''|"|')([\s\S]*)\1$/.exec(token);
  if (quoted === null) return null;
  const [, quote, text] = quoted as unknown as [string, string, string];
  if (quote.length === 3) return text;
  return text.replaceAll(escapes, (_, byte?: string, short?: string, long?: string, octal?: string, other = "") => {
    const hex = byte ?? short ?? long;
    if (hex !== undefined) return String.fromCodePoint(Math.min(Number.parseInt(hex, 16), 0x10ffff));
    return octal === undefined ? (controls[other] ?? other) : String.fromCodePoint(Number.parseInt(octal, 8));
  });
}

/** Returns the texts and offsets of the tokens of a script. The text is empty for an index past the last token. */
function wordsOf(text: string): { readonly word: (index: number) => string; readonly ats: readonly number[] } {
  const { list } = tokenize(text);
  const word = (index: number) => {
    const token = list[index];
    return token === undefined ? "" : text.slice(token.at, token.end);
  };
  return { word, ats: list.map(({ at }) => at) };
}

/** Returns the patterns that scripts define with `add_pattern`, by name. */
export function ownPatterns(texts: readonly string[]): Map<string, string> {
  const found = new Map<string, string>();
  for (const text of texts) {
    const { word, ats } = wordsOf(text);
    for (let index = 0; index < ats.length; index++) {
      if (word(index) !== "add_pattern" || word(index + 1) !== "(" || word(index + 3) !== ",") continue;
      const [name, definition] = [stringOf(word(index + 2)), stringOf(word(index + 4))];
      if (name !== null && definition !== null) found.set(name, definition);
    }
  }
  return found;
}

export interface GrokCall {
  /** Name of the key. The `grok` call matches the text that the point has under this key. */
  readonly key: string;
  readonly expression: string;
  readonly trim: boolean;
}

/** Returns the call of `grok` that begins at the UTF-16 offset `at` of a script; null when there is no such call. */
export function grokCallAt(text: string, at: number): GrokCall | null {
  const { word, ats } = wordsOf(text);
  const first = ats.indexOf(at);
  if (first < 0 || word(first) !== "grok" || word(first + 1) !== "(") return null;
  let index = first + 2;
  let key = "";
  for (; word(index) !== "," && index < ats.length; index++) key += word(index);
  // Skips white space, because a script may break the line after the comma between two arguments.
  const past = (from: number) => {
    let next = from;
    while (/^\s+$/.test(word(next))) next++;
    return next;
  };
  index = past(index + 1);
  const expression = stringOf(word(index));
  if (expression === null) return null;
  index = past(index + 1);
  const trim = word(index) !== "," || word(past(index + 1)) !== "false";
  const name = /^`(.*)`$/s.exec(key.trim())?.[1] ?? stringOf(key.trim()) ?? key.trim();
  return { key: name === "_" ? "message" : name, expression, trim };
}
