// The one place of conditions that knows the regular expressions: whether one is found anywhere in a text.

import { Regex } from "../regex/index.ts";

export { RegexSyntaxError } from "../regex/index.ts";

/** Throws RegexSyntaxError. */
export function compileSearch(source: string): (text: string) => boolean {
  const regex = Regex.compile(source);
  return (text) => regex.test(text);
}
