// A Millrace on Node's file system, for the command lines of the tests.

import { readFileSync } from "node:fs";
import { createMillrace, type Millrace } from "../../lib/index.ts";

/** The module that the build made; the clock stands still where the vectors say it does. */
export function loadMillrace(): Promise<Millrace> {
  return createMillrace({
    wasm: readFileSync(new URL("../../lib/wasm/millrace.wasm", import.meta.url)),
    timeZone: "UTC",
    clock: () => 1700000000000000000n,
  });
}
