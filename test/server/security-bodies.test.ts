// Bodies that are declared and do not come, that come slowly, or that no token belongs to: they hold nothing of the budget, and
// other clients are served.

import { once } from "node:events";
import type { Socket } from "node:net";
import { expect, it, onTestFinished } from "vitest";
import { measure, openSockets } from "./attack.ts";
import { startAgent } from "./running-agent.ts";
import { startGatewayProcess, startWorkspaces } from "./running-gateway.ts";
import { ask, folder, platform, write } from "./running-platform.ts";

const whole = 64 * 1024 * 1024;
const head = (path: string, length = whole) =>
  `POST ${path} HTTP/1.1\r\nHost: localhost\r\nContent-Length: ${length}\r\n\r\n`;

async function idle(url: string, count: number, text: string, from?: string): Promise<readonly Socket[]> {
  const sockets = await openSockets(url, count, text, from);
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
  });
  return sockets;
}

it("connections that declare 64 MiB and send nothing hold nothing of the agent's budget", async () => {
  const agent = await startAgent();
  onTestFinished(() => agent.stop());
  const attack = { name: "idle bodies, agent", url: agent.url, pid: agent.pid, sent: "32 times the headers of 64 MiB" };
  const { peakMb } = await measure(attack, async () => {
    await idle(agent.url, 32, head("/v1/write/metric"));
    const { status } = await agent.send("/v1/write/metric", { body: "m v=1i 1" });
    expect(status).toBe(200);
    expect(await agent.metric("agent_http_inflight_bytes")).toBe(0);
    return `others ${status}`;
  });
  expect(peakMb).not.toBeGreaterThan(128);
});

it("one client address never holds all of the agent's budget", async () => {
  const config = "[http_api]\nmax_inflight_bytes = 400000\nmax_body_bytes = 100000\nmin_body_bytes_per_second = 0";
  const agent = await startAgent({ config });
  onTestFinished(() => agent.stop());
  const part = "m v=".padEnd(25_000, "1");
  // Each of them gets four times the memory of what has come.
  await idle(agent.url, 4, head("/v1/write/metric", 100_000) + part, "127.0.0.2");
  await expect.poll(() => agent.metric("agent_http_inflight_bytes")).toBeGreaterThan(100_000);
  expect(await agent.metric("agent_http_inflight_bytes")).toBeLessThanOrEqual(200_000);
  const { status } = await agent.send("/v1/write/metric", { body: `m v=1i\n${"#".repeat(90_000)}` });
  expect(status).toBe(200);
});

it("a body that brings too few bytes per second is answered 408 and its connection ends", async () => {
  const agent = await startAgent({ config: '[http_api]\ntimeout = "10m"\nmin_body_bytes_per_second = 1000' });
  onTestFinished(() => agent.stop());
  const [socket] = await idle(agent.url, 1, `${head("/v1/write/metric")}m v=`);
  let text = "";
  socket!.on("data", (chunk) => {
    text += chunk;
  });
  await once(socket!, "close");
  expect(text).toMatch(/^HTTP\/1\.1 408 /);
  expect(text).toContain('"error_code":"agent.bodyTooSlow"');
  await expect.poll(() => agent.metric("agent_http_inflight_bytes")).toBe(0);
});

it("connections that declare 64 MiB and send nothing hold nothing of the gateway's budget", async () => {
  const workspaces = await startWorkspaces();
  onTestFinished(() => workspaces.close());
  const gateway = await startGatewayProcess({ config: `[gateway_api]\nremote_host = "${workspaces.url}"` });
  onTestFinished(() => gateway.stop());
  await idle(gateway.url, 32, head("/v1/write/metric?token=tkn_a"));
  expect((await gateway.send("/v1/write/metric?token=tkn_a", { body: "m v=1i 1" })).status).toBe(200);
});

it("connections without a token stop neither writes nor the Open API of the platform", async () => {
  const { url, token, child } = await platform(folder());
  const attack = {
    name: "idle bodies, platform",
    url,
    pid: child.pid!,
    sent: "32 times the headers of 8 MiB, no token",
  };
  await measure(attack, async () => {
    await idle(url, 32, head("/v1/query/raw", 8 * 1024 * 1024));
    const { status } = await write(url, token, "cpu v=1i");
    expect(status).toBe(200);
    expect((await ask(url, "M::cpu [1h]", token)).status).toBe(200);
    return `others ${status}`;
  });
});

it("the platform knows the token of a query before it reads the body", async () => {
  const { url } = await platform(folder());
  const [known] = await idle(url, 1, head("/v1/query/raw?token=tkn_unknown", 8 * 1024 * 1024));
  const [answer] = (await once(known!, "data")) as [Buffer];
  expect(answer.toString()).toMatch(/^HTTP\/1\.1 403 .*"platform\.invalidToken"/s);
  const large = await ask(url, "x".repeat(2 * 1024 * 1024), "");
  expect([large.status, large.code]).toEqual([413, "platform.bodyTooLarge"]);
});
