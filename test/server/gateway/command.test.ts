// The commands `millrace gateway check`, `millrace gateway explain` and `millrace start`.

import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, describe, expect, it, onTestFinished } from "vitest";
import { millrace } from "../support/millrace.ts";
import { program, send } from "../support/running-agent.ts";
import { startWorkspaces } from "../support/running-gateway.ts";

const folder = mkdtempSync(path.join(tmpdir(), "millrace-gateway-cli-"));
afterAll(() => rmSync(folder, { recursive: true }));

const secret = `tkn_${"a".repeat(32)}`;

function file(name: string, content: unknown): string {
  const at = path.join(folder, name);
  writeFileSync(at, typeof content === "string" ? content : JSON.stringify(content));
  return at;
}

const good = file("good.json", {
  strict: true,
  rules: [
    { rules: ["{ host match 'web-*' and env != 'test' }"], url: `http://w/?token=${secret}`, info: "web" },
    { rules: ["{ region in ['cn-east'] }"], url: "http://e/?token=<TOKEN>" },
  ],
});

describe("millrace gateway check", () => {
  it("reports a valid file and its warnings without showing a token", async () => {
    const { code, out } = await millrace(["gateway", "check", good]);
    expect([code, out]).toEqual([
      0,
      `warning: sinker rules[1]: token *** has an unusual shape\nwarning: sinker rules: default rule "*" missing\n${good}: good, 2 rules, strict=true, default=no\n`,
    ]);
  });

  it("names every mistake", async () => {
    const bad = file("bad.json", { rules: [{ rules: ["{ env = prod }"], url: "ftp://x" }, { url: "http://x" }] });
    expect(await millrace(["gateway", "check", bad])).toMatchObject({
      code: 1,
      out: [
        'error: sinker rules[0]: invalid url "ftp://x"',
        "error: sinker rules[0].rules[0]: 1:9 parse error: invalid value, use quotes",
        "error: sinker rules[1]: token missing in url",
        'error: sinker rules[1]: "rules" must be a non-empty array of string',
        'error: sinker rules: default rule "*" missing',
        "",
      ].join("\n"),
    });
  });
});

describe("millrace gateway explain", () => {
  const explain = (...args: string[]) => millrace(["gateway", "explain", good, ...args]);

  it("shows where a write with the header is sent, and the result of every comparison", async () => {
    const { code, out } = await explain("--header", "X-Global-Tags: host=web-1,Region=cn-east");
    expect(code).toBe(0);
    expect(out).toBe(`header: host = \`web-1', Region = \`cn-east'
rules[0] (web) http://w/?token=tkn_***aaaaa: matches
  true  { host match 'web-*' and env != 'test' }
    true  host match 'web-*': host is \`web-1'
    true  env != 'test': env is not in the header
rules[1] http://e/?token=***: does not match
  false { region in ['cn-east'] }
    false region in ['cn-east']: region is not in the header, only Region (keys are case-sensitive)
result: matched, sent to rules[0]
`);
  });

  it("accepts a header value without its name, another path, and --first", async () => {
    const both = "host=web-1,region=cn-east";
    expect((await explain("--header", both)).out).toContain("result: matched, sent to rules[0], rules[1]\n");
    expect((await explain("--header", both, "--first")).out).toContain("result: matched, sent to rules[0]\n");
    expect((await explain()).out).toContain("result: dropped with 406, nothing matches and there is no default rule\n");
    const byPath = file("path.json", {
      strict: true,
      rules: [{ rules: ["{ __gateway_api = '/v1/write/rum/replay' }"], url: `http://w/?token=${secret}` }],
    });
    const { out } = await millrace(["gateway", "explain", byPath, "--path", "/v1/write/rum/replay"]);
    expect(out).toContain("result: matched");
  });

  it("shows the header that tag rules generate for a point, the reason, and the target", async () => {
    const tags = file("tags.yaml", "- fields: [host, count, gone]\n- { category: logging, fields: env }\n");
    const { code, out } = await millrace(
      ["gateway", "explain", good, "--tags", tags],
      'keyevent,host=web-1 count=7i,note="x"',
    );
    expect(code).toBe(0);
    expect(out).toContain(`point keyevent
rules[0]: applies
  host = \`web-1': host is \`web-1'
  no count: count is the number 7, shard keys are texts
  no gone: gone is neither tag nor field of the point
rules[1]: does not apply, is for logging
X-Global-Tags: host=web-1
header: host = \`web-1'
`);
    expect(out).toContain("result: matched, sent to rules[0]\n");
  });

  it("uses the extra fields, the limit and the rules file from the gateway's configuration", async () => {
    const tags = file("extra.yaml", "- fields: [host, DF_WORKSPACE_NAME, env]\n");
    const config = file(
      "gateway.toml",
      `[sinker.tags]\npath = "${tags}"\nmax_identifiers = 2\n[sinker.tags.extra_fields]\nDF_WORKSPACE_NAME = "mill"\n`,
    );
    const point = "keyevent,host=web-1,env=prod n=1i";
    const { out } = await millrace(["gateway", "explain", good, "--config", config], point);
    expect(out).toContain("X-Global-Tags: host=web-1,DF_WORKSPACE_NAME=mill\n");
    expect(out).toContain("  DF_WORKSPACE_NAME = `mill'");
    expect(out).toContain("  no env: the point has 2 identifiers already");
  });

  it("shows the header that a user-defined function generates", async () => {
    file("set__script.mjs", "export const f = (category, point) => ({ host: `web-${point.fields.n}`, category });");
    const tags = file("function.json", '"set__script.f"');
    const { out } = await millrace(
      ["gateway", "explain", good, "--tags", tags, "--functions", folder],
      "keyevent n=1i",
    );
    expect(out).toContain("X-Global-Tags: host=web-1,category=keyevent\n");
  });

  it.each([
    [["explain"], "name the file"],
    [["explain", "/does/not/exist"], "there is no file /does/not/exist"],
    [["nonsense"], "unknown verb nonsense"],
    [["--listen", "example.org:1"], "gateway_api.listen must be host:port, the host localhost or an IP address"],
    [
      ["--listen", "127.0.0.1:0", "--data-dir", folder, "--config", "/does/not/exist"],
      "there is no file /does/not/exist",
    ],
  ])("millrace gateway %j fails with a reason and without a stack trace", async (args, reason) => {
    const { code, err } = await millrace(["gateway", ...args]);
    expect([code, err]).toEqual([1, expect.stringContaining(reason)]);
    expect(err).not.toMatch(/\n {4}at /);
  });
});

describe("millrace start", () => {
  interface Started {
    readonly child: ChildProcess;
    readonly dataDir: string;
    out(): string;
    log(): string;
    url(service: "agent" | "gateway"): string;
  }

  async function start(...args: string[]): Promise<Started> {
    const dataDir = mkdtempSync(path.join(tmpdir(), "millrace-start-"));
    const all = ["start", "--listen", "127.0.0.1:0", "--platform-listen", "none", "--data-dir", dataDir, ...args];
    const child = spawn(process.execPath, [program, ...all], { stdio: ["ignore", "pipe", "pipe"] });
    let out = "";
    let log = "";
    child.stdout.on("data", (chunk) => (out += chunk));
    child.stderr.on("data", (chunk) => (log += chunk));
    onTestFinished(async () => {
      if (child.exitCode === null) {
        const ended = new Promise((resolve) => child.once("exit", resolve));
        child.kill("SIGTERM");
        await ended;
      }
      rmSync(dataDir, { recursive: true, force: true });
    });
    await expect.poll(() => out).toContain("Millrace agent listening on");
    const url = (service: string) => new RegExp(`${service} listening on (\\S+)\n`).exec(out)![1]!;
    return { child, dataDir, out: () => out, log: () => log, url };
  }

  it("runs agent and gateway; the agent writes points to files until a gateway is configured", async () => {
    const { out, url, dataDir, child } = await start("--gateway-listen", "127.0.0.1:0");
    await expect.poll(out).toContain("Millrace gateway listening on");
    const written = await send(`${url("agent")}/v1/write/logging?source=nginx`, { body: 'nginx message="x" 1' });
    expect(written.status).toBe(200);
    const refused = await send(`${url("gateway")}/v1/write/logging?token=x`, { body: "x" });
    expect([refused.status, JSON.parse(refused.text).error_code]).toEqual([503, "gateway.noRemoteHost"]);
    const workspaces = await startWorkspaces();
    onTestFinished(() => workspaces.close());
    const rules = { strict: true, rules: [{ rules: ["{ a = '1' }"], url: `${workspaces.url}/?token=${secret}` }] };
    writeFileSync(path.join(dataDir, "gateway/sinker.json"), JSON.stringify(rules));
    const routed = () =>
      send(`${url("gateway")}/v1/write/logging`, { body: "l v=1", headers: { "x-global-tags": "a=1" } });
    await expect.poll(async () => (await routed()).status).toBe(200);
    const ended = new Promise((resolve) => child.once("exit", resolve));
    child.kill("SIGTERM");
    expect(await ended).toBe(0);
  });

  it("the agent works while the gateway's port is in use, and ends normally", async () => {
    const taken = createServer();
    await new Promise<void>((resolve) => taken.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => void taken.close());
    const { port } = taken.address() as { port: number };
    const { url, log, child } = await start("--gateway-listen", `127.0.0.1:${port}`);
    await expect.poll(log).toContain(`127.0.0.1:${port} is in use, trying again every second`);
    expect((await send(`${url("agent")}/v1/ping`)).status).toBe(200);
    const ended = new Promise((resolve) => child.once("exit", resolve));
    child.kill("SIGTERM");
    expect(await ended).toBe(0);
  });

  it("runs no gateway with --gateway-listen none", async () => {
    const { out, url } = await start("--gateway-listen", "none");
    expect((await send(`${url("agent")}/v1/ping`)).status).toBe(200);
    expect(out()).not.toContain("gateway listening");
  });
});
