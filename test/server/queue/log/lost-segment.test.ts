// A segment file of a queue is cut or deleted while its agent or gateway does not run. At the next start the log,
// /metrics and `millrace queue ls` report the number of lost points.

import { readdirSync, rmSync, truncateSync } from "node:fs";
import path from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { realFiles } from "../../../../server/queue/log/files.ts";
import { markName, readMark } from "../../../../server/queue/log/mark.ts";
import { millrace } from "../../support/millrace.ts";
import { startGateway } from "../../support/recording-gateway.ts";
import { startAgent } from "../../support/running-agent.ts";
import { startGatewayProcess, startWorkspaces } from "../../support/running-gateway.ts";

/** Returns the path of the only segment file below a folder. */
function segmentIn(folder: string): string {
  const found = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".seg"));
  expect(found).toHaveLength(1);
  return path.join(folder, found[0]!);
}

/**
 * Resolves when the mark file of the queue says that the segment contains `points` points. The agent or gateway
 * writes this number into the mark file a moment after it has answered the write.
 */
async function untilMarked(segment: string, points: number): Promise<void> {
  const mark = path.join(path.dirname(segment), markName);
  const marked = async () => [...(await readMark(realFiles, mark)).segments.values()].map((entry) => entry.points);
  await expect.poll(marked).toEqual([points]);
}

const list = async (dataDir: string) => (await millrace(["queue", "ls", "--data-dir", dataDir])).out;
const linesWith = (log: string, text: string) => log.split("\n").filter((line) => line.includes(text)).length;

it("an agent reports the lost points of a truncated segment", async () => {
  const gateway = await startGateway();
  onTestFinished(() => gateway.close());
  gateway.behave(500);
  const config = `[gateway]\nurls = ["${gateway.url}"]\nretry_delay = "20ms"`;
  const first = await startAgent({ config });
  const { dataDir } = first;
  const lines = Array.from({ length: 11_050 }, (_, at) => `m v=${at}i 1`).join("\n");
  expect((await first.send("/v1/write/metric", { body: lines })).status).toBe(200);
  await untilMarked(segmentIn(path.join(dataDir, "queue/metric")), 11_050);
  await first.kill();
  expect(await list(dataDir)).not.toContain("Lost");
  truncateSync(segmentIn(path.join(dataDir, "queue/metric")), 0);
  const lost = /\n\nLost with files that were cut, damaged or deleted:\n {2}metric {2}1 records {2}11050 points\n/;
  expect(await list(dataDir)).toMatch(lost);

  const second = await startAgent({ config, dataDir });
  onTestFinished(() => second.stop());
  expect(second.log()).toMatch(
    /ERROR queue metric: 11050 points of metric are lost: \d{16}\.seg lacks 1 records \(\d+ bytes\) that were written to it\n/,
  );
  expect(linesWith(second.log(), "are lost")).toBe(1);
  expect(await second.metric('agent_diskcache_lost_points_total{path="metric"}')).toBe(11_050);
  expect(await list(dataDir)).toMatch(lost);
});

it("a gateway reports the lost requests of a deleted segment", async () => {
  const workspaces = await startWorkspaces();
  onTestFinished(() => workspaces.close());
  const token = `tkn_${"a".repeat(32)}`;
  workspaces.behave(token, { status: 500 });
  const options = {
    rules: { strict: true, rules: [{ rules: ["*"], url: `${workspaces.url}/?token=${token}` }] },
    config: '[gateway_api.cache]\nretry_delay = "20ms"\nclean_interval = "100ms"',
  };
  const first = await startGatewayProcess(options);
  const { dataDir } = first;
  for (const points of ["2", "3"]) {
    const headers = { "x-global-tags": "app=x", "x-points": points };
    expect((await first.send("/v1/write/metric", { body: "m v=1", headers })).status).toBe(200);
  }
  const segment = segmentIn(path.join(dataDir, "gateway/queue"));
  await untilMarked(segment, 5);
  await first.kill();
  rmSync(segment);
  expect(await list(dataDir)).toMatch(/Lost with .*:\n {2}127\.0\.0\.1-\S+ {2}2 records {2}5 points\n/);
  const second = await startGatewayProcess({ ...options, dataDir });
  onTestFinished(() => second.stop());
  expect(second.log()).toMatch(/ERROR queue \S+: 2 requests \(5 points\) are lost: \d{16}\.seg lacks \d+ bytes /);
  expect(linesWith(second.log(), "are lost")).toBe(1);
  expect(await second.metric("gateway_queue_lost_points_total")).toBe(5);
});
