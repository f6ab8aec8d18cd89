// `millrace doctor` and `millrace monitor`, run as a user runs them.

import { spawn } from "node:child_process";
import { mkdtempSync, writeFileSync } from "node:fs";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { startPlatform } from "../platform/open-api/running-platform.ts";
import { makeCertificates } from "../support/certificates.ts";
import { ended, ownLoopback } from "../support/child.ts";
import { millrace } from "../support/millrace.ts";
import { startGateway } from "../support/recording-gateway.ts";
import { program, send, startAgent } from "../support/running-agent.ts";
import { startGatewayProcess, startWorkspaces } from "../support/running-gateway.ts";
import { addressOf, launch } from "../support/running-platform.ts";

function configFile(text: string): string {
  const file = path.join(mkdtempSync(path.join(tmpdir(), "millrace-doctor-")), "agent.toml");
  writeFileSync(file, text);
  return file;
}

/** Starts a server that answers every request with the result of `body`; returns its port. */
const answering = (body: () => string, status = 200) => serving(() => [status, body()]);

async function serving(answer: (request: IncomingMessage) => readonly [status: number, body: string]): Promise<number> {
  const server = createServer((request, response) => {
    const [status, body] = answer(request);
    response.writeHead(status).end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  return (server.address() as AddressInfo).port;
}

/** Returns a host and port on which no process listens. */
async function freePlace(): Promise<string> {
  const host = ownLoopback();
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, host, resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return `${host}:${port}`;
}

const seconds = () => Math.floor(Date.now() / 1000);

describe("millrace doctor", () => {
  const examine = async (config: string) => {
    const file = configFile(config);
    const { code, out, err } = await millrace(["doctor", "--config", file, "--data-dir", path.dirname(file)]);
    expect(err).toBe("");
    return { code, file, lines: out.trimEnd().split("\n") };
  };

  it("reports no failure for an agent that could start", async () => {
    const place = await freePlace();
    const gateway = await answering(() => `{"timestamp_sec":${seconds()}}`);
    const { code, file, lines } = await examine(
      `[http_api]\nlisten = "${place}"\n[gateway]\nurls = ["http://127.0.0.1:${gateway}?token=secret"]\n[gateway.wal]\nmax_capacity_gb = 0.001`,
    );
    expect(lines).toEqual([
      `ok    config   ${file}: can be used`,
      `ok    port     ${place} is free`,
      expect.stringMatching(
        new RegExp(`^ok {4}gateway {2}http://127\\.0\\.0\\.1:${gateway} answers in \\d+ ms and takes uploads$`),
      ),
      `ok    clock    within 5 s of http://127.0.0.1:${gateway}`,
      expect.stringMatching(/^(?:ok|warn) +disk +[\d.]+ GiB free in /),
      "",
      expect.stringMatching(/^0 problems, \d warnings?$/),
    ]);
    expect(code).toBe(0);
    expect(lines.join()).not.toContain("secret");
  });

  it("explains why several processes have no effect", async () => {
    const gateway = '[gateway]\nurls = ["http://127.0.0.1:9?token=t"]';
    expect((await examine(`[http_api]\nprocesses = 3\n${gateway}`)).lines[0]).toBe(
      "warn  config   http_api.processes = 3 has no effect: requests are counted in one process; set request_rate_limit = 0",
    );
    const { file, lines } = await examine(`[http_api]\nprocesses = 3\nrequest_rate_limit = 0\n${gateway}`);
    expect(lines[0]).toBe(`ok    config   ${file}: can be used`);
  });

  it("recognizes an agent on its port, and reports any other program there", async () => {
    const agent = await startAgent();
    onTestFinished(() => agent.stop());
    const at = new URL(agent.url).host;
    expect((await examine(`[http_api]\nlisten = "${at}"`)).lines[1]).toMatch(
      new RegExp(`^ok {4}port {5}${at}: an agent \\d+\\.\\d+\\.\\d+ answers there$`),
    );
    const other = await answering(() => "hello");
    const { code, lines } = await examine(`[http_api]\nlisten = "127.0.0.1:${other}"`);
    expect([code, lines[1]]).toEqual([1, `fail  port     127.0.0.1:${other} is in use, and no agent answers there`]);
    expect(lines[2]).toBe(
      "warn  gateway  none is configured: an agent alone writes points to files; under millrace start they go to its platform at localhost:9527",
    );
  });

  it("warns of a proxy on this machine whose headers no service trusts", async () => {
    const agent = await startAgent();
    onTestFinished(() => agent.stop());
    const gateway = await startGatewayProcess();
    onTestFinished(() => gateway.stop());
    const platform = await startPlatform();
    onTestFinished(() => platform.stop());
    const [at, gatewayAt, platformAt] = [agent, gateway, platform].map(({ url }) => new URL(url).host);
    const config = `[http_api]\nlisten = "${at}"\n[gateway_api]\nlisten = "${gatewayAt}"\n[platform]\nlisten = "${platformAt}"`;
    const warnings = async () => (await examine(config)).lines.filter((line) => line.includes("proxy"));
    expect(await warnings()).toEqual([]);
    const ask = (url: string, header: string) => send(`${url}/v1/ping`, { headers: { [header]: "10.0.0.1" } });
    await ask(agent.url, "x-forwarded-for");
    await ask(agent.url, "forwarded");
    await ask(gateway.url, "x-real-ip");
    await ask(platform.url, "x-forwarded-for");
    const said = "with X-Forwarded-For, X-Real-IP or Forwarded, which are not believed";
    const why = "no client behind it is local, and all count as one; if it is yours, set";
    expect(await warnings()).toEqual([
      `warn  proxy    agent at ${at}: a proxy on this machine sent 2 requests ${said}: ${why} http_api.trusted_proxies = ["127.0.0.1"]`,
      `warn  proxy    gateway at ${gatewayAt}: a proxy on this machine sent 1 request ${said}: ${why} gateway_api.trusted_proxies = ["127.0.0.1"]`,
      `warn  proxy    platform at ${platformAt}: a proxy on this machine sent 1 request ${said}: ${why} platform.trusted_proxies = ["127.0.0.1"]`,
    ]);
  });

  it.each([
    ["a wrong token", 403, '{"error_code":"x"}', 'refuses the token (403 Forbidden: {"error_code":"x"})'],
    ["a token that a 400 names", 400, "invalid token", "refuses the token (400 Bad Request: invalid token)"],
    ["503 to every upload", 503, "full\u001b[2J", "takes no uploads (503 Service Unavailable: full\\x1b[2J)"],
    ["no such interface", 404, "", "takes no uploads (404 Not Found)"],
    ["an empty body that is none of points", 400, '{"error_code":"platform.emptyBody"}', undefined],
  ] as const)("sends an upload without points, and reports %s", async (_name, status, text, said) => {
    const seen: string[] = [];
    const port = await serving(({ method, url }) => {
      if (method === "GET") return [200, `{"timestamp_sec":${seconds()}}`];
      seen.push(`${method} ${url}`);
      return [status, text];
    });
    const config = `[http_api]\nlisten = "127.0.0.1:0"\n[gateway]\nurls = ["http://127.0.0.1:${port}?token=t"]`;
    const { code, lines } = await examine(config);
    expect(seen).toEqual(["POST /v1/write/metric?token=t"]);
    const found = lines.find((line) => line.includes("gateway  http"));
    const start = `http://127.0.0.1:${port}`;
    if (said === undefined) expect(found).toMatch(/^ok .* and takes uploads$/);
    else expect(found).toBe(`fail  gateway  ${start} ${said}`);
    expect(code).toBe(said === undefined ? 0 : 1);
  });

  it("reports where the agent of millrace start sends its points", async () => {
    const dataDir = mkdtempSync(path.join(tmpdir(), "millrace-doctor-"));
    const args = ["--listen", "127.0.0.1:0", "--platform-listen", "127.0.0.1:0", "--gateway-listen", "none"];
    const running = await launch({ command: "start", dataDir, args, service: ["agent", "platform"] });
    onTestFinished(() => running.kill());
    const at = new URL(addressOf("agent", running.out())).host;
    const { lines } = await examine(`[http_api]\nlisten = "${at}"`);
    expect(lines).toContain(
      `ok    gateway  none is configured; the agent at ${at} sends points to ${addressOf("platform", running.out())}`,
    );
  });

  it("leaves no test upload at a gateway whose target is down or refuses empty bodies", async () => {
    const workspaces = await startWorkspaces();
    onTestFinished(() => workspaces.close());
    const token = `tkn_${"a".repeat(32)}`;
    const gateway = await startGatewayProcess({
      rules: { strict: true, rules: [{ rules: ["*"], url: `${workspaces.url}/?token=${token}` }] },
      config: '[gateway_api.cache]\nretry_delay = "20ms"\nclean_interval = "100ms"',
    });
    onTestFinished(() => gateway.stop());
    const config = `[http_api]\nlisten = "127.0.0.1:0"\n[gateway]\nurls = ["${gateway.url}?token=t"]`;
    for (const status of [500, 400]) {
      workspaces.behave(token, { status, body: "no" });
      const { lines } = await examine(config);
      expect(lines.find((line) => line.includes("gateway  http"))).toMatch(/^ok .* and takes uploads$/);
      const { out } = await millrace(["queue", "ls", "--data-dir", gateway.dataDir]);
      expect([status, out]).toEqual([status, expect.not.stringContaining("target-")]);
      expect(await gateway.metric("gateway_dead_letter_total")).toBe(0);
    }
    workspaces.behave(token, { status: 500 });
    const body = "m v=1i 1";
    expect((await gateway.send("/v1/write/metric", { body, headers: { "x-global-tags": "a=b" } })).status).toBe(200);
    workspaces.behave(token, { status: 200 });
    await expect.poll(() => workspaces.of(token).map((each) => each.body.toString())).toEqual([body]);
  });

  it("reports gateways that are unreachable, refuse, fail, or have a wrong clock", async () => {
    const ports = [
      await answering(() => "", 403),
      await answering(() => "", 502),
      await answering(() => `{"content":{"timestamp":${seconds() - 100}}}`),
    ];
    const [gone, refuses, fails, late] = [await freePlace(), ...ports.map((port) => `127.0.0.1:${port}`)];
    const urls = [gone, refuses, fails, late].map((place) => `"http://${place}"`).join(", ");
    const { code, lines } = await examine(`[http_api]\nlisten = "127.0.0.1:0"\n[gateway]\nurls = [${urls}]`);
    expect(code).toBe(1);
    for (const line of [
      `fail  gateway  http://${gone}: connection-refused`,
      `warn  gateway  http://${gone} has no token`,
      `fail  gateway  http://${refuses} refuses the token (status 403)`,
      `ok    clock    within 5 s of http://${refuses}`,
      `fail  gateway  http://${fails} answers 502`,
    ]) {
      expect(lines).toContain(line);
    }
    expect(lines.join("\n")).toMatch(new RegExp(`warn {2}clock {4}http://${late} is (?:9|10)\\d s behind`));
  });

  it("reports mistakes in the configuration, line by line", async () => {
    const { code, file, lines } = await examine('data_dir = 1\n[http_api]\nworkers = "x"');
    expect(code).toBe(1);
    expect(lines[0]).toBe(`fail  config   ${file}:1: data_dir must be a text, got 1`);
    expect(lines[1]).toContain(`${file}:3: http_api.workers must be a whole number`);
    const tls = await examine(
      '[http_api]\nlisten = "127.0.0.1:0"\nodd = 1\n[http_api.tls]\ncert = "/does/not/exist.pem"',
    );
    const reason = 'http_api.tls.cert must be a file that can be read, got the text "/does/not/exist.pem"';
    expect(tls.lines).toContain(`fail  config   ${tls.file}:5: ${reason}`);
    expect(tls.lines[0]).toContain("warn  config   ");
  });

  it("reports a data folder that cannot be a folder", async () => {
    const file = configFile("");
    const { code, out } = await millrace(["doctor", "--listen", "127.0.0.1:0", "--data-dir", path.join(file, "below")]);
    expect([code, out]).toEqual([1, expect.stringMatching(/^fail {2}disk {5}.*agent\.toml is no folder$/m)]);
  });
});

describe("millrace monitor", () => {
  it("shows one frame of a running agent", async () => {
    const gateway = await startGateway();
    onTestFinished(() => gateway.close());
    const agent = await startAgent({
      config: `[gateway]\nurls = ["${gateway.url}"]\n[io]\nflush_interval = "20ms"`,
      scripts: { "logging/a.p": "add_key(x, 1)" },
    });
    onTestFinished(() => agent.stop());
    await agent.send("/v1/write/logging?source=a", { body: "l v=1i\nl v=2i" });
    await agent.send("/v1/lasterror", { body: '{"input":"cpu","err_content":"boom"}' });
    await expect.poll(() => agent.metric('agent_io_gateway_point_total{category="logging",status="OK"}')).toBe(2);
    const { code, out, err } = await millrace(["monitor", "--to", new URL(agent.url).host, "--once"]);
    expect([code, err]).toEqual([0, ""]);
    expect(out).toMatch(/^MILLRACE \d+\.\d+\.\d+ {2}/);
    for (const title of ["THROUGHPUT", "QUEUE", "UPLOADS", "SCRIPTS", "HTTP", "LAST ERRORS"]) {
      expect(out).toContain(`\n${title}\n`);
    }
    expect(out).toMatch(/^logging +- +2 +1$/m);
    expect(out).toMatch(/^logging\/a\.p +- +2 +0 +0 /m);
    expect(out).toMatch(/ago {2}cpu: boom$/m);
    expect(out).not.toContain("\x1b");
  });

  it("prints frame after frame, with rates from the second one on, and ends at a signal", async () => {
    const agent = await startAgent();
    onTestFinished(() => agent.stop());
    const child = spawn(process.execPath, [program, "monitor", "--to", new URL(agent.url).host, "-R", "1s"]);
    let out = "";
    child.stdout.on("data", (chunk) => {
      out += chunk;
    });
    onTestFinished(() => void child.kill("SIGKILL"));
    await expect.poll(() => out).toMatch(/^requests \d+\.\d\/s/m);
    expect(out.match(/^MILLRACE /gm)!.length).toBeGreaterThan(1);
    expect(out).toMatch(/^requests -\/s/m);
    await ended(child, "SIGTERM");
    expect(child.exitCode).toBe(0);
  });

  it("reports that no agent answers, and refuses invalid options", async () => {
    const to = await freePlace();
    const none = await millrace(["monitor", "--to", to, "--once"]);
    expect([none.code, none.out]).toEqual([1, expect.stringMatching(`^no answer from ${to}: .*ECONNREFUSED`)]);
    const far = await millrace(["monitor", "--to", `127.0.0.1:${await answering(() => "no", 403)}`, "--once"]);
    expect([far.code, far.out]).toEqual([1, expect.stringContaining("status 403")]);
    expect(await millrace(["monitor", "--refresh", "often"])).toMatchObject({
      code: 1,
      err: "--refresh: often is no duration such as 5s\n",
    });
    expect((await millrace(["monitor", "--to", "nowhere"])).err).toBe("--to: nowhere is no host:port\n");
  });

  it("connects to an agent whose TLS certificate is signed by a private authority", async () => {
    const certificates = makeCertificates();
    onTestFinished(certificates.remove);
    const { key, cert } = certificates.files;
    const agent = await startAgent({ config: `[http_api.tls]\ncert = "${cert}"\nprivkey = "${key}"` });
    onTestFinished(() => agent.stop());
    expect(agent.url).toMatch(/^https:/);
    const to = agent.url.replace("localhost", "127.0.0.1");
    const trusted = await millrace(["monitor", "--to", to, "--ca", certificates.authority, "--once"]);
    expect([trusted.code, trusted.out]).toEqual([0, expect.stringMatching(/^MILLRACE /)]);
    const unknown = await millrace(["monitor", "--to", to, "--once"]);
    expect([unknown.code, unknown.out]).toEqual([1, expect.stringMatching(/^no answer from https:.*certificate/)]);
    for (const [ca, line] of [
      [["--ca", certificates.authority], `ok    port     ${to}: an agent `],
      [[], `fail  port     no answer from ${to}: `],
    ] as const) {
      const { out, code } = await millrace(["doctor", "--to", to, ...ca, "--data-dir", agent.dataDir]);
      expect([out.includes(`\n${line}`), code], out).toEqual([true, ca.length === 0 ? 1 : 0]);
      if (ca.length > 0)
        expect(out).toContain(
          `\nwarn  gateway  none is configured; the agent at ${to} writes points to files in ${agent.dataDir}/output\n`,
        );
    }
    const at = new URL(to).host;
    const config = configFile(`[http_api]\nlisten = "${at}"\n[http_api.tls]\ncert = "${cert}"\nprivkey = "${key}"`);
    const { out } = await millrace(["doctor", "--config", config, "--data-dir", path.dirname(config)]);
    expect(out).toMatch(new RegExp(`^ok {4}port {5}${at}: an agent \\S+ answers there$`, "m"));
  });

  it("doctor and monitor print their usage", async () => {
    for (const command of ["monitor", "doctor"]) {
      const { code, out } = await millrace([command, "--help"]);
      expect([code, out.startsWith(`Usage: millrace ${command}`), out.includes("Examples:")]).toEqual([0, true, true]);
    }
  });
});
