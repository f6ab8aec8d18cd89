// Every regular expression of a user runs in lib/regex, in linear time: no file gives the host's RegExp a text that it did not write
// itself. Literals between slashes are the author's.

import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), "../../..");

/** Files that build an expression of parts of their own. */
const own = [
  // The characters of Unicode's properties, whose names were checked, and other cases of one character.
  "lib/regex/syntax/char-class.ts",
  // References to patterns, with and without names of the Elastic Common Schema.
  "lib/grok/expand.ts",
  // White space.
  "lib/grok/trim.ts",
  // Elements of times; a layout's other characters are escaped.
  "lib/pipeline/functions/time/layout-parse.ts",
  "lib/pipeline/functions/time/time-text.ts",
  // Messages of the catalogue and of reasons, as the source has them.
  "server/platform/open-api/protocol/chinese.ts",
  // A list of ETags and numbers, from the expression of one of them.
  "server/platform/open-api/protocol/if-match.ts",
  // Segments of paths, prefixes of ids and patterns of members, as routes declare them.
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
