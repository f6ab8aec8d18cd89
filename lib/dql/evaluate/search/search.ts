// Makes functions that test strings: with regular expressions, globs, phrases, and searches of query_string().
// Millrace's own regular expression engine runs all patterns.

import { Regex, RegexSyntaxError } from "../../../regex/index.ts";
import { DqlError } from "../../syntax/errors.ts";
import { reasonText } from "../../syntax/reasons.ts";
import { cidrTest } from "./cidr.ts";
import { globSource } from "./glob.ts";
import { parseSearch, type SearchTree } from "./query-string.ts";
import { phraseTest, wordsOf } from "./words.ts";

export type TextTest = (text: string) => boolean;

/**
 * Returns a function that tests whether a regular expression matches a string; when `whole` is true, it must match the
 * whole string.
 */
export function regexTest(source: string, whole: boolean): TextTest {
  const regex = compiled(whole ? `^(?:${source})$` : source, source);
  return (text) => regex.test(text);
}

/**
 * Compiles a regular expression. `pattern` is the expression that is compiled, and `source` the expression that
 * error messages show. Errors in the regular expressions of query_string() are found only here, and not when the
 * query is checked.
 */
function compiled(pattern: string, source: string): Regex {
  try {
    return Regex.compile(pattern);
  } catch (error) {
    if (!(error instanceof RegexSyntaxError)) throw error;
    throw new DqlError(reasonText("invalidRegex", error.message, source));
  }
}

export function globTest(glob: string): TextTest {
  const regex = Regex.compile(globSource(glob));
  return (text) => regex.test(text);
}

/**
 * Returns the function that tests strings for match('...'). For metrics the string must contain the phrase; for other
 * categories it must contain the phrase's words one after another.
 */
export function matchTest(phrase: string, isMetric: boolean): TextTest {
  return isMetric ? (text) => text.includes(phrase) : phraseTest(phrase);
}

export { cidrTest };

/**
 * Tests a string. `row` is the row that contains the string: a term such as `field:word` reads another column of this
 * row.
 */
export type SearchTest<Row> = (text: string | null, row: Row) => boolean;

export function searchTest<Row>(query: string, field: (name: string) => (row: Row) => string | null): SearchTest<Row> {
  return compile(parseSearch(query));

  function compile(tree: SearchTree): SearchTest<Row> {
    switch (tree.kind) {
      case "and": {
        const parts = tree.parts.map(compile);
        return (text, row) => parts.every((part) => part(text, row));
      }
      case "or": {
        const parts = tree.parts.map(compile);
        return (text, row) => parts.some((part) => part(text, row));
      }
      case "not": {
        const part = compile(tree.part);
        return (text, row) => !part(text, row);
      }
      case "in": {
        const read = field(tree.field);
        const part = compile(tree.part);
        return (_text, row) => part(read(row), row);
      }
      case "regex":
        return ofText(regexTest(tree.source, false));
      case "glob":
        return ofText(wordGlobTest(tree.text));
      default:
        return ofText(phraseTest(tree.text));
    }
  }
}

function ofText(test: TextTest): SearchTest<unknown> {
  return (text) => text !== null && test(text);
}

/**
 * Returns a test for whether a glob matches one of the words of a string. A glob without letters and digits
 * matches any string.
 */
function wordGlobTest(glob: string): TextTest {
  if (!/[\p{L}\p{N}]/u.test(glob)) return () => true;
  const regex = Regex.compile(globSource(glob.toLowerCase()));
  return (text) => wordsOf(text).some((word) => regex.test(word));
}
