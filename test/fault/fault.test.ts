// Fault tests with the real agent and a gateway that records the points it receives: the agent is killed, or the
// gateway fails. Every point answered with 200 must arrive at the gateway. `MILLRACE_FAULT_ROUNDS` sets the number of
// kills (default 20; `npm run fault`: 1,000). `MILLRACE_FAULT_DOWN_MS` sets how long each failure of the gateway lasts
// in milliseconds (default 500; `npm run fault`: 30,000).

import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import type { IncomingMessage, ServerResponse } from "node:http";
import path from "node:path";
import { expect, it } from "vitest";
import { realFiles, unlessGone } from "../../server/queue/log/files.ts";
import { SegmentReader } from "../../server/queue/log/segment.ts";
import { segmentNumber } from "../../server/queue/log/segment-files.ts";
import { readHeader } from "../../server/queue/log/segment-header.ts";
import { type RecordingGateway, uploadOf } from "../server/support/recording-gateway.ts";
import { startAgent } from "../server/support/running-agent.ts";
import { arrivals, createLedger, lostOf, print, report, writeUntil } from "./ledger.ts";
import { configOf, during, gatewayOfTest, settle } from "./setting.ts";

const rounds = Number(process.env.MILLRACE_FAULT_ROUNDS ?? 20);
const downMs = Number(process.env.MILLRACE_FAULT_DOWN_MS ?? 500);

it(`no acknowledged point is lost after kill -9 at random moments, ${rounds} rounds`, {
  timeout: 180_000 + rounds * 15_000,
}, async () => {
  for (const sync of ["fdatasync", "os"]) {
    const gateway = await gatewayOfTest();
    const ledger = createLedger();
    let dataDir: string | undefined;
    for (let round = 0; round < Math.ceil(rounds / 2); round++) {
      const agent = await startAgent({
        config: configOf(gateway, `[gateway.wal]\nsync = "${sync}"`),
        ...(dataDir === undefined ? {} : { dataDir }),
      });
      dataDir = agent.dataDir;
      let killed = false;
      const writing = writeUntil(agent, ledger, 4, () => killed);
      const before = ledger.accepted.size;
      await new Promise((resolve) => setTimeout(resolve, 30 + Math.random() * 300));
      // On a busy machine the agent may be killed before it has answered any write. So every second round waits for an
      // accepted point before the kill.
      if (round % 2 === 0) await expect.poll(() => ledger.accepted.size, { interval: 5 }).toBeGreaterThan(before);
      await agent.kill();
      killed = true;
      expect(agent.log()).not.toContain("are lost");
      await writing;
    }
    const last = await startAgent({ config: configOf(gateway), dataDir: dataDir! });
    await settle(`kill -9, ${sync}`, ledger, gateway, last);
    await last.stop();
  }
});

it("no acknowledged point is lost after kill -9 while segment files are created, reused and removed", {
  timeout: 180_000 + rounds * 5000,
}, async () => {
  // Sets the size of segment files to 256 KiB, so that the agent fills several of them between two kills.
  const queue = "max_capacity_gb = 0.001";
  const padding = 1000;
  for (const sync of ["fdatasync", "os"]) {
    const gateway = await gatewayOfTest();
    const ledger = createLedger();
    const config = configOf(gateway, `[gateway.wal]\nsync = "${sync}"\n${queue}`);
    let dataDir: string | undefined;
    for (let round = 0; round < Math.ceil(rounds / 10); round++) {
      const agent = await startAgent({ config, ...(dataDir === undefined ? {} : { dataDir }) });
      dataDir = agent.dataDir;
      let killed = false;
      const writing = writeUntil(agent, ledger, 4, () => killed, padding);
      const folder = path.join(dataDir, "queue", "metric");
      await expect.poll(() => isReused(folder), { timeout: 60_000, interval: 5 }).toBe(true);
      await new Promise((resolve) => setTimeout(resolve, Math.random() * 200));
      await agent.kill();
      killed = true;
      expect(agent.log()).not.toContain("are lost");
      await writing;
    }
    const last = await startAgent({ config, dataDir: dataDir! });
    await settle(`kill -9, segment files are reused, ${sync}`, ledger, gateway, last);
    await last.stop();
  }
});

/** Returns whether the newest segment of the queue was written over the file of an older segment. */
async function isReused(folder: string): Promise<boolean> {
  const newest = (await realFiles.list(folder)).findLast((name) => segmentNumber(name) !== undefined);
  if (newest === undefined) return false;
  const file = await unlessGone(realFiles.open(path.join(folder, newest)));
  if (file === undefined) return false;
  try {
    const header = await readHeader(file, segmentNumber(newest)!);
    return header.kind === "header" && header.bytesBefore > 0;
  } finally {
    await file.close();
  }
}

it("no acknowledged point is lost while the gateway is down, answers errors, or answers slowly or never", {
  // While the gateway is down, the agent's pauses between attempts grow. So the next attempt may come long after the
  // gateway is up again, and the test needs more time than the gateway is down.
  timeout: 180_000 + 30 * downMs,
}, async () => {
  const gateway = await gatewayOfTest();
  const agent = await startAgent({ config: configOf(gateway) });
  const stages: readonly (readonly [string, () => void | Promise<void>, () => void | Promise<void>])[] = [
    ["down", () => gateway.close(), () => gateway.reopen()],
    ["500", () => gateway.behave(500), () => {}],
    ["429", () => gateway.behave(429), () => {}],
    [
      "garbage",
      () => gateway.behave((_request, response) => response.socket?.end("this is no HTTP\r\n\r\n")),
      () => {},
    ],
    ["never answers", () => gateway.behave(() => {}), () => {}],
    ["answers late", () => gateway.behave(takeLate(gateway, 500)), () => {}],
    ["answers after it is waited for", () => gateway.behave(takeLate(gateway, 2000)), () => {}],
    [
      "drips the body of its answer",
      () => gateway.behave(drip("HTTP/1.1 200 OK\r\ncontent-length: 9999\r\n\r\n")),
      () => {},
    ],
    ["drips the head of its answer", () => gateway.behave(drip("")), () => {}],
    [
      "closes within the body",
      () =>
        gateway.behave((request) => {
          request.once("data", () => request.destroy());
        }),
      () => {},
    ],
  ];
  for (const [name, begin, end] of stages) {
    await begin();
    const ledger = createLedger();
    await during(agent, ledger, downMs);
    // The agent keeps answering while the gateway fails.
    expect(ledger.accepted.size).toBeGreaterThan(0);
    expect((await agent.send("/v1/ping")).status).toBe(200);
    await end();
    gateway.behave(200);
    await settle(`gateway ${name}`, ledger, gateway, agent);
  }
  await agent.stop();
});

/** Returns a gateway handler that accepts each upload and answers 200 after `ms` milliseconds. */
function takeLate(gateway: RecordingGateway, ms: number) {
  return async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const upload = await uploadOf(request).catch(() => undefined);
    // The agent aborted the upload, so the gateway has not accepted it.
    if (upload === undefined) return;
    gateway.taken.push(upload);
    setTimeout(() => response.writeHead(200).end(), ms);
  };
}

/**
 * Returns a gateway handler that accepts nothing: it sends `head` at once, then one byte every 50 ms until the
 * connection closes.
 */
function drip(head: string) {
  return (request: IncomingMessage): void => {
    const { socket } = request;
    request.resume();
    const rest = "HTTP/1.1 200 OK\r\nx-drops: ";
    let sent = 0;
    socket.write(head);
    const timer = setInterval(() => socket.write(rest[sent++] ?? "x"), 50);
    socket.on("close", () => clearInterval(timer));
    socket.on("error", () => {});
  };
}

/**
 * Finds the record with the most points in a segment file; the queue made this record from many waiting writes. Returns
 * the offset and the length of its body in the file.
 */
async function fullestBody(file: string): Promise<{ readonly from: number; readonly bytes: number }> {
  const size = await realFiles.size(file);
  const open = await realFiles.open(file);
  const header = await readHeader(open, segmentNumber(path.basename(file))!);
  if (header.kind !== "header") throw new Error(`the header of ${file} is ${header.kind}`);
  const { format } = header;
  const reader = new SegmentReader(open, format);
  let best = { from: 0, bytes: 0, points: 0 };
  for (let at = format.headerBytes; at < size; ) {
    const found = (await reader.at(at, size))!;
    if (found.kind === "record" && found.points > best.points) {
      const from = found.start + format.headBytes + found.meta.length;
      best = { from, bytes: found.body.length, points: found.points };
    }
    at = found.end;
  }
  await open.close();
  expect(best.points).toBeGreaterThan(0);
  return best;
}

it("damaged bytes in a segment file lose only the writes they hit, and are logged and counted", async () => {
  const gateway = await gatewayOfTest();
  gateway.behave(500);
  const ledger = createLedger();
  const first = await startAgent({ config: configOf(gateway) });
  await during(first, ledger, 500);
  await first.kill();
  const folder = path.join(first.dataDir, "queue", "metric");
  const file = path.join(folder, readdirSync(folder).find((name) => name.endsWith(".seg"))!);
  const bytes = readFileSync(file);
  const body = await fullestBody(file);
  const from = body.from + (body.bytes >> 1);
  // The test damages eight bytes. They lie in at most two writes, and a write has at most 20 points. So at most 40
  // points may be lost.
  const hit = 40;
  bytes.fill(0x7e, from, from + 8);
  writeFileSync(file, bytes);
  gateway.behave(200);
  const second = await startAgent({ config: configOf(gateway), dataDir: first.dataDir });
  await expect
    .poll(() => second.metric('agent_io_queue_points{category="metric",gateway="failover"}'))
    .toBeLessThanOrEqual(hit);
  await expect.poll(() => lostOf(ledger, gateway).length).toBeLessThanOrEqual(hit);
  const result = report(ledger, gateway);
  print("damaged segment", result);
  expect(result.lost.length).toBeGreaterThan(0);
  expect(result.arrived).toBeGreaterThan(0);
  await expect
    .poll(() => second.log())
    .toMatch(/queue metric: \d+ bytes of \d+\.seg at \d+ are damaged, skipped; the file is kept aside/);
  expect(await second.metric('agent_diskcache_damaged_bytes_total{path="metric"}')).toBeGreaterThan(0);
  await second.stop();
});

it("a graceful stop sends every waiting point exactly once", async () => {
  const gateway = await gatewayOfTest();
  const ledger = createLedger();
  const agent = await startAgent({
    // The timeouts are long because answers may be slow on a busy machine. If an upload failed while the agent stops,
    // the agent would leave the points of this upload on disk.
    config: configOf(gateway)
      .replace(/flush_interval = .*/, 'flush_interval = "30s"')
      .replace(/timeout_v2 = .*/, 'timeout_v2 = "30s"'),
  });
  await during(agent, ledger, 300);
  await agent.stop();
  const result = report(ledger, gateway);
  print("graceful stop", result);
  expect(result.lost).toEqual([]);
  expect(Math.max(...arrivals(gateway).values())).toBe(1);
  rmSync(agent.dataDir, { recursive: true, force: true });
});
