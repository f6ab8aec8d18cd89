// Tokens of a condition (docs/reference/gateway.md#conditions) and their names in syntax errors
// (docs/errors.md#queries).
//
// The grammar reads a string in which one character stands for each token. These are the characters:
//
// | i identifier | b backquoted | s string    | 0 number       | D duration  | T true false | N nil null |
// | A and &&     | O or \|\|    | I in        | J notin not_in | M match     | W notmatch not_match      |
// | R re         | F identifier | K reserved  | E = ==         | X !=        | L <=         | G >=       |
// | ? lexical error; all others stand for themselves                                                     |

import { quoted } from "../text/quoting.ts";

/** UTF-16 offset in the source text of a condition. */
export type Offset = number;

export type Letter = string;

export interface Token {
  readonly letter: Letter;
  readonly at: Offset;
  readonly end: Offset;
}

/** Keywords in lower case, with their letters in the grammar. A condition may write keywords in any case. */
export const keywords: ReadonlyMap<string, Letter> = new Map([
  ["and", "A"],
  ["or", "O"],
  ["in", "I"],
  ["notin", "J"],
  ["not_in", "J"],
  ["match", "M"],
  ["notmatch", "W"],
  ["not_match", "W"],
  ["true", "T"],
  ["false", "T"],
  ["nil", "N"],
  ["null", "N"],
  ["re", "R"],
  ["identifier", "F"],
  ...["as", "asc", "auto", "by", "desc", "filter", "int", "float", "limit", "link", "offset", "order", "slimit"].map(
    (word): [string, Letter] => [word, "K"],
  ),
  ...["soffset", "tz", "with", "inf", "nan"].map((word): [string, Letter] => [word, "K"]),
]);

/** The operators and their letters in the grammar, the longest operators first. */
export const operators: readonly (readonly [string, Letter])[] = [
  ["==", "E"],
  ["!=", "X"],
  ["<=", "L"],
  [">=", "G"],
  ["&&", "A"],
  ["||", "O"],
  ["=", "E"],
  ...[..."+-*/%^<>()[]{},;."].map((character): [string, Letter] => [character, character]),
];

/**
 * Returns the name of a token for error messages such as `unexpected: ...`; `undefined` stands for the end of the text.
 */
export function tokenName(token: Token | undefined, source: string): string {
  if (token === undefined) return "end of input";
  const text = source.slice(token.at, token.end);
  switch (token.letter) {
    case "i":
    case "b":
      return `id ${quoted(text)}`;
    case "0":
      return `number ${shortened(text)}`;
    case "D":
      return `duration ${shortened(text)}`;
    case "s":
      return `string ${shortened(text)}`;
  }
  if (/^[A-Za-z&|]/.test(text)) return `<${text}>`;
  return /^[()[\]{},;.=]/.test(text) ? quoted(text) : `<op:'${text}'>`;
}

function shortened(text: string): string {
  const characters = [...text];
  return characters.length <= 10 ? quoted(text) : `${quoted(characters.slice(0, 10).join(""))}...`;
}
