// Runs the property tests of test/properties, each a bounded number of times.

import fc from "fast-check";
import { expect, it } from "vitest";
import { createMillrace } from "../../../lib/index.ts";
import { formProperties } from "../../properties/forms.ts";
import { propertiesOf } from "../../properties/properties.ts";
import { wasmBytes } from "../wasm/load.ts";

const mill = await createMillrace({ wasm: await wasmBytes(), clock: () => 1700000000000000000n });

it.each([...propertiesOf(mill), ...formProperties(mill)])("$name", ({ property, runs }) => {
  fc.assert(property, { numRuns: runs });
  expect(mill.memory().used).toBe(0);
});
