// The configuration sets limits for the whole agent; each of its processes gets a share of every limit.

import { expect, it } from "vitest";
import { intakeShare, mainShare, processCount } from "../../../../server/agent/intake/shares.ts";
import { loadConfig } from "../../../../server/config/load.ts";
import type { Config } from "../../../../server/config/schema.ts";

const flags: Partial<Config> = {
  "http_api.processes": 4,
  "http_api.request_rate_limit": 0,
  "http_api.max_inflight_bytes": 1200,
  "gateway.urls": ["http://gateway:9528"],
  "gateway.wal.max_capacity_gb": 2,
};
const { config } = loadConfig({ flags });
const shareOf = (share: Config) => [share["http_api.max_inflight_bytes"], share["gateway.wal.max_capacity_gb"]];

it("the main process gets half of the memory, the others share the rest, and all queues are equally large", () => {
  expect(shareOf(mainShare(config, 4))).toEqual([600, 0.5]);
  expect(shareOf(intakeShare(config, 4))).toEqual([200, 0.5]);
});

it("a single process gets all of the memory", () => {
  expect(mainShare(config, 1)).toEqual(config);
});

it.each<[string, Partial<Config>, number, string?]>([
  ["as many as are configured", {}, 4],
  ["one, of which nothing is said", { "http_api.processes": 1, "gateway.urls": [] }, 1],
  ["one without gateways", { "gateway.urls": [] }, 1, "points go into files, which one process writes"],
  ["one with a rate limit", { "http_api.request_rate_limit": 5 }, 1, "set request_rate_limit = 0"],
  ["one on a Unix socket", { "http_api.listen": "/run/agent.sock" }, 1, "it holds for TCP only"],
])("the agent starts the right number of processes: %s", (_name, change, count, reason) => {
  const warnings: string[] = [];
  const its = loadConfig({ flags: { ...flags, ...change } }).config;
  expect(processCount(its, { warn: (message) => warnings.push(message) })).toBe(count);
  expect(warnings).toEqual(reason === undefined ? [] : [expect.stringContaining(reason)]);
});
