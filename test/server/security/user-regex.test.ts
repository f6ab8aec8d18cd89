// Every regular expression supplied by a user runs in lib/regex, in linear time. So no file may pass a string to
// JavaScript's RegExp, except the files below, which build the string themselves. Literals between slashes are allowed,
// because they are part of the code.

import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), "../../..");

/** The files that may pass a string to RegExp, each with what the string is built from. */
const own = [
  // Checked names of Unicode properties, and single characters whose upper and lower case are searched.
  "lib/regex/syntax/char-class.ts",
  // The syntax of references to grok patterns, with and without ECS names.
  "lib/grok/expand.ts",
  // Characters that are white space.
  "lib/grok/trim.ts",
  // Fixed expressions for the elements of time layouts. All other characters of a layout are escaped.
  "lib/pipeline/functions/time/layout-parse.ts",
  "lib/pipeline/functions/time/time-text.ts",
  // The fixed messages of the Open API.
  "server/platform/open-api/protocol/chinese.ts",
  // A fixed expression for one ETag or number, repeated to match a list.
  "server/platform/open-api/protocol/if-match.ts",
  // Path segments, prefixes of ids and patterns of JSON members that routes declare.
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
