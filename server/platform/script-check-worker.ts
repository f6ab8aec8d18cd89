// The worker thread that compiles pipeline scripts for the Open API. The thread never runs a script.

import { readFileSync } from "node:fs";
import { parentPort } from "node:worker_threads";
import { createMillrace } from "../../lib/index.ts";
import type { CheckAnswer, CheckJob } from "./script-checker.ts";

const wasm = new WebAssembly.Module(readFileSync(new URL("../../lib/wasm/millrace.wasm", import.meta.url)));
const mill = await createMillrace({ wasm });

parentPort!.on("message", ({ id, scripts }: CheckJob) => {
  parentPort!.postMessage({ id, diagnostics: mill.diagnose(scripts) } satisfies CheckAnswer);
});
