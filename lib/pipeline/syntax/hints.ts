// Adds to an error the position of the mistake itself and a hint at what the author probably meant. Position and
// hint are separate members of the error, because its message and its reported position must not change.

import { nearestName } from "../../text/nearest.ts";
import type { Offset } from "./ast.ts";
import type { Help } from "./errors.ts";
import type { Source } from "./source.ts";
import { keywords, type Mistake, type Token } from "./token.ts";

/** A hint, with its position as a UTF-16 offset into the script. */
export interface HelpAt {
  readonly at?: Offset | undefined;
  readonly hint?: string | undefined;
}

export function helpIn(source: Source, { at, hint }: HelpAt): Help {
  return { ...(at === undefined ? {} : { at: source.position(at) }), ...(hint === undefined ? {} : { hint }) };
}

export function didYouMean(name: string, known: Iterable<string>): string | undefined {
  const near = nearestName(name, known);
  return near === undefined || near === name ? undefined : `did you mean ${near}?`;
}

/** Words of other programming languages, each with the word or operator of the script language that replaces it. */
const words: ReadonlyMap<string, string> = new Map([
  ["and", "&&"],
  ["or", "||"],
  ["not", "!"],
  ["elseif", "elif"],
  ["elsif", "elif"],
  ["none", "nil"],
  ["undefined", "nil"],
]);

/**
 * Returns a hint for a syntax error. `tokens` are the tokens of the script; it is enough to pass the tokens up to the
 * error.
 */
export function helpWith({ text }: Source, tokens: readonly Token[], { message, at, token }: Mistake): HelpAt {
  if (message.startsWith("unclosed left")) {
    const opened = openBracket(tokens, bracketOf(message));
    return opened === undefined ? {} : { at: opened.at, hint: "this bracket is never closed" };
  }
  if (message.startsWith("unknown escape sequence")) return helpWithEscape(text, at);
  if (message.startsWith("unexpected character")) {
    const doubled = /^[&|]/.exec(text.slice(at))?.[0];
    return doubled === undefined ? {} : { hint: `did you mean ${doubled}${doubled}?` };
  }
  if (!message.startsWith("unexpected: ")) return {};
  const [before, here] = [tokens[token - 1], tokens[token]];
  if (here?.letter === "f" && before?.letter === "e") return { at: before.at, hint: "did you mean elif?" };
  if (here?.letter === "=" && isInCondition(tokens, token)) return { hint: "did you mean ==?" };
  for (const each of [here, before, firstOfLine(tokens, token)]) {
    const meant = each?.letter === "i" ? wordFor(text.slice(each.at, each.end)) : undefined;
    if (meant !== undefined) return { at: each!.at === at ? undefined : each!.at, hint: `did you mean ${meant}?` };
  }
  const opened = here === undefined ? undefined : openBracket(tokens.slice(0, token), "([");
  const isBehind = opened !== undefined && text.slice(opened.at, at).includes("\n");
  return isBehind ? { at: opened.at, hint: "this bracket may not be closed" } : {};
}

/**
 * Returns the keyword or operator that the author probably meant when writing `name`. Called only for names next
 * to an error, because elsewhere a name may be similar to a keyword by chance.
 */
function wordFor(name: string): string | undefined {
  const known = words.get(name.toLowerCase());
  if (known !== undefined) return known;
  const near = name.length < 3 ? undefined : nearestName(name, ["if", "elif", "else", "for", "break", "continue"]);
  return near === undefined || keywords.has(name.toLowerCase()) ? undefined : near;
}

function bracketOf(message: string): string {
  return message.endsWith("parenthesis") ? "(" : message.endsWith("brace") ? "{" : "[";
}

/** Returns the innermost bracket of the given types that is still open after the tokens. */
function openBracket(tokens: readonly Token[], kinds: string): Token | undefined {
  const open: Token[] = [];
  for (const token of tokens) {
    if ("([{".includes(token.letter)) open.push(token);
    else if (")]}".includes(token.letter)) {
      const opening = "([{"[")]}".indexOf(token.letter)]!;
      const last = open.findLastIndex(({ letter }) => letter === opening);
      if (last >= 0) open.splice(last, 1);
    }
  }
  return open.findLast(({ letter }) => kinds.includes(letter));
}

/** Returns whether the token is in the condition of an `if` or `elif`. */
function isInCondition(tokens: readonly Token[], token: number): boolean {
  for (let at = token - 1; at >= 0; at--) {
    const { letter } = tokens[at]!;
    if (letter === "f" || letter === "l") return true;
    if ("n;{}".includes(letter)) return false;
  }
  return false;
}

function firstOfLine(tokens: readonly Token[], token: number): Token | undefined {
  let at = Math.min(token, tokens.length) - 1;
  while (at > 0 && !"n;{}".includes(tokens[at - 1]!.letter)) at--;
  return tokens[at];
}

/**
 * Returns a hint for backslashes in a string that are meant for a regular expression. `at` is the offset where the
 * string begins.
 */
function helpWithEscape(text: string, at: Offset): HelpAt {
  for (let i = at + 1; i < text.length && text[i] !== "\n"; i++) {
    if (text[i] !== "\\") continue;
    const letter = text[i + 1] ?? "";
    if (/[^abfnrtv\\"'xXuU0-7]/.test(letter)) {
      const hint = `write \\\\${letter}, or put the text between """ and """, where a backslash is a backslash`;
      return { at: i, hint };
    }
    i++;
  }
  return {};
}

/**
 * Converts `offset`, an index into the value of a string literal, to the offset of the same character in the script.
 * `at` is the offset where the literal begins.
 */
export function offsetInLiteral(text: string, at: Offset, offset: number): Offset {
  const quote = text[at]!;
  if (text.startsWith(quote.repeat(3), at)) return at + 3 + offset;
  let from = at + 1;
  for (let value = 0; value < offset && from < text.length; value++) {
    if (text[from] !== "\\") from++;
    else from += ESCAPE_LENGTHS[text[from + 1]!] ?? (/[0-7]/.test(text[from + 1]!) ? 4 : 2);
  }
  return from;
}

/** Length of an escape sequence in characters, including its backslash, by the letter after the backslash. */
const ESCAPE_LENGTHS: Readonly<Record<string, number>> = { x: 4, X: 4, u: 6, U: 10 };
