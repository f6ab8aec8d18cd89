// Starts the worker of the grok mode.

import * as Comlink from "comlink";
import type { GrokWorkerApi } from "./workbench.ts";

export function startGrokWorker(): Comlink.Remote<GrokWorkerApi> {
  return Comlink.wrap<GrokWorkerApi>(new Worker(new URL("./grok-worker.ts", import.meta.url), { type: "module" }));
}
