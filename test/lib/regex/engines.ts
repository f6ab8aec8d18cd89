// Every tier (implementation of the search) of the regex engine, by name. The test suites expect the same results from
// each.

import { tiersOf } from "../../fuzz/tiers.ts";
import { loadModule } from "../wasm/load.ts";

export const tiers = tiersOf(await loadModule());
export const { engines } = tiers;
