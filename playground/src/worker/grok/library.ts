// Lists the built-in grok patterns and the patterns that the user has defined in the project (the user's scripts,
// inputs and settings), with descriptions and examples.

import { builtinDefinitions, definePatterns, describePattern, GrokError, RegexSyntaxError } from "./engine.ts";
import { readPatterns } from "./own-patterns.ts";
import { fieldsOfPattern } from "./parts.ts";
import { patternExamples } from "./pattern-examples.ts";
import type { LibraryPattern } from "./workbench.ts";

/** Returns all patterns: first those of the project, then the built-in ones. */
export function library(patterns: string): readonly LibraryPattern[] {
  const own = readPatterns(patterns);
  return [
    ...Object.entries(own).map(([name, definition]) => ({
      name,
      definition,
      about: "",
      example: "",
      fields: fieldsOfPattern(name, own),
      isOwn: true,
    })),
    ...Array.from(builtinDefinitions)
      .filter(([name]) => !Object.hasOwn(own, name))
      .map(([name, definition]) => ({
        name,
        definition,
        about: describePattern(name) ?? "",
        example: patternExamples[name] ?? "",
        fields: fieldsOfPattern(name, {}),
        isOwn: false,
      })),
  ];
}

/** Returns the regular expression into which a pattern expands; empty when the definition of the pattern is invalid. */
export function expansion(name: string, patterns: string): string {
  try {
    return definePatterns(readPatterns(patterns)).lookup(name)?.regex ?? "";
  } catch (error) {
    if (error instanceof GrokError || error instanceof RegexSyntaxError) return "";
    throw error;
  }
}
