// The only file of conditions that uses the regular expression engine.

import { Regex } from "../regex/index.ts";

export { RegexSyntaxError } from "../regex/index.ts";

/** Returns a test whether the expression matches anywhere in a text. Throws RegexSyntaxError. */
export function compileSearch(source: string): (text: string) => boolean {
  const regex = Regex.compile(source);
  return (text) => regex.test(text);
}
