// The input prometheus, run by a real agent against targets that behave well and badly.

import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type RequestListener } from "node:http";
import { createServer as createTlsServer } from "node:https";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { gzipSync } from "node:zlib";
import { expect, it, onTestFinished } from "vitest";
import { loadConfig } from "../../../../../server/config/load.ts";
import { makeCertificates } from "../../../support/certificates.ts";
import { millrace } from "../../../support/millrace.ts";
import { type AgentProcess, startAgent } from "../../../support/running-agent.ts";

const patience = { timeout: 20_000, interval: 50 };

/** Starts a target (a server with metrics to scrape). Returns its address. */
async function targetOf(listener: RequestListener, tls?: { key: Buffer; cert: Buffer }): Promise<string> {
  const server = tls === undefined ? createServer(listener) : createTlsServer(tls, listener);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return `${tls === undefined ? "http" : "https"}://127.0.0.1:${port}/metrics`;
}

const plain =
  (text: string): RequestListener =>
  (_request, response) =>
    void response.end(text);

const entryOf = (urls: readonly string[], more = "") =>
  `[[inputs.prometheus]]\nurls = ${JSON.stringify(urls)}\ninterval = "200ms"\n${more}\n`;

async function agentOfTest(config: string): Promise<AgentProcess> {
  const agent = await startAgent({ config });
  onTestFinished(() => agent.stop());
  return agent;
}

const linesOf = async (agent: AgentProcess) =>
  existsSync(path.join(agent.dataDir, "output/metric.lp")) ? await agent.output("metric") : [];

/** Waits until a point has arrived whose line matches `pattern`. */
async function pointOf(agent: AgentProcess, pattern: RegExp): Promise<void> {
  await expect.poll(async () => (await linesOf(agent)).some((line) => pattern.test(line)), patience).toBe(true);
}

it("turns the metrics of targets and of the agent itself into points, with address, tags and credentials", async () => {
  const folder = mkdtempSync(path.join(tmpdir(), "millrace-prometheus-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  writeFileSync(path.join(folder, "password"), "pass word\n");
  writeFileSync(path.join(folder, "token"), "secret\n");
  const asked: (string | undefined)[] = [];
  const first = await targetOf((request, response) => {
    asked.push(request.headers.authorization);
    response.writeHead(200, { "content-encoding": "gzip" });
    response.end(gzipSync('node_load1 0.5\nnode_load5{cpu="0",instance="own"} 7\ngo_x 1\n'));
  });
  const second = await targetOf((request, response) => {
    asked.push(request.headers.authorization);
    response.writeHead(200, { "content-type": "application/openmetrics-text; version=1.0.0" });
    response.end("x_total 1\n# EOF\n");
  });
  const agent = await agentOfTest(
    entryOf(
      [first],
      `username = "me"\npassword_file = "${folder}/password"\ntags = { team = "web" }\ndrop = ["go_.*"]`,
    ) + entryOf([second], `bearer_token_file = "${folder}/token"\nmeasurement = "second"`),
  );
  const instance = new URL(first).host.replaceAll(".", "\\.");
  await pointOf(agent, new RegExp(`^node,team=web,instance=${instance},host=\\S+ load1=0\\.5 \\d{19}$`));
  await pointOf(agent, /^node,cpu=0,instance=own,team=web,host=\S+ load5=7 /);
  await pointOf(agent, /^second,instance=\S+ x_total=1,up=1,scrape_duration_seconds=\S+,scrape_samples_scraped=1 /);
  await pointOf(agent, new RegExp(`^up,team=web,instance=${instance},host=\\S+ up=1 `));
  expect((await linesOf(agent)).filter((line) => line.startsWith("go,"))).toEqual([]);
  expect(asked).toContain(`Basic ${Buffer.from("me:pass word").toString("base64")}`);
  expect(asked).toContain("Bearer secret");
  expect(await agent.metric(`agent_input_prometheus_up{url="${first}"}`)).toBe(1);
  // Changes the configuration, so that the agent scrapes its own metrics. The test knows the address of the agent only
  // after the agent has started.
  writeFileSync(
    path.join(agent.dataDir, "agent.toml"),
    entryOf([`${agent.url}/metrics`], 'keep = ["agent_uptime_.*"]'),
  );
  agent.signal("SIGHUP");
  await pointOf(agent, /^agent,.*hostname=\S+ uptime_seconds=\d/);
  expect(await agent.metric(`agent_input_prometheus_up{url="${first}"}`)).toBe(0);
});

it.each<[string, RequestListener, RegExp]>([
  ["an error", (_request, response) => void response.writeHead(500).end("a_b 1"), /status 500/],
  [
    "a redirect",
    (_request, response) => void response.writeHead(302, { location: "/elsewhere" }).end(),
    /redirects are not followed/,
  ],
  [
    "an endless answer",
    (_request, response) => {
      const write = () => {
        while (!response.destroyed && response.write("x".repeat(64 * 1024)));
      };
      response.on("drain", write);
      write();
    },
    /longer than 4096 bytes/,
  ],
  [
    "a bomb",
    (_request, response) =>
      void response.writeHead(200, { "content-encoding": "gzip" }).end(gzipSync(Buffer.alloc(4_000_000))),
    /longer than 4096 bytes/,
  ],
  [
    "broken gzip",
    (_request, response) => void response.writeHead(200, { "content-encoding": "gzip" }).end("a_b 1"),
    /cannot be decompressed/,
  ],
  ["no end", (_request, response) => void response.write("a_b 1\n"), /no whole answer within 1s/],
  [
    "a part of OpenMetrics",
    (_request, response) =>
      void response.writeHead(200, { "content-type": "application/openmetrics-text" }).end("a_b 1\n"),
    /does not end with # EOF/,
  ],
  ["a closed connection", (request) => void request.socket.destroy(), /socket hang up|ECONNRESET/],
])("reports a target as down when it answers with %s", async (_what, listener, reason) => {
  const url = await targetOf(listener);
  const agent = await agentOfTest(entryOf([url], 'timeout = "1s"\nmax_body_bytes = 4096'));
  await pointOf(agent, /^up,instance=\S+ up=0 /);
  await expect.poll(() => agent.log(), patience).toMatch(reason);
  expect((await linesOf(agent)).filter((line) => line.startsWith("a,"))).toEqual([]);
  expect(await agent.metric(`agent_input_prometheus_scrape_total{url="${url}",status="failed"}`)).toBeGreaterThan(0);
});

it("keeps the readable lines of an answer, and logs the unreadable ones once", async () => {
  const url = await targetOf(plain("a_b 1\n\0\x1b[31m\xff\na_c 2\na_d 3\n"));
  const agent = await agentOfTest(entryOf([url], "max_samples = 2"));
  await pointOf(agent, /^a,instance=\S+ b=1,c=2 /);
  await expect
    .poll(async () => (await linesOf(agent)).filter((line) => line.startsWith("a,")).length, patience)
    .toBeGreaterThan(2);
  expect(await agent.metric(`agent_input_prometheus_left_out_sample_total{url="${url}"}`)).toBeGreaterThan(3);
  expect(agent.log().match(/left out: line 2: no name of a metric; 1 samples beyond 2/g)).toHaveLength(1);
});

it("scrapes over TLS, checks certificates, and appears in doctor and the monitor", async () => {
  const files = makeCertificates("prometheus");
  onTestFinished(() => files.remove());
  const url = await targetOf(plain("a_b 1\n"), {
    key: readFileSync(files.files.key),
    cert: readFileSync(files.files.cert),
  });
  const agent = await agentOfTest(
    entryOf([url], `tls_ca = "${files.authority}"\nmeasurement = "checked"`) +
      entryOf([`${url}?unchecked`], 'measurement = "unchecked"') +
      entryOf([`${url}?trusted`], 'insecure_skip_verify = true\nmeasurement = "trusted"'),
  );
  await pointOf(agent, /^checked,.* a_b=1/);
  await pointOf(agent, /^unchecked,.* up=0/);
  await pointOf(agent, /^trusted,.* a_b=1/);
  const { out } = await millrace(["doctor", "--config", `${agent.dataDir}/agent.toml`, "--to", agent.url]);
  expect(out).toContain(`ok    input    prometheus ${url}: answers with 1 sample\n`);
  expect(out).toMatch(/^fail {2}input {4}prometheus \S+\?unchecked: .*certificate/m);
  const shown = await millrace(["monitor", "--to", agent.url, "--once", "--modules", "inputs"]);
  expect(shown.out).toMatch(/^PROMETHEUS TARGETS$/m);
  expect(shown.out).toMatch(/\/metrics +1 +\S+ +\d+ +0 +0 +0$/m);
  expect(shown.out).toMatch(/\?unchecked +0 +\S+ +0 +\d+ +0 +0$/m);
});

it.each([
  ["", ".urls must name at least one target"],
  ['urls = ["ftp://x"]', "must be a URL such as"],
  ['urls = ["http://me:secret@x/"]', "without user and password"],
  ['urls = ["http://x/"]\nkeep = ["("]', "must be a regular expression"],
  ['urls = ["http://x/"]\nkeep_labels = { a = "(" }', ".a must be a regular expression"],
  ['urls = ["http://x/"]\npassword_file = "/dev/null"', "needs username beside it"],
  ['urls = ["http://x/"]\nusername = "a"\nbearer_token_file = "/dev/null"', "cannot stand beside username"],
  ['urls = ["http://x/"]\ntls_cert = "/dev/null"', "tls_cert and tls_key need each other"],
])("refuses the entry %j: %s", (text, message) => {
  const file = { name: "agent.toml", text: `[[inputs.prometheus]]\n${text}\n` };
  expect(() => loadConfig({ file })).toThrow(message);
});
