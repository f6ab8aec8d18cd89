// What the lexers of scripts, of filter conditions and of DQL statements share: where a string ends, which brackets are open,
// and what is said of a character that begins no token.

import type { Offset } from "./ast.ts";
import { codePointName, quotedCharacter } from "./quoting.ts";
import { escapeError } from "./string-literal.ts";

export interface StringRules {
  /** What is said of one that its line ends before its quote. */
  readonly unterminated: string;
  /** Quotes that may be escaped besides the string's own. */
  readonly escapable: string;
  /** Refuses `\X41` here; scripts refuse it when they read the value. */
  readonly refusesX: boolean;
}

/** Where the string that opens at `from` is closed, or what is wrong with it. */
export function closingQuote(text: string, from: Offset, rules: StringRules): Offset | { readonly problem: string } {
  const quote = text[from]!;
  for (let end = from + 1; ; end++) {
    const character = text[end];
    if (character === quote) return end;
    if (character === undefined || character === "\n") return { problem: rules.unterminated };
    if (character !== "\\") continue;
    const escaped = text[end + 1] ?? "";
    if (escaped === "X" && rules.refusesX) return { problem: `unknown escape sequence ${codePointName("X")}` };
    const problem = escapeError(text, end, escaped !== "" && rules.escapable.includes(escaped) ? escaped : quote);
    if (problem !== null) return { problem };
    end++;
  }
}

/** What is said of the character at `at`. */
export function unexpectedCharacter(text: string, at: Offset): string {
  const character = String.fromCodePoint(text.codePointAt(at)!);
  if (character !== "!" && character !== "&" && character !== "|") {
    return `unexpected character: ${quotedCharacter(character)}`;
  }
  const shown = character === "!" ? String.fromCodePoint(text.codePointAt(at + 1) ?? 0xfffd) : character;
  return `unexpected character \`${quotedCharacter(shown)}' after \`!'`;
}

export type Opening = "(" | "[" | "{";

const openings: Readonly<Record<string, Opening | undefined>> = { ")": "(", "]": "[", "}": "{" };

export function isOpening(token: string): token is Opening {
  return token === "(" || token === "[" || token === "{";
}

/** Each kind of bracket is counted on its own; that they nest is the parser's business. */
export class OpenBrackets {
  private readonly counts = { "(": 0, "[": 0, "{": 0 };

  count(bracket: Opening): number {
    return this.counts[bracket];
  }

  get total(): number {
    return this.counts["("] + this.counts["["] + this.counts["{"];
  }

  /** Takes notice of a token. What is wrong, which is reported behind it: `)` or `}` that nothing opened; `]` is left to the parser. */
  take(token: string): string | null {
    if (isOpening(token)) this.counts[token]++;
    const opening = openings[token];
    if (opening === undefined || --this.counts[opening] >= 0 || opening === "[") return null;
    return `unexpected right parenthesis '${token}'`;
  }

  /** What is wrong at the end of the text. */
  unclosed(): string | null {
    if (this.counts["("] > 0) return "unclosed left parenthesis";
    if (this.counts["["] > 0) return "unclosed left bracket";
    return this.counts["{"] > 0 ? "unclosed left brace" : null;
  }
}
