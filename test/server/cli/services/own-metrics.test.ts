// The metrics of the three services of `millrace start`: the agent asks for them, and the platform answers queries
// about them. The test ready-dashboards.test.ts shows that these metrics fill each chart of the dashboard `millrace`.

import { writeFileSync } from "node:fs";
import path from "node:path";
import { expect, it } from "vitest";
import { withOwnMetrics } from "../../../../server/cli/services/own-metrics.ts";
import { type Config, defaults } from "../../../../server/config/schema.ts";
import { ownLoopback } from "../../support/child.ts";
import { ask, folder, run } from "../../support/running-platform.ts";

const usual = ["http://127.0.0.1:9527/metrics", "http://127.0.0.1:9528/metrics", "http://127.0.0.1:9529/metrics"];
const platform = usual[0]!;

it.each<[string, Partial<Config>, string, readonly string[]]>([
  ["the three services", {}, "http://127.0.0.1:9527", usual],
  [
    "all addresses",
    { "http_api.listen": "0.0.0.0:9529", "gateway_api.listen": "none" },
    "http://0.0.0.0:9527",
    [platform, usual[2]!],
  ],
  [
    "IPv6",
    { "http_api.listen": "[::]:1", "gateway_api.listen": "[::1]:2" },
    "http://[::]:9527",
    ["http://[::1]:9527/metrics", "http://[::1]:2/metrics", "http://[::1]:1/metrics"],
  ],
  [
    "TLS",
    { "http_api.tls.cert": "agent.pem", "gateway_api.tls.cert": "gateway.pem" },
    "https://localhost:9527",
    ["https://localhost:9527/metrics", "https://127.0.0.1:9528/metrics", "https://127.0.0.1:9529/metrics"],
  ],
  [
    "a port that is not known yet",
    { "http_api.listen": "localhost:0", "gateway_api.listen": "none" },
    platform,
    [platform],
  ],
  ["a Unix socket", { "http_api.listen": "/run/millrace.sock", "gateway_api.listen": "none" }, platform, [platform]],
  [
    "an address beyond this machine",
    { "http_api.listen": "192.0.2.1:9529", "gateway_api.listen": "none" },
    platform,
    [platform],
  ],
])("the metrics pages of the services become scrape targets: %s", (_what, settings, url, urls) => {
  const config = withOwnMetrics({ ...defaults(), ...settings, "inputs.own_metrics.interval": "7s" }, url);
  expect(config["inputs.prometheus"].map(({ urls, interval }) => [urls, interval])).toEqual([[urls, "7s"]]);
});

it("no metrics page is scraped twice, and none is scraped when own metrics are switched off", () => {
  const [own] = withOwnMetrics(defaults(), platform)["inputs.prometheus"];
  const named = { ...own!, urls: ["http://localhost:9529/metrics", "http://10.0.0.1:9528/metrics"] };
  const config = withOwnMetrics({ ...defaults(), "inputs.prometheus": [named] }, platform);
  expect(config["inputs.prometheus"].map(({ urls }) => urls)).toEqual([named.urls, usual.slice(0, 2)]);
  const off = { ...defaults(), "inputs.own_metrics.enable": false };
  expect(withOwnMetrics(off, platform)).toBe(off);
});

it.each<[string, Partial<Config>, boolean]>([
  ["read", {}, true],
  ["not read when the user switches them off", { "inputs.own_metrics.host": false }, false],
  ["read when the user switches the input on", { "inputs.own_metrics.host": false, "inputs.host.enable": true }, true],
  ["not read when all own metrics are off", { "inputs.own_metrics.enable": false }, false],
])("metrics of the host are %s", (_, settings, isRead) => {
  expect(withOwnMetrics({ ...defaults(), ...settings }, platform)["inputs.host.enable"]).toBe(isRead);
});

it("the metrics of the services arrive in the platform", { timeout: 120_000 }, async () => {
  const dataDir = folder();
  const host = ownLoopback();
  const config = path.join(dataDir, "start.toml");
  writeFileSync(config, '[inputs.own_metrics]\ninterval = "1s"\n');
  const ports = { agent: 19529, gateway: 19528, platform: 19527 };
  const listen = ["--listen", `${host}:${ports.agent}`, "--gateway-listen", `${host}:${ports.gateway}`];
  const running = await run({
    command: "start",
    dataDir,
    args: ["--config", config, ...listen, "--platform-listen", `${host}:${ports.platform}`],
    service: ["platform", "gateway", "agent"],
    env: { ENV_INPUT_OWN_METRICS_ENABLE: "true" },
  });
  const up = async () => {
    const { series } = await ask(running.url, "M::up:(last(up)) BY instance", running.token);
    return Object.fromEntries(series.map(({ tags, values }) => [tags!.instance, values[0]!.at(-1)]));
  };
  const expected = Object.fromEntries(Object.values(ports).map((port) => [`${host}:${port}`, 1]));
  await expect.poll(up, { timeout: 90_000, interval: 500 }).toEqual(expected);
  const hosts = async () => (await ask(running.url, "O::host_processes:(count(*))", running.token)).series.length;
  await expect.poll(hosts, { timeout: 30_000, interval: 500 }).toBeGreaterThan(0);
  for (const service of Object.keys(ports)) {
    const { series } = await ask(running.url, `show_field_key(from=['${service}'])`, running.token);
    expect(series[0]?.values.length, service).toBeGreaterThan(3);
  }
});
