// Hints for errors in regular expressions. A hint is a separate text that is shown beside the error message, because
// the message itself must stay the same as RE2's.

import { parse } from "../../regex/syntax/parse.ts";
import { RegexSyntaxError } from "../../regex/syntax/tree.ts";

/**
 * Syntax of other regular-expression engines that Millrace does not support. Each pattern matches the beginning of the
 * fragment that the error message quotes.
 */
const unsupported: readonly (readonly [RegExp, string])[] = [
  [/^\(\?<[=!]?$/, "lookbehind"],
  [/^\(\?[=!]/, "lookahead"],
  [/^\(\?>/, "an atomic group"],
  [/^\(\?#/, "a comment"],
  [/^\\[1-9]/, "a reference to a group, such as \\1,"],
];

/** Returns the hint for an error; undefined when there is no hint. */
export function regexHint({ reason, fragment }: RegexSyntaxError): string | undefined {
  const found = unsupported.find(([beginning]) => beginning.test(fragment))?.[1];
  if (found !== undefined) return `${found} is not supported`;
  return reason.startsWith("invalid nested") ? "possessive and repeated repetition is not supported" : undefined;
}

/** Returns the syntax error in a regular expression; null when it has none. */
export function regexMistake(regex: string): RegexSyntaxError | null {
  try {
    parse(regex, { namedOnly: true });
    return null;
  } catch (error) {
    if (error instanceof RegexSyntaxError) return error;
    throw error;
  }
}
