// Orphaned queues: queues of intake processes (processes that accept writes beside the main process) that the agent no
// longer has, for example after a smaller `processes` setting. The main process opens these queues.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, it } from "vitest";
import { intakeFolder } from "../../../../server/agent/intake/folders.ts";
import { openOrphanedQueues } from "../../../../server/agent/intake/orphaned-queues.ts";
import { openConfiguredGateways } from "../../../../server/agent/outputs/gateways.ts";
import { createSpareTime } from "../../../../server/agent/spare-time.ts";
import { defaults } from "../../../../server/config/schema.ts";
import { lockFolder } from "../../../../server/queue/lock/lock.ts";
import { createLog } from "../../../../server/telemetry/log.ts";
import { createMetrics } from "../../../../server/telemetry/metrics.ts";

it("opens the queues of processes that no longer exist, either all of them or none", async () => {
  const data_dir = mkdtempSync(path.join(tmpdir(), "millrace-leftovers-"));
  const config = { ...defaults(), data_dir, "gateway.urls": ["http://127.0.0.1:9/?token=tkn_a"] };
  const gateways = await openConfiguredGateways(config);
  const spareTime = createSpareTime({ now: () => 0, utilization: () => 0 });
  const log = createLog("error", () => {});
  const options = { config, gateways, spareTime, host: "web01", log, metrics: createMetrics() };
  const folders = [2, 3, 4].map((number) => intakeFolder(path.join(data_dir, "queue"), number));
  for (const folder of folders) (await lockFolder(folder))();

  const unlock = await lockFolder(folders[2]);
  await expect(openOrphanedQueues(2, options)).rejects.toThrow(/already uses .*process-4/);
  unlock();
  const open = await openOrphanedQueues(2, options);
  expect(open).toHaveLength(2);
  // The main process opens and locks only queues of intake processes that no longer exist. The process of the first
  // queue still exists, so the test can lock the folder of this queue.
  (await lockFolder(folders[0]))();
  await expect(lockFolder(folders[1])).rejects.toThrow(/already uses/);
  for (const each of open) await each.close();
  for (const folder of folders) (await lockFolder(folder))();
  await gateways?.close();
  rmSync(data_dir, { recursive: true, force: true });
});
