// Gives hints about errors in regular expressions. The error texts themselves are fixed, so hints are added beside
// them.

import { parse } from "../../regex/syntax/parse.ts";
import { RegexSyntaxError } from "../../regex/syntax/tree.ts";

/** Syntax of other engines, recognized by the beginning of the wrong fragment. */
const unsupported: readonly (readonly [RegExp, string])[] = [
  [/^\(\?<[=!]?$/, "lookbehind"],
  [/^\(\?[=!]/, "lookahead"],
  [/^\(\?>/, "an atomic group"],
  [/^\(\?#/, "a comment"],
  [/^\\[1-9]/, "a reference to a group, such as \\1,"],
];

/** Returns advice about an error; undefined when there is none. */
export function regexHint({ reason, fragment }: RegexSyntaxError): string | undefined {
  const found = unsupported.find(([beginning]) => beginning.test(fragment))?.[1];
  if (found !== undefined) return `${found} is not supported`;
  return reason.startsWith("invalid nested") ? "possessive and repeated repetition is not supported" : undefined;
}

/** Returns the error in an expression; null when there is none. */
export function regexMistake(regex: string): RegexSyntaxError | null {
  try {
    parse(regex, { namedOnly: true });
    return null;
  } catch (error) {
    if (error instanceof RegexSyntaxError) return error;
    throw error;
  }
}
