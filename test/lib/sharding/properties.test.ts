// Runs the property tests of headers, conditions and sink rules, each a bounded number of times.

import fc from "fast-check";
import { it } from "vitest";
import { shardingProperties } from "../../properties/sharding.ts";

it.each(shardingProperties)("$name", async ({ property, runs }) => {
  await fc.assert(property, { numRuns: runs });
});
