// Limits of JSON bodies that are checked before parsing: the depth of nesting and the number of values.

import { expect, it } from "vitest";
import { maxValues, reasonNotToParse } from "../../../../../server/agent/inputs/pbjson/json-extent.ts";

const encoded = (text: string) => new TextEncoder().encode(text);

it.each([
  ["an object a line", '{"a":[1,2]}\n{"b":"[[["}\n', undefined],
  ["a body at the limit of depth", `${"[".repeat(1000)}${"]".repeat(1000)}`, undefined],
  ["a body beyond the limit of depth", `${"[".repeat(1001)}${"]".repeat(1001)}`, "nested deeper than 1000"],
  ["many values", "[],".repeat(maxValues / 2), "more than 4000000 values in one body"],
])("%s", (_, body, reason) => {
  expect(reasonNotToParse(encoded(body))).toBe(reason);
});
