// Every regular expression supplied by a user runs in lib/regex, in linear time. So no file may pass a string to
// JavaScript's RegExp, except the files below, which build the string themselves. Literals between slashes are allowed,
// because they are part of the code.

import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), "../../..");

/**
 * The files that may pass a string to RegExp. The comment above each file says from what the file builds the string.
 */
const own = [
  // Builds the string from checked names of Unicode properties, or from one character whose upper and lower case it
  // wants.
  "lib/regex/syntax/char-class.ts",
  // Builds the string from the fixed syntax of references to grok patterns.
  "lib/grok/expand.ts",
  // Builds the string from the characters that are white space.
  "lib/grok/trim.ts",
  // Build the string from fixed expressions for the elements of time layouts. All other characters are escaped.
  "lib/pipeline/functions/time/layout-parse.ts",
  "lib/pipeline/functions/time/time-text.ts",
  // Builds the string from the fixed messages of the Open API.
  "server/platform/open-api/protocol/chinese.ts",
  // Builds the string from a fixed expression for one ETag or number, repeated to match a list.
  "server/platform/open-api/protocol/if-match.ts",
  // Build the string from path segments, prefixes of ids and patterns of JSON members that routes declare in the code.
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

it("no file but those named builds an expression for the host", () => {
  const builders = ["lib", "server", "playground/src"]
    .flatMap(sources)
    .filter((file) => /\bRegExp\s*\(/.test(readFileSync(path.join(root, file), "utf8")));
  expect(builders.toSorted()).toEqual(own.toSorted());
});
