// Tokens of a script (docs/reference/language.md#source-text) and their names in syntax errors
// (docs/reference/language.md#syntax-errors).
//
// The grammar parses a string with one character ("letter") for each token. The table shows the letter on the left and
// the token on the right. All other tokens, such as operators, are their own letters.
//
// | n end of line | i identifier | 0 number       | s string      | T true false | N nil null   |
// | f if          | l elif       | e else         | r for         | I in         | b break      |
// | c continue    | R reserved   | A += -= *= ... | E ==          | X !=         | L <=         |
// | G >=          | & &&         | | ||           | ? lexical error                             |
//
// A bracket with its whole content is one letter, too: P for (...), B for [...], S for [...] with a `:` directly
// inside, C for {...}.

import { quoted } from "../../text/quoting.ts";
import type { Offset } from "./ast.ts";

export type Letter = string;

export interface Token {
  readonly letter: Letter;
  readonly at: Offset;
  readonly end: Offset;
}

/** The first lexical error of a script. */
export interface Mistake {
  readonly message: string;
  readonly at: Offset;
  /**
   * Index of the token with the error: no valid script has this token here. When the error is at the end of the script,
   * this is the number of tokens.
   */
  readonly token: number;
}

export const keywords: ReadonlyMap<string, Letter> = new Map([
  ["if", "f"],
  ["elif", "l"],
  ["else", "e"],
  ["for", "r"],
  ["in", "I"],
  ["break", "b"],
  ["continue", "c"],
  ["true", "T"],
  ["false", "T"],
  ["nil", "N"],
  ["null", "N"],
  ["inf", "0"],
  ["nan", "0"],
  ...["identifier", "while", "return", "str", "int", "float", "bool", "list", "map"].map((word): [string, Letter] => [
    word,
    "R",
  ]),
]);

export type Operator = readonly [text: string, letter: Letter];

/** The operators of the script language, longest first. */
export const operators: readonly Operator[] = [
  ["+=", "A"],
  ["-=", "A"],
  ["*=", "A"],
  ["/=", "A"],
  ["%=", "A"],
  ["==", "E"],
  ["!=", "X"],
  ["<=", "L"],
  [">=", "G"],
  ["&&", "&"],
  ["||", "|"],
  ...[..."+-*/%=<>!()[]{},;:."].map((character): [string, Letter] => [character, character]),
];

/** Names of tokens that error messages print in angle brackets; other tokens are printed in quotes. */
const angled = new Set(["if", "elif", "else", "true", "false", "nil", "null", "identifier"]);

/** Returns the name of a token for the message `unexpected: ...`; `undefined` stands for the end of the script. */
export function tokenName(token: Token | undefined, source: string): string {
  if (token === undefined) return "end of input";
  const text = source.slice(token.at, token.end);
  switch (token.letter) {
    case "n":
      return `end of line ${quoted(text)}`;
    case "i":
      return text.startsWith("`") ? `id ${shortened(text)}` : `id ${quoted(text)}`;
    case "0":
      return `number ${shortened(text)}`;
    case "s":
      return `string ${shortened(text)}`;
    case "&":
    case "|":
      return `<${text}>`;
  }
  if (/^[A-Za-z]/.test(text)) return angled.has(text.toLowerCase()) ? `<${text}>` : quoted(text);
  return /^[()[\]{},;:.]$/.test(text) ? quoted(text) : `<op:'${text}'>`;
}

/**
 * Quotes a text for a message. When the text is longer than 10 bytes, only its first 10 characters are quoted, followed
 * by three dots.
 */
function shortened(text: string): string {
  if (new TextEncoder().encode(text).length <= 10) return quoted(text);
  return `${quoted([...text].slice(0, 10).join(""))}...`;
}
