// Hints about mistakes in regular expressions. The error texts themselves are fixed, so hints stand beside them.

import { parse } from "../../regex/syntax/parse.ts";
import { RegexSyntaxError } from "../../regex/syntax/tree.ts";

/** Syntax of other engines, by how the fragment at fault begins. */
const unsupported: readonly (readonly [RegExp, string])[] = [
  [/^\(\?<[=!]?$/, "lookbehind"],
  [/^\(\?[=!]/, "lookahead"],
  [/^\(\?>/, "an atomic group"],
  [/^\(\?#/, "a comment"],
  [/^\\[1-9]/, "a reference to a group, such as \\1,"],
];

/** Advice on a mistake; undefined when there is none. */
export function regexHint({ reason, fragment }: RegexSyntaxError): string | undefined {
  const found = unsupported.find(([beginning]) => beginning.test(fragment))?.[1];
  if (found !== undefined) return `${found} is not supported`;
  return reason.startsWith("invalid nested") ? "possessive and repeated repetition is not supported" : undefined;
}

/** Returns the mistake in an expression; null when there is none. */
export function regexMistake(regex: string): RegexSyntaxError | null {
  try {
    parse(regex, { namedOnly: true });
    return null;
  } catch (error) {
    if (error instanceof RegexSyntaxError) return error;
    throw error;
  }
}
