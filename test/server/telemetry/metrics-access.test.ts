// Tests which clients may read /metrics of gateway and platform: clients on the same machine, and clients that the
// configuration allows.

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { networkInterfaces, tmpdir } from "node:os";
import path from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { send } from "../support/running-agent.ts";
import { startGatewayProcess } from "../support/running-gateway.ts";
import { folder, run } from "../support/running-platform.ts";

/**
 * An IPv4 address of this machine other than loopback. A service treats a client at this address like a client on
 * another machine. Undefined when this machine has no such address.
 */
const outside = Object.values(networkInterfaces())
  .flatMap((each) => each ?? [])
  .find((each) => !each.internal && each.family === "IPv4")?.address;

const tables = { gateway: "gateway_api", platform: "platform" } as const;
type Service = keyof typeof tables;

/** Starts a service that listens on all addresses, or on `listen`. Returns its URL. */
async function started(service: Service, settings: string, listen = "0.0.0.0:0"): Promise<string> {
  const config = `[${tables[service]}]\n${settings}`;
  if (service === "gateway") {
    const gateway = await startGatewayProcess({ config, listen });
    onTestFinished(() => gateway.stop());
    return gateway.url;
  }
  const configFolder = mkdtempSync(path.join(tmpdir(), "millrace-metrics-"));
  onTestFinished(() => rmSync(configFolder, { recursive: true, force: true }));
  const file = path.join(configFolder, "platform.toml");
  writeFileSync(file, config);
  const args = ["--listen", listen, "--config", file];
  return (await run({ command: "platform", dataDir: folder(), args, service: ["platform"] })).url;
}

async function statusesOf(url: string, cases: readonly (readonly [string, Readonly<Record<string, string>>])[]) {
  const statuses: [string, number][] = [];
  for (const [name, headers] of cases) statuses.push([name, (await send(`${url}/metrics`, { headers })).status]);
  return statuses;
}

const local = (url: string) => `http://127.0.0.1:${new URL(url).port}`;
const far = (url: string) => `http://${outside}:${new URL(url).port}`;

describe.each(Object.keys(tables) as Service[])("the metrics of a %s", (service) => {
  it("can be read by local clients only by default", async () => {
    const url = await started(service, "");
    expect(
      await statusesOf(local(url), [
        ["as 127.0.0.1", {}],
        ["as localhost", { host: "localhost" }],
        ["a name that leads here", { host: "evil.example" }],
        ["the address of all addresses", { host: "0.0.0.0:9528" }],
        ["a page", { origin: "https://evil.example" }],
        ["behind a proxy", { "x-forwarded-for": "127.0.0.1" }],
        ["behind another proxy", { forwarded: "for=127.0.0.1" }],
      ]),
    ).toEqual([
      ["as 127.0.0.1", 200],
      ["as localhost", 200],
      ["a name that leads here", 403],
      ["the address of all addresses", 403],
      ["a page", 403],
      ["behind a proxy", 403],
      ["behind another proxy", 403],
    ]);
    const { text } = await send(`${local(url)}/metrics`, { headers: { "x-real-ip": "8.8.8.8" } });
    const message = "api /metrics disabled from external IP, only loopback(localhost) allowed";
    expect(JSON.parse(text)).toEqual({ error_code: `${service}.publicAccessDisabled`, message });
    expect((await send(`${local(url)}/metrics/`)).status).toBe(404);
    if (outside !== undefined) {
      expect((await send(`${far(url)}/metrics`, { headers: { host: "localhost" } })).status).toBe(403);
      expect((await send(`${far(url)}/%6detrics`, { headers: { host: "localhost" } })).status).toBe(403);
      expect((await send(`${far(url)}/healthz`)).status).toBe(200);
    }
  });

  it("can be read by everybody when the configuration allows it", async () => {
    const url = await started(service, 'public_apis = ["/metrics"]');
    const headers = { host: "any.example", "x-forwarded-for": "8.8.8.8" };
    expect((await send(`${local(url)}/metrics`, { headers })).status).toBe(200);
  });

  it("can be read by local clients of a trusted proxy, and by listed networks and host names", async () => {
    const url = await started(
      service,
      'trusted_proxies = ["127.0.0.1"]\npublic_ips = ["10.0.0.0/8"]\nallowed_hosts = ["scraped.lan"]',
    );
    expect(
      await statusesOf(local(url), [
        ["local", { "x-forwarded-for": "127.0.0.1" }],
        ["listed", { host: "scraped.lan", "x-real-ip": "10.1.2.3" }],
        ["from elsewhere", { forwarded: "for=8.8.8.8" }],
        ["another name", { host: "other.lan" }],
      ]),
    ).toEqual([
      ["local", 200],
      ["listed", 200],
      ["from elsewhere", 403],
      ["another name", 403],
    ]);
  });

  it("count the requests of a local proxy whose headers are not trusted", async () => {
    const url = await started(service, "");
    const read = async () => (await send(`${local(url)}/metrics`)).text;
    expect(await read()).toContain(`\n${service}_http_untrusted_proxy_total 0\n`);
    for (const name of ["x-forwarded-for", "x-real-ip", "forwarded"]) {
      await send(`${local(url)}/v1/ping`, { headers: { [name]: "8.8.8.8" } });
    }
    expect(await read()).toContain(`\n${service}_http_untrusted_proxy_total 3\n`);
  });
});
