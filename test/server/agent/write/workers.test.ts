// How many threads an agent starts when nobody says.

import { expect, it } from "vitest";
import { usualCount } from "../../../../server/agent/write/workers.ts";

it("leaves a core to the main thread, except of one or two", () => {
  expect([1, 2, 3, 4, 16].map(usualCount)).toEqual([1, 2, 2, 3, 15]);
});
