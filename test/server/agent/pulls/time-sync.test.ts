// An agent corrects a wrong clock by the time of its gateway. The test controls the clock and the gateway.

import { expect, it, onTestFinished } from "vitest";
import type { GatewayAnswer } from "../../../../server/agent/outputs/gateways.ts";
import { startTimeSync, syncIntervalMs } from "../../../../server/agent/pulls/time-sync.ts";
import { createMetrics } from "../../../../server/telemetry/metrics.ts";

const nowSeconds = 1_700_000_000;

/**
 * Runs a time sync. The gateway sends one of `answers` for each request, in this order. A number is the number
 * of seconds by which the gateway's clock is ahead, a string is the body of an answer, and an object has only a
 * status.
 */
async function syncing(answers: readonly (number | string | { readonly status: number })[], diffSeconds = 30) {
  const metrics = createMetrics();
  const lines: string[] = [];
  const note = (line: string) => void lines.push(line);
  const offsets: bigint[] = [];
  let asked = 0;
  let isDone = () => {};
  const done = new Promise<void>((resolve) => {
    isDone = resolve;
  });
  const sync = startTimeSync({
    gateway: {
      origin: "http://gateway",
      token: "",
      note: () => {},
      isOpen: false,
      successes: 0,
      call: async ({ method, path }) => {
        expect([method, path]).toEqual(["GET", "/v1/ntp"]);
        if (asked > 0) offsets.push(sync.offset / 1_000_000_000n);
        const answer = answers[asked++];
        if (answer === undefined) {
          isDone();
          return await new Promise<GatewayAnswer>(() => {});
        }
        const text = typeof answer === "number" ? `{"timestamp_sec":${nowSeconds + answer}}` : String(answer);
        const status = typeof answer === "object" ? answer.status : 200;
        const rest = { contentType: "", retryAfterMs: undefined, date: "", closes: false, isSent: true };
        return { status, bytes: Buffer.from(text), ...rest };
      },
    },
    intervalMs: 1,
    diffSeconds,
    clock: () => BigInt(nowSeconds) * 1_000_000_000n + 999_999_999n,
    log: { isDebug: false, debug: () => {}, info: note, warn: note, error: note },
    metrics,
  });
  onTestFinished(() => sync.close());
  await done;
  return { offsets, lines, metrics };
}

it("uses the gateway's time when the clocks differ by at least the limit, in either direction", async () => {
  const { offsets, lines } = await syncing([29, 30, -30, -29]);
  expect(offsets).toEqual([0n, 30n, -30n, 0n]);
  expect(lines).toEqual([
    "the clock of this machine is 30 s behind the gateway's, which is taken instead",
    "the clock of this machine is 30 s ahead of the gateway's, which is taken instead",
    "the clock of this machine agrees with the gateway's again, or that tells no time",
  ]);
});

it("goes back to the machine's clock when the gateway answers without a time", async () => {
  const { offsets } = await syncing([100, { status: 500 }, 100, "no JSON", 100, '{"timestamp_sec":"1"}', 100, "[]"]);
  expect(offsets).toEqual([100n, 0n, 100n, 0n, 100n, 0n, 100n, 0n]);
});

it("has a minimum difference of 5 s and a minimum interval of a minute", async () => {
  expect((await syncing([4, 5], 0)).offsets).toEqual([0n, 5n]);
  expect([syncIntervalMs(1), syncIntervalMs(300_000)]).toEqual([60_000, 300_000]);
});

it("counts the usable answers, and sums up their differences from the clock", async () => {
  const { metrics } = await syncing([7, { status: 404 }, -3]);
  const text = await metrics.registry.metrics();
  expect(text).toContain("agent_ntp_sync_total 2\n");
  expect(text).toContain("agent_ntp_time_diff_sum 4\n");
});
