// Every regular expression of a user runs in lib/regex, in linear time: no file passes RegExp a text that the file
// does not write itself. Literals between slashes belong to the author.

import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), "../../..");

/** Files that build an expression from their own parts. */
const own = [
  // Names of Unicode properties, which are checked before, and other cases of one character.
  "lib/regex/syntax/char-class.ts",
  // References to patterns, with and without ECS names.
  "lib/grok/expand.ts",
  // White space.
  "lib/grok/trim.ts",
  // Elements of times; other characters of a layout are escaped.
  "lib/pipeline/functions/time/layout-parse.ts",
  "lib/pipeline/functions/time/time-text.ts",
  // Messages of the catalogue, as the source has them.
  "server/platform/open-api/protocol/chinese.ts",
  // A list of ETags and numbers, built from the expression for one of them.
  "server/platform/open-api/protocol/if-match.ts",
  // Path segments, prefixes of ids and patterns of members, as routes declare them.
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
