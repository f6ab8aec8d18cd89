// The worker thread that loads reference tables: once at the start, then once per interval. Loads never overlap. When a
// load fails, the current tables stay in use.

import { setTimeout as sleep } from "node:timers/promises";
import { parentPort, workerData } from "node:worker_threads";
import { memoryStore } from "./memory-store.ts";
import type { FromLoader, LoaderSetup, TableReport } from "./protocol.ts";
import { pullTables } from "./pull.ts";
import type { Known, Stored, TableStore } from "./store.ts";

const setup = workerData as LoaderSetup;
const say = (message: FromLoader) => parentPort!.postMessage(message);

/**
 * Opens the store. SQLite is a native library that is missing on some platforms, so it is imported only when it is
 * used.
 */
async function openStore(): Promise<TableStore> {
  if (setup.store === "memory") return memoryStore();
  const { sqliteDiskStore, sqliteMemoryStore } = await import("./sqlite-store.ts");
  if (setup.store === "sqlite-memory") return sqliteMemoryStore(setup.url);
  return sqliteDiskStore(setup.folder, setup.url, (message) => say({ kind: "warning", message }));
}

function reportOf({ inForce, tables, bytes }: Stored): TableReport {
  return { inForce, tables: tables.map(({ name, rowCount }) => ({ name, rowCount })), storeBytes: bytes };
}

const store = await openStore();
let known: Known | null = null;
const restored = store.restore();
if (restored !== null) {
  known = restored.known;
  say({ kind: "restored", ...reportOf(restored) });
}

for (;;) {
  const began = performance.now();
  const pulled = await pullTables({
    url: new URL(setup.url),
    maxBytes: setup.maxBytes,
    known,
    store,
    fetch,
    sleep,
    onProgress: (bytes) => say({ kind: "progress", bytes }),
  });
  if (pulled.kind === "loaded") {
    known = pulled.known;
    const { stored, warnings, bytes } = pulled;
    say({ kind: "loaded", ...reportOf(stored), warnings, bytes, seconds: (performance.now() - began) / 1000 });
  } else say(pulled);
  await sleep(Math.max(0, setup.intervalMs - (performance.now() - began)));
}
