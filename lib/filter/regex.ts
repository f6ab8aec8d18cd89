// Connects conditions to the regular expression engine; no other file of this folder uses the engine.

import { Regex } from "../regex/index.ts";

export { RegexSyntaxError } from "../regex/index.ts";

/** Returns a function that tests whether the expression matches anywhere in a string. Throws RegexSyntaxError. */
export function compileSearch(source: string): (text: string) => boolean {
  const regex = Regex.compile(source);
  return (text) => regex.test(text);
}
