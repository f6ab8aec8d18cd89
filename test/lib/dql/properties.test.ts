// Runs the property tests for query text, each a bounded number of times.

import fc from "fast-check";
import { it } from "vitest";
import { dqlProperties } from "../../properties/dql.ts";

it.each(dqlProperties)("$name", async ({ property, runs }) => {
  await fc.assert(property, { numRuns: runs });
});
