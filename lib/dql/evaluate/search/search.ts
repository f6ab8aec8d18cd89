// Compiled tests of a text: regular expressions (all of them by millrace's own engine), globs, phrases, query_string().

import { Regex, RegexSyntaxError } from "../../../regex/index.ts";
import { DqlError } from "../../syntax/errors.ts";
import { reasonText } from "../../syntax/reasons.ts";
import { cidrTest } from "./cidr.ts";
import { globSource } from "./glob.ts";
import { parseSearch, type SearchTree } from "./query-string.ts";
import { phraseTest, wordsOf } from "./words.ts";

export type TextTest = (text: string) => boolean;

/** `whole`: the expression has to match all of the text. */
export function regexTest(source: string, whole: boolean): TextTest {
  const regex = compiled(whole ? `^(?:${source})$` : source, source);
  return (text) => regex.test(text);
}

/** Those of query_string() are seen here first. */
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

/** match('...'): of metrics a part of the text as it is written, elsewhere words in a row. */
export function matchTest(phrase: string, isMetric: boolean): TextTest {
  return isMetric ? (text) => text.includes(phrase) : phraseTest(phrase);
}

export { cidrTest };

/** `field` gives the text of another column of the row that is tested. */
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

/** A glob on single words; one that names no characters matches any text. */
function wordGlobTest(glob: string): TextTest {
  if (!/[\p{L}\p{N}]/u.test(glob)) return () => true;
  const regex = Regex.compile(globSource(glob.toLowerCase()));
  return (text) => wordsOf(text).some((word) => regex.test(word));
}
