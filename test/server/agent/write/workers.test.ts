// The worker threads of an agent: how many it starts when nobody says, and when they are ready.

import { expect, it, onTestFinished } from "vitest";
import { compileWasm } from "../../../../server/agent/engine.ts";
import type { ScriptLayers } from "../../../../server/agent/write/protocol.ts";
import { usualCount } from "../../../../server/agent/write/workers.ts";
import { createLog } from "../../../../server/http/log.ts";
import { createMetrics } from "../../../../server/http/metrics.ts";

// The compiled one: its threads are files beside it.
const built = new URL("../../../../dist/server/agent/write/workers.js", import.meta.url).href;
const { startWorkers } = (await import(
  /* @vite-ignore */ built
)) as typeof import("../../../../server/agent/write/workers.ts");

it("leaves a core to the main thread, except of one or two", () => {
  expect([1, 2, 3, 4, 16].map(usualCount)).toEqual([1, 2, 2, 3, 15]);
});

it("are ready with the scripts that are set by then, however often these change while they compile", async () => {
  const layers = (text: string): ScriptLayers => ({ remote: {}, default: { logging: { "a.p": text } }, helpers: {} });
  const workers = startWorkers({
    wasm: compileWasm(),
    count: 1,
    inPlaceBytes: { lp: 0, pb: 0, json: 0, pbjson: 0 },
    mostWaiting: 1,
    maxSteps: 0,
    maxStepsPerWrite: 0,
    requestsMs: 1000,
    scripts: layers(""),
    matching: { related: {}, defaults: {} },
    filters: {},
    strictTypes: false,
    surroundings: { geoip: undefined, requests: undefined },
    aggregating: { hostTags: [], batchBytes: 0, shardKeys: undefined },
    rum: { appIds: [], checkPoints: false, sourceMaps: undefined },
    spareTime: { noteWrite: () => {} },
    showErrors: () => ({ added: [], gone: [] }),
    log: createLog("error", () => {}),
    metrics: createMetrics(),
    onAggregated: () => {},
  });
  onTestFinished(() => workers.close());
  const before = workers.ready();
  workers.setScripts(layers('add_key(a, "1")'));
  workers.setScripts(layers('add_key(a, "2")'));
  await workers.ready();
  await before;
});
