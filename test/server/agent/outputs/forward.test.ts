// The real agent forwards points to gateways that fail, stop and come back (docs/reference/agent.md#uploads).

import { randomBytes } from "node:crypto";
import { STATUS_CODES } from "node:http";
import { afterAll, afterEach, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { millrace } from "../../support/millrace.ts";
import { type RecordingGateway, startGateway } from "../../support/recording-gateway.ts";
import { type AgentProcess, startAgent } from "../../support/running-agent.ts";

const settings = `retry_delay = "50ms"
max_raw_body_size = 1024
[io]
flush_interval = "20ms"
[environments]
ENV_HOSTNAME = "web01"`;

const retriesOf = (category: string, status: number) =>
  `agent_io_http_retry_total{api="/v1/write/${category}",status="${STATUS_CODES[status]}"}`;

const refusing = [400, 401, 403, 404, 413, 422];

describe("an agent with one gateway", () => {
  let gateway: RecordingGateway;
  let agent: AgentProcess;

  beforeAll(async () => {
    gateway = await startGateway();
    agent = await startAgent({ config: `[gateway]\nurls = ["${gateway.url}?token=abc"]\n${settings}` });
  });

  afterAll(async () => {
    await agent.stop();
    await gateway.close();
  });

  afterEach(() => {
    gateway.behave(200);
    gateway.taken.length = 0;
    gateway.seen.length = 0;
  });

  it("sends line protocol with all headers of an upload", async () => {
    await agent.send("/v1/write/metric", { body: "m v=1i 1\nm v=2i 2" });
    await expect.poll(() => gateway.lines()).toEqual(["m,host=web01 v=1i 1000000000", "m,host=web01 v=2i 2000000000"]);
    const [{ url, headers }] = gateway.taken;
    expect(url).toBe("/v1/write/metric?token=abc");
    expect(headers).toMatchObject({
      "content-type": "application/line-protocol",
      "content-encoding": "gzip",
      "x-points": "2",
      referer: "Agent",
    });
    expect(headers["user-agent"]).toMatch(/^agent-\w+-\w+\/[\d.]+\/web01$/);
    expect(headers["x-pkg-id"]).toMatch(/^ag_[0-9a-f-]{36}-metric-\d+-\d+-1$/);
    expect(headers["x-fail-cache-retry"]).toBeUndefined();
  });

  it("sends waiting writes in one upload, separately for each storage index", async () => {
    // The gateway refuses the first upload with 503, so all later points wait in the queue until a retry succeeds.
    gateway.behave(503);
    await agent.send("/v1/write/logging", { body: "l v=0i 1" });
    await expect.poll(() => agent.metric(retriesOf("logging", 503))).toBeGreaterThan(0);
    await Promise.all(
      [1, 2, 3, 4]
        .map((at) => agent.send("/v1/write/logging", { body: `l v=${at}i 1` }))
        .concat(agent.send("/v1/write/logging?storage_index=own", { body: "l v=9i 1" })),
    );
    gateway.behave(200);
    await expect.poll(() => gateway.lines().length).toBe(6);
    // One of the points is for another storage index, so the agent must upload this point separately. So there are at
    // most four uploads: the one that failed, one for the points before this point, one for this point, and one for the
    // points after it.
    expect(gateway.taken.length).toBeLessThan(5);
    const own = gateway.taken.filter(({ headers }) => headers["x-storage-index-name"] === "own");
    expect(own.flatMap(({ lines }) => lines)).toEqual([expect.stringContaining("v=9i")]);
  });

  it("cuts batches at the size of an upload and keeps the order", async () => {
    const body = Array.from({ length: 100 }, (_, at) => `cut v=${at}i 1`).join("\n");
    await agent.send("/v1/write/metric", { body });
    await expect.poll(() => gateway.lines().length).toBe(100);
    expect(gateway.taken.length).toBeGreaterThan(1);
    for (const { lines, headers } of gateway.taken) {
      expect(lines.join("\n").length).toBeLessThanOrEqual(1024);
      expect(headers["x-points"]).toBe(String(lines.length));
    }
    expect(gateway.lines().map((line) => Number(/v=(\d+)i/.exec(line)![1]))).toEqual(
      Array.from({ length: 100 }, (_, at) => at),
    );
  });

  it("sends a point that is larger than an upload alone, in its original order", async () => {
    const body = ["before", `big s="${"x".repeat(2000)}"`, "after"];
    await agent.send("/v1/write/logging", {
      body: body.map((name) => (name.startsWith("big") ? name : `${name} s="x"`)).join("\n"),
    });
    await expect.poll(() => gateway.lines().length).toBe(3);
    expect(gateway.taken.map(({ lines }) => lines.map((line) => line.split(",")[0]))).toEqual([
      ["before"],
      ["big"],
      ["after"],
    ]);
  });

  it("counts points that have no field left, and logs them", async () => {
    await agent.send("/v1/write/metric", { body: 'gone s="x" 1\nstays v=1i 1' });
    await agent.send("/v1/write/metric?strict=", { body: `gone s="${"x".repeat(20_000)}" 1` });
    await expect.poll(() => gateway.lines()).toEqual(["stays,host=web01 v=1i 1000000000"]);
    expect(await agent.metric('agent_io_gateway_skipped_point_total{category="metric"}')).toBe(2);
    await expect
      .poll(() => agent.log())
      .toContain(
        "write metric: 1 points cannot be said in line protocol (no field, or a series over 65,535 bytes); skipped",
      );
  });

  it("counts points whose series is too long for line protocol, and logs them", async () => {
    const tags = Object.fromEntries(Array.from({ length: 80 }, (_, at) => [`t${at}`, `${at}`.padEnd(1000, "x")]));
    const skipped = () => agent.metric('agent_io_gateway_skipped_point_total{category="custom_object"}');
    expect(await skipped()).toBe(0);
    const points = [
      { measurement: "long", tags: { name: "a", ...tags }, fields: { v: 1 } },
      { measurement: "short", tags: { name: "b" }, fields: { v: 1 } },
    ];
    const answer = await agent.send("/v1/write/custom_object", {
      body: JSON.stringify(points),
      headers: { "content-type": "application/json" },
    });
    expect(answer.status).toBe(200);
    await expect.poll(() => gateway.lines().map((line) => line.split(",")[0])).toEqual(["short"]);
    expect(await skipped()).toBe(1);
    await expect
      .poll(() => agent.log())
      .toContain(
        "write custom_object: 1 points cannot be said in line protocol (no field, or a series over 65,535 bytes); skipped",
      );
  });

  it("accepts writes while the gateway fails, and then sends everything in order with the same ids", async () => {
    gateway.behave(503);
    for (let at = 0; at < 5; at++) {
      expect((await agent.send("/v1/write/metric", { body: `away v=${at}i 1` })).status).toBe(200);
    }
    await expect.poll(() => agent.metric(retriesOf("metric", 503))).toBeGreaterThan(1);
    expect(await agent.metric('agent_io_queue_points{category="metric",gateway="failover"}')).toBe(5);
    expect(await agent.metric('agent_io_queue_oldest_seconds{category="metric",gateway="failover"}')).toBeGreaterThan(
      0,
    );
    gateway.behave(200);
    await expect.poll(() => gateway.lines().length).toBe(5);
    expect(
      gateway
        .lines()
        .map((line) => /v=(\d)i/.exec(line)![1])
        .join(""),
    ).toBe("01234");
    const first = gateway.seen[0].headers["x-pkg-id"];
    expect(gateway.taken[0].headers["x-pkg-id"]).toBe(first);
    expect(gateway.taken[0].headers["x-fail-cache-retry"]).toBe("1");
    await expect.poll(() => agent.metric('agent_io_queue_points{category="metric",gateway="failover"}')).toBe(0);
  });

  it.each([302, 408, 429, 500, 502, 503, 504])("retries after %i with the same id", async (status) => {
    const buried = await agent.metric('agent_io_dead_letter_point_total{category="metric"}');
    gateway.behave(status);
    await agent.send("/v1/write/metric", { body: `again v=${status}i 1` });
    await expect.poll(() => gateway.seen.length).toBeGreaterThan(1);
    gateway.behave(200);
    await expect.poll(() => gateway.lines()).toEqual([`again,host=web01 v=${status}i 1000000000`]);
    expect(new Set(gateway.seen.map(({ headers }) => headers["x-pkg-id"])).size).toBe(1);
    expect(gateway.seen.map(({ headers }) => headers["x-fail-cache-retry"])).toEqual([
      undefined,
      ...gateway.seen.slice(1).map(() => "1"),
    ]);
    expect(agent.log()).toContain(`${gateway.url}: ${status} ${STATUS_CODES[status]}: not today`);
    expect(await agent.metric('agent_io_dead_letter_point_total{category="metric"}')).toBe(buried);
  });

  it("waits as long as Retry-After says", async () => {
    let asked = 0;
    const times: number[] = [];
    const ids = new Set<unknown>();
    gateway.behave((request, response) => {
      times.push(performance.now());
      ids.add(request.headers["x-pkg-id"]);
      request.resume();
      response.writeHead(asked++ === 0 ? 429 : 200, { "retry-after": "1" }).end();
    });
    await agent.send("/v1/write/metric", { body: "wait v=1i 1" });
    await expect.poll(() => times.length).toBe(2);
    expect(times[1] - times[0]).toBeGreaterThan(950);
    expect(ids.size).toBe(1);
  });

  it("reports in a metric that the gateway refuses points for exceeded usage, until it accepts some", async () => {
    gateway.behave((_request, response) => response.writeHead(403).end('{"error_code":"gateway.beyondDataUsage"}'));
    await agent.send("/v1/write/object", { body: "o v=1i 1" });
    await expect.poll(() => agent.metric("agent_data_overuse")).toBe(1);
    gateway.behave(200);
    await agent.send("/v1/write/object", { body: "o v=1i 1" });
    await expect.poll(() => agent.metric("agent_data_overuse")).toBe(0);
    expect(await agent.metric("agent_open_files")).toBeGreaterThan(10);
  });

  it.each(refusing)("stores points refused with %i as dead letters, and continues", async (status) => {
    const buried = () => agent.metric('agent_io_dead_letter_point_total{category="metric"}');
    const before = await buried();
    gateway.behave(status);
    await agent.send("/v1/write/metric", { body: "refused v=1i 1" });
    await expect.poll(buried).toBe(before + 1);
    await expect
      .poll(() => agent.log())
      .toContain(
        `1 points of metric refused, kept as dead letters: ${gateway.url}: ${status} ${STATUS_CODES[status]}: not today`,
      );
    gateway.behave(200);
    await agent.send("/v1/write/metric", { body: "taken v=1i 1" });
    await expect.poll(() => gateway.lines()).toEqual(["taken,host=web01 v=1i 1000000000"]);
    // The gateway has received exactly two uploads: the one that it refused, and the one with the point `taken`. So the
    // agent has not repeated the refused upload.
    expect(gateway.seen).toHaveLength(2);
  });

  it("lists the dead letters with their reasons", async () => {
    const { out } = await millrace(["queue", "ls", "--data-dir", agent.dataDir]);
    for (const status of refusing) expect(out).toContain(`${status} ${STATUS_CODES[status]}: not today`);
  });

  it("never writes the token to its log", () => {
    expect(agent.log()).not.toContain("abc");
  });
});

describe("an agent with several gateways", () => {
  async function two(mode: string) {
    const gateways = [await startGateway(), await startGateway()] as const;
    const urls = gateways.map(({ url }) => `"${url}"`).join(", ");
    const agent = await startAgent({ config: `[gateway]\nurls = [${urls}]\nmode = "${mode}"\n${settings}` });
    onTestFinished(async () => {
      await agent.stop();
      await Promise.all(gateways.map((gateway) => gateway.close()));
    });
    return { agent, first: gateways[0], second: gateways[1] };
  }

  it("sends everything to the first working gateway in mode failover", async () => {
    const { agent, first, second } = await two("failover");
    await agent.send("/v1/write/metric", { body: "m v=1i 1" });
    await expect.poll(() => first.lines().length).toBe(1);
    await first.close();
    await agent.send("/v1/write/metric", { body: "m v=2i 1" });
    await expect.poll(() => second.lines().length).toBe(1);
    await first.reopen();
    await expect
      .poll(
        async () => {
          await agent.send("/v1/write/metric", { body: "m v=3i 1" });
          return first.lines().length;
        },
        { interval: 100 },
      )
      .toBeGreaterThan(1);
  });

  it("sends everything to each gateway, at its own pace, in mode all", async () => {
    const { agent, first, second } = await two("all");
    first.behave(500);
    for (let at = 0; at < 3; at++) await agent.send("/v1/write/metric", { body: `m v=${at}i 1` });
    await expect.poll(() => second.lines().length).toBe(3);
    expect(first.lines()).toEqual([]);
    first.behave(200);
    await expect.poll(() => first.lines().length).toBe(3);
    expect(first.lines()).toEqual(second.lines());
  });
});

describe("the queue of an agent", () => {
  it("sends points that an earlier process left in the queue", async () => {
    const gateway = await startGateway();
    const config = `[gateway]\nurls = ["${gateway.url}"]\n${settings}`;
    gateway.behave(500);
    const first = await startAgent({ config });
    for (let at = 0; at < 3; at++) await first.send("/v1/write/metric", { body: `m v=${at}i 1` });
    await first.kill();
    await gateway.quiet();
    gateway.behave(200);
    const second = await startAgent({ config, dataDir: first.dataDir });
    await expect.poll(() => gateway.lines().length).toBe(3);
    await expect.poll(() => second.log()).toContain("3 points of metric from before wait to be sent");
    await second.stop();
    await gateway.close();
  });

  it("uploads large writes in their stored compressed form, in order with the small writes around them", async () => {
    const gateway = await startGateway();
    const agent = await startAgent({ config: `[gateway]\nurls = ["${gateway.url}"]\n[io]\nflush_interval = "300ms"` });
    const large = (from: number) =>
      Array.from({ length: 3000 }, (_, at) => `m v=${from + at}i,text="${"x".repeat(20)}" 1`);
    const bodies = [["m v=0i 1"], large(1), large(3001), ["m v=6001i 1"], ["m v=6002i 1"]];
    for (const lines of bodies) {
      expect((await agent.send("/v1/write/metric", { body: lines.join("\n") })).status).toBe(200);
    }
    await expect.poll(() => gateway.lines().length).toBe(6003);
    expect(gateway.lines().map((line) => Number(/ v=(\d+)i/.exec(line)![1] ?? -1))).toEqual(
      Array.from({ length: 6003 }, (_, at) => at),
    );
    // Each of the two large writes (3000 points) was uploaded separately.
    expect(gateway.taken.map(({ headers }) => headers["x-points"]).filter((points) => points === "3000").length).toBe(
      2,
    );
    const raw = gateway.taken.reduce((sum, { lines }) => sum + Buffer.byteLength(lines.join("\n")), 0);
    await expect
      .poll(() => agent.metric('agent_io_gateway_point_bytes_total{category="metric",enc="raw",status="OK"}'))
      .toBe(raw);
    await agent.stop();
    await gateway.close();
  });

  it("answers 503 with Retry-After when it is full, and accepts writes again when there is room", async () => {
    const gateway = await startGateway();
    gateway.behave(500);
    const agent = await startAgent({
      config: `[gateway]\nurls = ["${gateway.url}"]\nretry_delay = "50ms"\n[gateway.wal]\nmax_capacity_gb = 0.001\n[io]\nflush_interval = "20ms"`,
    });
    // Random text, which compression cannot shrink much, so that few writes fill the queue.
    const body = `l message="${randomBytes(150_000).toString("base64")}" 1`;
    const statuses: number[] = [];
    let last = await agent.send("/v1/write/logging", { body });
    expect((await agent.send("/readyz")).text).toBe('{"status":"ready"}');
    for (let at = 0; at < 8 && last.status === 200; at++) {
      statuses.push(last.status);
      last = await agent.send("/v1/write/logging", { body });
    }
    expect(last.status).toBe(503);
    expect(last.headers["retry-after"]).toBe("5");
    expect(JSON.parse(last.text).error_code).toBe("agent.queueFull");
    const { status, text } = await agent.send("/readyz");
    const fullQueue = expect.stringMatching(/^the queue of logging is full \(\d+ bytes\)$/);
    expect([status, JSON.parse(text)]).toEqual([503, { status: "not ready", problems: [fullQueue] }]);
    expect((await agent.send("/healthz")).status).toBe(200);
    gateway.behave(200);
    await expect.poll(() => gateway.lines().length).toBe(statuses.length);
    // The agent accepts writes again only after it has got the gateway's answer to the last upload, because only then
    // the queue has room.
    await expect.poll(async () => (await agent.send("/readyz")).status).toBe(200);
    expect((await agent.send("/v1/write/logging", { body })).status).toBe(200);
    await agent.stop();
    await gateway.close();
  });

  it("deletes and counts the oldest points when it is full, if configured, and accepts writes", async () => {
    const gateway = await startGateway();
    gateway.behave(500);
    const agent = await startAgent({
      config: `[gateway]\nurls = ["${gateway.url}"]\nretry_delay = "50ms"\n[gateway.wal]\nmax_capacity_gb = 0.001\nfull = "drop-oldest"\n[io]\nflush_interval = "20ms"`,
    });
    onTestFinished(async () => {
      await agent.stop();
      await gateway.close();
    });
    // Random text, which compression cannot shrink much, so that few writes fill the queue.
    const text = randomBytes(150_000).toString("base64");
    const written = Array.from({ length: 20 }, (_, at) => at);
    for (const at of written) {
      const { status } = await agent.send("/v1/write/logging", { body: `l v=${at}i,message="${text}" 1` });
      expect(status).toBe(200);
      // After the first upload has failed, the agent starts no other upload until a retry succeeds.
      if (at === 0) await expect.poll(() => agent.metric(retriesOf("logging", 500))).toBeGreaterThan(0);
    }
    const dropped = await agent.metric('agent_diskcache_dropped_data_total{path="logging",reason="full"}');
    gateway.behave(200);
    const arrived = () => gateway.lines().map((line) => Number(/ v=(\d+)i/.exec(line)![1]));
    await expect.poll(arrived).toContain(written.at(-1));
    const missing = written.filter((at) => !arrived().includes(at));
    expect(missing.length).toBeGreaterThan(10);
    // When the queue drops its oldest records, an upload of some of these records may be in progress. Their points
    // still arrive. So there may be fewer missing points than dropped points.
    expect(missing.length).toBeLessThanOrEqual(dropped);
    expect(Math.max(...missing)).toBeLessThan(Math.max(...arrived()) - 2);
    expect(arrived()).toEqual(arrived().toSorted((a, b) => a - b));
    expect(agent.log()).toMatch(/queue logging is full: its oldest \d+ records \(\d+ points\) are dropped/);
  });

  it("aborts an upload after timeout_v2, and sends it again", async () => {
    const gateway = await startGateway();
    gateway.behave(() => {});
    const agent = await startAgent({
      config: `[gateway]\nurls = ["${gateway.url}"]\ntimeout_v2 = "300ms"\n${settings}`,
    });
    onTestFinished(async () => {
      await agent.stop();
      await gateway.close();
    });
    expect((await agent.send("/v1/write/metric", { body: "m v=1i 1" })).status).toBe(200);
    // While the gateway does not answer, each upload attempt ends after the timeout, and the agent tries again.
    const timeouts = 'agent_io_http_retry_total{api="/v1/write/metric",status="timeout"}';
    await expect.poll(() => agent.metric(timeouts)).toBeGreaterThan(1);
    gateway.behave(200);
    await expect.poll(() => gateway.lines()).toContain("m,host=web01 v=1i 1000000000");
  });

  it("refuses a second agent with the same folder", async () => {
    const agent = await startAgent();
    await expect(startAgent({ dataDir: agent.dataDir })).rejects.toThrow(/process \d+ already uses .+ --data-dir\s*$/);
    await agent.stop();
  });
});

it("sends the name of a host as bytes of UTF-8, in answers and uploads", async () => {
  const gateway = await startGateway();
  const agent = await startAgent({
    config: `[gateway]\nurls = ["${gateway.url}"]\n[environments]\nENV_HOSTNAME = "主机-é\\n"\n`,
  });
  try {
    const bytes = Buffer.from("主机-é").toString("latin1");
    // Two different parts of the code write the header X-Agent: the HTTP framework answers the ping, the fast path
    // answers the write.
    const { status, headers } = await agent.send("/v1/ping");
    expect([status, headers["x-agent"]]).toEqual([200, expect.stringMatching(new RegExp(`^[\\d.]+/${bytes}$`))]);
    const written = await agent.send("/v1/write/metric", { body: "m v=1i 1" });
    expect([written.status, written.headers["x-agent"]]).toEqual([200, headers["x-agent"]]);
    await expect.poll(() => gateway.taken.length).toBe(1);
    expect(gateway.taken[0].headers["user-agent"]).toMatch(new RegExp(`^agent-\\w+-\\w+/[\\d.]+/${bytes}$`));
  } finally {
    await agent.stop();
    await gateway.close();
  }
});
