// Tests the memory of an agent whose gateway accepts nothing: points are written to disk or refused, and none of
// them stay in the memory of the process. The gateway fails in two ways: first it is down, then it reads
// nothing. `MILLRACE_FAULT_MEMORY_MB` sets how many MiB are written during each of these failures (default 120;
// `npm run fault`: 1,000).

import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import type { IncomingMessage, ServerResponse } from "node:http";
import { expect, it, onTestFinished } from "vitest";
import { type RecordingGateway, startGateway, uploadOf } from "../server/support/recording-gateway.ts";
import { type AgentProcess, startAgent } from "../server/support/running-agent.ts";

const MB = 1024 * 1024;
/** Bytes that are written during each failure of the gateway. About half of them fit into the queue. */
const stageBytes = Number(process.env.MILLRACE_FAULT_MEMORY_MB ?? 120) * MB;
const queueBytes = stageBytes / 2;
/**
 * Largest resident memory that the process may ever have, in bytes. Without a leak the peak is about 230 MB. A leak of
 * the accepted points or of the refused points would add at least 120 MB.
 */
const mostBytes = 320 * MB;
const pointBytes = 8000;
/**
 * Numbers of points in a body. The first body has the first number, the next body the second number, and so on; after
 * the last number the list begins again.
 */
const sizes = [1, 8, 1, 75, 1, 400];

const pool = randomBytes(MB).toString("base64");

let lastNumber = 0;

function bodyOf(numbers: readonly number[]): string {
  return numbers
    .map((number) => {
      const from = (number * 1009) % (pool.length - pointBytes);
      return `memory number=${number}i,message="${pool.slice(from, from + pointBytes)}" 1`;
    })
    .join("\n");
}

interface Written {
  readonly accepted: number[];
  refused: number;
}

async function writeStage(agent: AgentProcess): Promise<Written> {
  const written: Written = { accepted: [], refused: 0 };
  let left = stageBytes;
  let turn = 0;
  const client = async (): Promise<void> => {
    while (left > 0) {
      const numbers = Array.from({ length: sizes[turn++ % sizes.length] }, () => ++lastNumber);
      const body = bodyOf(numbers);
      left -= body.length;
      const { status } = await agent.send("/v1/write/logging", { body });
      expect([200, 503]).toContain(status);
      if (status === 200) written.accepted.push(...numbers);
      else written.refused += numbers.length;
    }
  };
  await Promise.all(Array.from({ length: 4 }, client));
  return written;
}

/** Returns the peak resident memory in bytes, or undefined where the operating system does not report it. */
function peakBytes({ pid }: AgentProcess): number | undefined {
  if (process.platform !== "linux") return undefined;
  return Number(/^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))![1]) * 1024;
}

it("memory stays bounded while the gateway is down or reads nothing, and every accepted point arrives", {
  timeout: 180_000 + (stageBytes / MB) * 1000,
}, async () => {
  const gateway: RecordingGateway = await startGateway();
  onTestFinished(() => gateway.close());
  /**
   * Number of arrivals of each point. The test's gateway stores only these counts, because whole uploads would take too
   * much memory.
   */
  const counts = new Map<number, number>();
  const take = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const upload = await uploadOf(request).catch(() => undefined);
    if (upload === undefined) return;
    for (const line of upload.lines) {
      const number = Number(/number=(\d+)i/.exec(line)![1]);
      counts.set(number, (counts.get(number) ?? 0) + 1);
    }
    response.writeHead(200).end();
  };
  const agent = await startAgent({
    config: `[http_api]
request_rate_limit = 0
processes = 1
workers = 1
max_inflight_bytes = ${32 * MB}
[gateway]
urls = ["${gateway.url}"]
retry_delay = "20ms"
timeout_v2 = "2s"
gzip = false
[gateway.wal]
sync = "os"
max_capacity_gb = ${queueBytes / 1024 ** 3}
[io]
flush_interval = "20ms"`,
  });
  onTestFinished(() => agent.stop());
  for (const [name, begin, end] of [
    ["down", () => gateway.close(), () => gateway.reopen()],
    ["reads nothing", () => gateway.behave(() => {}), () => {}],
  ] as const) {
    await begin();
    const { accepted, refused } = await writeStage(agent);
    // Some writes were refused, so the queue became full, and the agent still answered.
    expect(refused).toBeGreaterThan(0);
    expect(accepted.length * pointBytes).toBeGreaterThan(queueBytes / 2);
    expect((await agent.send("/v1/ping")).status).toBe(200);
    await end();
    gateway.behave(take);
    const lost = () => accepted.filter((number) => !counts.has(number)).length;
    await expect.poll(lost, { timeout: 300_000 }).toBe(0);
    const repeated = [...counts.values()].reduce((sum, count) => sum + count - 1, 0);
    const peak = peakBytes(agent);
    const told = peak === undefined ? "memory is not told here" : `at most ${Math.round(peak / MB)} MB of memory`;
    process.stdout.write(
      `fault memory, gateway ${name}: sent ${accepted.length}, refused ${refused}, arrived ${accepted.length}, repeated ${repeated}, lost 0, ${told}\n`,
    );
    if (peak !== undefined) expect(peak).toBeLessThan(mostBytes);
  }
});
