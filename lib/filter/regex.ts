// Connects conditions to the regular expression engine; no other file of this folder uses the engine.

import { Regex } from "../regex/index.ts";

export { RegexSyntaxError } from "../regex/index.ts";

/** A compiled regular expression, which is searched for in strings. */
export interface Search {
  /** Returns whether the expression matches anywhere in a string. */
  found(text: string): boolean;
  /** The prefix that all matching strings have in common; may be empty. */
  readonly start: string;
}

/** Compiles a regular expression of a condition. Throws RegexSyntaxError. */
export function compileSearch(source: string): Search {
  const regex = Regex.compile(source);
  return { found: (text) => regex.test(text), start: regex.start };
}
