// Forwarding by the real agent to a gateway that comes and goes (agent document, B.5).

import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { gunzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type AgentProcess, startAgent } from "./running-agent.ts";

interface Got {
  readonly url: string;
  readonly points: string;
  readonly lines: string[];
}

let gateway: Server;
let agent: AgentProcess;
let status = 200;
const got: Got[] = [];

beforeAll(async () => {
  gateway = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = gunzipSync(Buffer.concat(chunks)).toString();
    if (status < 300)
      got.push({ url: request.url!, points: String(request.headers["x-points"]), lines: body.split("\n") });
    response.writeHead(status).end();
  });
  await new Promise<void>((resolve) => gateway.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(gateway.address() as AddressInfo).port}?token=abc`;
  agent = await startAgent({
    config: `[gateway]\nurls = ["${url}"]\nretry_delay = "50ms"\nmax_raw_body_size = 1024\n[environments]\nENV_HOSTNAME = "web01"`,
  });
});

afterAll(async () => {
  await agent.stop();
  gateway.closeAllConnections();
  gateway.close();
});

describe("forwarding", () => {
  it("sends a batch of line protocol per category", async () => {
    await agent.send("/v1/write/metric", { body: "m v=1i 1\nm v=2i 2" });
    await expect
      .poll(() => got)
      .toEqual([
        {
          url: "/v1/write/metric?token=abc",
          points: "2",
          lines: ["m,host=web01 v=1i 1000000000", "m,host=web01 v=2i 2000000000"],
        },
      ]);
  });

  it("cuts batches at the size of an upload and keeps the order", async () => {
    got.length = 0;
    const body = Array.from({ length: 100 }, (_, at) => `cut v=${at}i 1`).join("\n");
    await agent.send("/v1/write/metric", { body });
    await expect.poll(() => got.flatMap((each) => each.lines).length).toBe(100);
    expect(got.length).toBeGreaterThan(1);
    expect(got.every((each) => each.lines.join("\n").length <= 1024 && Number(each.points) === each.lines.length)).toBe(
      true,
    );
    for (const { lines } of got) {
      const values = lines.map((line) => Number(/v=(\d+)i/.exec(line)![1]));
      expect(values).toEqual([...values].sort((a, b) => a - b));
    }
  });

  it("skips and counts a point that is too large for an upload", async () => {
    got.length = 0;
    await agent.send("/v1/write/logging", { body: `big s="${"x".repeat(2000)}"\nsmall s="x"` });
    await expect.poll(() => got.flatMap((each) => each.lines).length).toBe(1);
    expect(got[0].lines[0]).toMatch(/^small,/);
    expect(await agent.metric('agent_io_gateway_skipped_point_total{category="logging"}')).toBe(1);
  });

  it("answers while the gateway is away and sends everything when it is back", async () => {
    got.length = 0;
    status = 503;
    for (let at = 0; at < 5; at++) {
      expect((await agent.send("/v1/write/metric", { body: `away v=${at}i 1` })).status).toBe(200);
    }
    await expect
      .poll(() => agent.metric('agent_io_http_retry_total{api="/v1/write/metric",status="Service Unavailable"}'))
      .toBeGreaterThan(1);
    expect(await agent.metric("agent_io_gateway_retry_buffer_bytes")).toBeGreaterThan(0);
    status = 200;
    await expect.poll(() => got.flatMap((each) => each.lines).length, { timeout: 10_000 }).toBe(5);
    expect(new Set(got.flatMap((each) => each.lines)).size).toBe(5);
    expect(await agent.metric('agent_io_gateway_point_total{category="metric",status="OK"}')).toBe(107);
  });

  it("drops what the gateway refuses", async () => {
    status = 400;
    await agent.send("/v1/write/metric", { body: "refused v=1i 1" });
    await expect
      .poll(() => agent.metric('agent_io_gateway_http_drop_point_total{category="metric",error="write point 4xx"}'))
      .toBe(1);
    status = 200;
  });
});
