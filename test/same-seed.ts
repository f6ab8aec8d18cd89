// Sets a fixed seed for the property tests (fast-check), so that each run tries the same examples: a failing test fails
// again, and no test fails by chance after an unrelated change. `npm run fuzz` tries other examples.

import fc from "fast-check";

fc.configureGlobal({ seed: 20261122 });
