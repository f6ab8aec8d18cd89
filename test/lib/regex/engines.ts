// Every tier of the engine, by name: what the suites hold to the same answers.

import { tiersOf } from "../../fuzz/tiers.ts";
import { loadModule } from "../wasm/load.ts";

export const tiers = tiersOf(await loadModule());
export const { engines } = tiers;
