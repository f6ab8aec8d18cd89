// Bodies that are announced but not sent, that arrive slowly, or that come without a valid token. They must take
// nothing from the budget for bodies, and other clients must be served.

import { once } from "node:events";
import { readFileSync } from "node:fs";
import type { Socket } from "node:net";
import path from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { startPlatform } from "../platform/open-api/running-platform.ts";
import { measure, openSockets } from "../support/attack.ts";
import { startAgent } from "../support/running-agent.ts";
import { startGatewayProcess, startWorkspaces } from "../support/running-gateway.ts";
import { ask, folder, metric, platform, write } from "../support/running-platform.ts";

const whole = 64 * 1024 * 1024;
const head = (path: string, length = whole, more = "") =>
  `POST ${path} HTTP/1.1\r\nHost: localhost\r\n${more}Content-Length: ${length}\r\n\r\n`;

const smallBudget = "max_inflight_bytes = 400000\nmin_body_bytes_per_second = 0\n";
/**
 * The first 25 KB of a body. When these bytes have arrived, the agent reserves four times as much memory for the body.
 */
const part = "m v=".padEnd(25_000, "1");

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
  const agent = await startAgent({ config: `[http_api]\nmax_body_bytes = 100000\n${smallBudget}` });
  onTestFinished(() => agent.stop());
  await idle(agent.url, 4, head("/v1/write/metric", 100_000) + part, "127.0.0.2");
  await expect.poll(() => agent.metric("agent_http_inflight_bytes")).toBeGreaterThan(100_000);
  expect(await agent.metric("agent_http_inflight_bytes")).toBeLessThanOrEqual(200_000);
  const { status } = await agent.send("/v1/write/metric", { body: `m v=1i\n${"#".repeat(90_000)}` });
  expect(status).toBe(200);
});

/** Returns everything that the server sends until the connection ends. */
async function answerOf(socket: Socket): Promise<string> {
  let text = "";
  socket.on("data", (chunk) => {
    text += chunk;
  });
  await once(socket, "close");
  return text;
}

it("a body that arrives too slowly is answered 408 and its connection closed, by every service", async () => {
  const agent = await startAgent({ config: '[http_api]\ntimeout = "10m"\nmin_body_bytes_per_second = 1000' });
  onTestFinished(() => agent.stop());
  const gateway = await startGatewayProcess({
    config: '[gateway_api]\nremote_host = "http://127.0.0.1:9"\nmin_body_bytes_per_second = 1000',
  });
  onTestFinished(() => gateway.stop());
  const platform = await startPlatform({ config: "[platform]\nmin_body_bytes_per_second = 1000" });
  onTestFinished(() => platform.stop());
  const token = readFileSync(path.join(platform.dataDir, "platform", "token"), "utf8").trim();
  const keyed = `Content-Type: application/json\r\nDF-API-KEY: ${platform.key}\r\n`;
  const cases: readonly (readonly [url: string, request: string, code: string])[] = [
    [agent.url, head("/v1/write/metric"), '"error_code":"agent.bodyTooSlow"'],
    [gateway.url, head("/v1/write/metric?token=tkn_a"), '"error_code":"gateway.bodyTooSlow"'],
    [gateway.url, head("/v1/query/raw?token=tkn_a"), '"error_code":"gateway.bodyTooSlow"'],
    [platform.url, head(`/v1/write/metric?token=${token}`), '"error_code":"platform.bodyTooSlow"'],
    [platform.url, head(`/v1/query/raw?token=${token}`, 8 * 1024 * 1024), '"error_code":"platform.bodyTooSlow"'],
    [platform.url, head("/api/v1/dashboard/create", 1024 * 1024, keyed), '"errorCode":"RequestTooSlow"'],
  ];
  const sockets: Socket[] = [];
  for (const [url, request] of cases) sockets.push(...(await idle(url, 1, `${request}m v=`)));
  for (const [at, text] of (await Promise.all(sockets.map(answerOf))).entries()) {
    expect(text).toMatch(/^HTTP\/1\.1 408 /);
    expect(text).toContain(cases[at]![2]);
  }
  await expect.poll(() => agent.metric("agent_http_inflight_bytes")).toBe(0);
  await expect.poll(() => gateway.metric("gateway_http_inflight_bytes")).toBe(0);
  await expect.poll(() => metric(platform.url, "platform_http_inflight_bytes")).toBe(0);
});

it("one client address never holds all of the budget of a gateway", async () => {
  const workspaces = await startWorkspaces();
  onTestFinished(() => workspaces.close());
  const gateway = await startGatewayProcess({
    config: `[gateway_api]\nremote_host = "${workspaces.url}"\nmax_http_body_bytes = 100000\n${smallBudget}`,
  });
  onTestFinished(() => gateway.stop());
  await idle(gateway.url, 4, head("/v1/write/metric?token=tkn_a", 100_000) + part, "127.0.0.2");
  const held = () => gateway.metric("gateway_http_inflight_bytes");
  await expect.poll(held).toBeGreaterThan(100_000);
  expect(await held()).toBeLessThanOrEqual(200_000);
  const { status } = await gateway.send("/v1/write/metric?token=tkn_b", { body: `m v=1i\n${"#".repeat(90_000)}` });
  expect(status).toBe(200);
});

it.each(["write", "Open API"])("one client address never holds all of the budget of a platform: %s", async (way) => {
  const platform = await startPlatform({
    config: `[platform]\nmax_body_bytes = 100000\n${smallBudget}[open_api]\nmax_body_bytes = 100000`,
  });
  onTestFinished(() => platform.stop());
  const token = readFileSync(path.join(platform.dataDir, "platform", "token"), "utf8").trim();
  const keyed = `Content-Type: application/json\r\nDF-API-KEY: ${platform.key}\r\n`;
  const sent =
    way === "write"
      ? head(`/v1/write/metric?token=${token}`, 100_000)
      : head("/api/v1/dashboard/create", 100_000, keyed);
  await idle(platform.url, 4, sent + part, "127.0.0.2");
  const held = () => metric(platform.url, "platform_http_inflight_bytes");
  await expect.poll(held).toBeGreaterThan(100_000);
  expect(await held()).toBeLessThanOrEqual(200_000);
  expect((await write(platform.url, token, `cpu v=1i\n${"#".repeat(90_000)}`)).status).toBe(200);
  expect((await platform.call("/dashboard/list")).status).toBe(200);
});

it("gateway and platform check the token before the body comes", async () => {
  const gateway = await startGatewayProcess({ config: '[gateway_api]\nremote_host = "http://127.0.0.1:9"' });
  onTestFinished(() => gateway.stop());
  const { url } = await platform(folder());
  const cases: readonly (readonly [url: string, request: string, code: string])[] = [
    [gateway.url, head("/v1/write/metric"), '"gateway.emptyToken"'],
    [gateway.url, head("/v1/query/raw?token=__internal__"), '"gateway.invalidToken"'],
    [url, head("/v1/write/metric"), '"platform.emptyToken"'],
    [url, head("/v1/write/metric?token=tkn_unknown"), '"platform.invalidToken"'],
    [url, head("/v1/object/labels?token=tkn_unknown", 1024), '"platform.invalidToken"'],
    [url, head("/api/v1/dashboard/create", 1024, "DF-API-KEY: unknown\r\n"), '"InvalidApiKey"'],
  ];
  for (const [at, request, code] of cases) {
    const [socket] = await idle(at, 1, request);
    const [answer] = (await once(socket!, "data")) as [Buffer];
    expect(answer.toString()).toMatch(/^HTTP\/1\.1 403 /);
    expect(answer.toString()).toContain(code);
  }
});

it("connections that declare 64 MiB and send nothing hold nothing of the gateway's budget", async () => {
  const workspaces = await startWorkspaces();
  onTestFinished(() => workspaces.close());
  const gateway = await startGatewayProcess({ config: `[gateway_api]\nremote_host = "${workspaces.url}"` });
  onTestFinished(() => gateway.stop());
  await idle(gateway.url, 32, head("/v1/write/metric?token=tkn_a"));
  expect((await gateway.send("/v1/write/metric?token=tkn_a", { body: "m v=1i 1" })).status).toBe(200);
});

it("idle connections without a token block neither writes nor the Open API of the platform", async () => {
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

it("the platform checks the token of a query before it reads the body", async () => {
  const { url } = await platform(folder());
  const [known] = await idle(url, 1, head("/v1/query/raw?token=tkn_unknown", 8 * 1024 * 1024));
  const [answer] = (await once(known!, "data")) as [Buffer];
  expect(answer.toString()).toMatch(/^HTTP\/1\.1 403 .*"platform\.invalidToken"/s);
  const large = await ask(url, "x".repeat(2 * 1024 * 1024), "");
  expect([large.status, large.code]).toEqual([413, "platform.bodyTooLarge"]);
});
