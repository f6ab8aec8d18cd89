// A request with two Host headers is refused by agent, gateway and platform, before anything uses the host.

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openClient } from "../support/processes.ts";
import { type AgentProcess, startAgent } from "../support/running-agent.ts";
import { type GatewayProcess, startGatewayProcess } from "../support/running-gateway.ts";
import { launch, type Running, removeFolder, temporaryFolder } from "../support/running-platform.ts";

let agent: AgentProcess;
let gateway: GatewayProcess;
let platform: Running;
const folder = temporaryFolder();
beforeAll(async () => {
  agent = await startAgent();
  gateway = await startGatewayProcess();
  const args = ["--listen", "127.0.0.1:0"];
  platform = await launch({ command: "platform", dataDir: folder, args, service: ["platform"] });
});
afterAll(async () => {
  await agent.stop();
  await gateway.stop();
  await platform.kill();
  removeFolder(folder);
});

const urls = { agent: () => agent.url, gateway: () => gateway.url, platform: () => platform.url };

async function answerTo(service: keyof typeof urls, target: string, headers: readonly string[]): Promise<string> {
  const client = openClient(urls[service]());
  try {
    return await client.ask(`${[`GET ${target} HTTP/1.1`, ...headers].join("\r\n")}\r\n\r\n`);
  } finally {
    client.close();
  }
}

const several = "the request has more than one Host header";
const other = "the target of the request names another host than its Host header";

describe.each(["agent", "gateway", "platform"] as const)("%s", (service) => {
  it.each<[target: string, headers: readonly string[], mistake: string]>([
    ["/metrics", ["Host: localhost", "Host: evil.example"], several],
    ["/metrics", ["Host: localhost", "Host: localhost"], several],
    ["/v1/ping", ["host: evil.example", "X: y", "HOST: localhost"], several],
    ["/nope", ["Host: localhost", "Host: localhost"], several],
    ["http://evil.example/metrics", ["Host: localhost"], other],
    ["http://localhost:1/metrics", ["Host: localhost"], other],
    ["http://user@localhost/metrics", ["Host: localhost"], other],
    ["http://evil.example?a=/metrics", ["Host: localhost"], other],
    ["ftp://localhost/metrics", ["Host: localhost"], other],
  ])("answers 400 to %s with %j", async (target, headers, message) => {
    const answer = await answerTo(service, target, headers);
    expect(answer).toMatch(/^HTTP\/1\.1 400 [\s\S]*\r\nconnection: close\r\n/i);
    expect(answer.slice(answer.indexOf("\r\n\r\n") + 4)).toBe(
      JSON.stringify({ error_code: `${service}.badRequest`, message }),
    );
  });

  it.each([
    ["/v1/ping", ["Host: localhost"]],
    ["http://localhost/v1/ping", ["Host: localhost"]],
    ["HTTP://LocalHost/v1/ping?a=b", ["Host: localhost"]],
    ["http://localhost/metrics", ["Host: localhost"]],
  ])("answers %s with %j", async (target, headers) => {
    expect(await answerTo(service, target, headers)).toMatch(/^HTTP\/1\.1 200 /);
  });

  it("treats the path of an absolute target like any other", async () => {
    const answer = await answerTo(service, "http://evil.example/metrics", ["Host: evil.example"]);
    expect(answer).toMatch(/^HTTP\/1\.1 403 /);
    expect(answer).toContain(
      `{"error_code":"${service}.publicAccessDisabled","message":"api /metrics disabled for host \\"evil.example\\""}`,
    );
  });
});
