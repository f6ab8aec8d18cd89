// The thread that compiles scripts for the Open API. Scripts are never run there.

import { readFileSync } from "node:fs";
import { parentPort } from "node:worker_threads";
import { createMillrace } from "../../lib/index.ts";
import type { CheckAnswer, CheckJob } from "./script-checker.ts";

const wasm = new WebAssembly.Module(readFileSync(new URL("../../lib/wasm/millrace.wasm", import.meta.url)));
const mill = await createMillrace({ wasm });

parentPort!.on("message", ({ id, scripts }: CheckJob) => {
  parentPort!.postMessage({ id, diagnostics: mill.diagnose(scripts) } satisfies CheckAnswer);
});
