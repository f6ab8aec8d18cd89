// The thread that loads reference tables: at once, then once per interval; loads never overlap. A failed one leaves the
// tables that are in force.

import { setTimeout as sleep } from "node:timers/promises";
import { parentPort, workerData } from "node:worker_threads";
import type { FromLoader, LoaderSetup } from "./protocol.ts";
import { type Known, pullTables } from "./pull.ts";

const setup = workerData as LoaderSetup;
const say = (message: FromLoader) => parentPort!.postMessage(message);

let known: Known | null = null;

for (;;) {
  const began = performance.now();
  const pulled = await pullTables({
    url: new URL(setup.url),
    maxBytes: setup.maxBytes,
    known,
    fetch,
    sleep,
    onProgress: (bytes) => say({ kind: "progress", bytes }),
  });
  if (pulled.kind === "loaded") {
    known = pulled.known;
    const { tables, warnings, bytes } = pulled;
    say({ kind: "loaded", tables, warnings, bytes, seconds: (performance.now() - began) / 1000 });
  } else say(pulled);
  await sleep(Math.max(0, setup.intervalMs - (performance.now() - began)));
}
