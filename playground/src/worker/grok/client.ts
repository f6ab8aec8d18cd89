// Starts the worker of the grok mode.

import * as Comlink from "comlink";
import { inLanguage } from "../client.ts";
import type { Speaking } from "../texts.ts";
import type { GrokWorkerApi } from "./workbench.ts";

export function startGrokWorker(): Comlink.Remote<GrokWorkerApi> {
  const worker = new Worker(new URL("./grok-worker.ts", import.meta.url), { type: "module" });
  return inLanguage(Comlink.wrap<GrokWorkerApi & Speaking>(worker));
}
