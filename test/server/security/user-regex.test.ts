// Every regular expression supplied by a user runs in lib/regex, in linear time. So no file may pass a string to
// JavaScript's RegExp, except the files below, which build the string themselves. Literals between slashes are allowed,
// because they are part of the code.

import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), "../../..");

/**
 * The files that may pass a string to RegExp. For each file, a comment says how the file makes this string. A constant
 * is safe because it is part of the source code: no user can put a slow expression into it.
 */
const own = [
  // Makes a regular expression from checked names of Unicode properties, or from one character, to find its upper-case
  // and lower-case forms.
  "lib/regex/syntax/char-class.ts",
  // Makes a regular expression from constants: the syntax in which grok patterns refer to each other.
  "lib/grok/expand.ts",
  // Two files make regular expressions from constants: the layouts of dates, and the names of top-level domains.
  "lib/grok/suggest/dates.ts",
  "lib/grok/suggest/tokens.ts",
  // Makes a regular expression from a constant list of the characters that are white space.
  "lib/grok/trim.ts",
  // Two files make a regular expression from a layout of times. Each element of the layout, such as the year, becomes a
  // constant expression; all other characters of the layout are escaped.
  "lib/pipeline/functions/time/layout-parse.ts",
  "lib/pipeline/functions/time/time-text.ts",
  // Makes a regular expression from constants: the parts of a line in line protocol.
  "playground/src/state/form-hint.ts",
  // Makes a regular expression from constants: the parts of a time range in a query.
  "playground/src/worker/query-run/query-parts.ts",
  // Makes a regular expression from constants: the methods and paths of the Open API.
  "server/http/open-api-paths.ts",
  // Makes a regular expression from the error messages of the Open API. The messages are constants in the source code,
  // so they contain no text of a user.
  "server/platform/open-api/protocol/chinese.ts",
  // Makes a regular expression for a list of ETags or numbers by repeating the constant expression for one of them.
  "server/platform/open-api/protocol/if-match.ts",
  // Three files make regular expressions from constants in the code of the routes: segments of URL paths, prefixes of
  // ids, and patterns of JSON members.
  "server/platform/open-api/protocol/match.ts",
  "server/platform/open-api/protocol/route.ts",
  "server/platform/open-api/protocol/validate.ts",
];

function sources(folder: string): string[] {
  return readdirSync(path.join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const at = `${folder}/${entry.name}`;
    if (entry.isDirectory()) return /^(node_modules|dist)$/.test(entry.name) ? [] : sources(at);
    return /\.(ts|mjs|svelte)$/.test(entry.name) ? [at] : [];
  });
}

it("only the listed files build a regular expression of the JavaScript engine", () => {
  const builders = ["lib", "server", "playground/src"]
    .flatMap(sources)
    .filter((file) => /\bRegExp\s*\(/.test(readFileSync(path.join(root, file), "utf8")));
  expect(builders.toSorted()).toEqual(own.toSorted());
});
