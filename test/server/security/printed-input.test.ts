// Text from clients is shown as plain text in error answers, in logs and on the terminal: it cannot control a terminal
// or forge a log line. No answer and no log line shows more than 1 KB of it.

import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { describe, expect, it, onTestFinished } from "vitest";
import { PointError } from "../../../lib/point/errors.ts";
import { createLog } from "../../../server/telemetry/log.ts";
import { hostileLine, hostileTexts, unsafeIn } from "../support/hostile-texts.ts";
import { millrace } from "../support/millrace.ts";
import { type AgentProcess, type Answer, send, startAgent } from "../support/running-agent.ts";
import { startGatewayProcess } from "../support/running-gateway.ts";
import { folder, platform } from "../support/running-platform.ts";

const cut = / more (?:bytes|characters)\)/;
const json = { "content-type": "application/json" };

async function agentOfTest(config = ""): Promise<AgentProcess> {
  const agent = await startAgent({ config: `[http_api]\nrequest_rate_limit = 0\n${config}` });
  onTestFinished(() => agent.stop());
  return agent;
}

function expectSafe(text: string): void {
  expect(unsafeIn(text)).toEqual([]);
}

function expectSafeLog(log: string): void {
  expectSafe(log);
  for (const line of log.split("\n").slice(0, -1))
    expect(line).toMatch(/^\d{4}-\d\d-\d\dT[\d:.]+Z (?:DEBUG|INFO|WARN|ERROR) /);
  expect(log).not.toMatch(/^\S+ INFO forged/m);
}

/** Checks an error answer: its message has at most 1 KB and no characters that control a terminal. */
function expectSafeAnswer({ status, text, body }: Answer): void {
  expect(status).toBeGreaterThanOrEqual(400);
  expectSafe(text);
  expect(body.length).toBeLessThan(8 * 1024);
  if (text === "") return;
  const { message = "" } = JSON.parse(text) as { message?: string };
  expect(Buffer.byteLength(message)).toBeLessThan(1024 + 40);
}

type Shot = (text: string) => readonly [path: string, sent: Parameters<typeof send>[1]];

const agentShots: Readonly<Record<string, Shot>> = {
  "line protocol": (text) => ["/v1/write/metric", { body: `m,t=${text}` }],
  "a JSON body": (text) => ["/v1/write/metric", { headers: json, body: JSON.stringify([{ [text]: 1, fields: text }]) }],
  "a JSON number": (text) => ["/v1/write/metric", { headers: json, body: JSON.stringify([{ name: "m", time: text }]) }],
  "a PBJSON body": (text) => [
    "/v1/write/metric",
    { headers: json, body: JSON.stringify([{ name: "m", fields: [{ key: "k", [text]: 1 }] }]) },
  ],
  "a strict write": (text) => [
    "/v1/write/logging?strict=1",
    { headers: json, body: JSON.stringify([{ measurement: "m", fields: { [`a.${text}`]: 1 } }]) },
  ],
  "a path": (text) => [`/v1/write/${encodeURIComponent(text.slice(0, 2000))}`, { body: "m v=1" }],
  "an index": (text) => [
    `/v1/write/logging?storage_index=${encodeURIComponent(text.slice(0, 2000))}`,
    { body: "m v=1" },
  ],
  "a debug run": (text) => ["/v1/pipeline/debug", { headers: json, body: `{"script_name": ${text}` }],
  "points of a debug run": (text) => [
    "/v1/pipeline/debug",
    {
      headers: json,
      body: JSON.stringify({
        ...{ category: "metric", script_name: "a", data: [Buffer.from(`m,t=${text}`).toString("base64")] },
        pipeline: { metric: { a: Buffer.from("a = 1").toString("base64") } },
      }),
    },
  ],
  "a dial test": (text) => [
    "/v1/dialtesting/debug",
    { headers: json, body: JSON.stringify({ task_type: text, task: {} }) },
  ],
  OTLP: (text) => ["/otel/v1/logs", { headers: json, body: JSON.stringify({ resourceLogs: text, [text]: 1 }) }],
  labels: (text) => ["/v1/object/labels", { headers: json, body: JSON.stringify({ [text]: text }) }],
};

const long = (text: string) => text.repeat(Math.ceil(20_000 / text.length));

describe("an agent", () => {
  it("answers and logs hostile texts as plain text", async () => {
    const agent = await agentOfTest('[logging]\nlevel = "debug"\n');
    for (const [name, shot] of Object.entries(agentShots)) {
      for (const [attack, text] of [...hostileTexts, ["all of them", hostileLine] as const]) {
        for (const sent of [text, long(text)]) {
          const [at, request] = shot(sent);
          const answer = await agent.send(at, request);
          expect([name, attack, unsafeIn(answer.text)]).toEqual([name, attack, []]);
          expectSafeAnswer(answer);
        }
      }
    }
    await expect.poll(() => agent.log()).toContain("agent.invalidLinePoint");
    expectSafeLog(agent.log());
    for (const line of agent.log().split("\n")) expect(Buffer.byteLength(line)).toBeLessThan(1024 + 128);
  });

  it("shows errors of clients as plain text in /monitor and in millrace monitor", async () => {
    const agent = await agentOfTest();
    for (const [, text] of hostileTexts) {
      const body = JSON.stringify({ input: text, source: text, err_content: text });
      expect((await agent.send("/v1/lasterror", { headers: json, body })).status).toBe(200);
    }
    const { code, out, err } = await millrace(["monitor", "--once", "--to", agent.url, "--width", "400"]);
    expect([code, err]).toEqual([0, ""]);
    expect(out).toContain("\\x1b[31mred\\x1b[0m");
    expectSafe(out);
    expect(out).not.toMatch(/^2026-01-01/m);
  });

  it.each([
    ["one line of 60 MB in 58 KB of gzip", "x".repeat(60_000_000), 1],
    ["6,600,000 lines of nothing", "bad line\n".repeat(6_600_000), 6_600_000],
    ["control characters, which escapes make longer", "\x01".repeat(20_000_000), 1],
  ])("answers %s with at most 1 KB, and logs no more", async (_name, text, failed) => {
    const agent = await agentOfTest();
    const body = gzipSync(text);
    if (failed === 1) expect(body.length).toBeLessThan(60_000);
    const answer = await agent.send("/v1/write/metric", { headers: { "content-encoding": "gzip" }, body });
    expectSafeAnswer(answer);
    const { message } = JSON.parse(answer.text) as { message: string };
    expect(Buffer.byteLength(message)).toBeLessThanOrEqual(1024);
    expect(message).toContain(`with 0 point parse ok, ${failed} points failed`);
    if (failed > 1) expect(message).toContain(`${failed - 9} more lines are not shown`);
    expect(message).toMatch(cut);
    await expect.poll(() => agent.log()).toContain("agent.invalidLinePoint");
    expect(agent.log().length).toBeLessThan(2048);
  });
});

describe("a gateway and a platform", () => {
  it("answer and log hostile texts as plain text", async () => {
    const gateway = await startGatewayProcess({ config: '[logging]\nlevel = "debug"\n' });
    onTestFinished(() => gateway.stop());
    const { url, token, log } = await platform(folder());
    for (const [, text] of hostileTexts) {
      for (const sent of [text, long(text)]) {
        const encoded = encodeURIComponent(sent.slice(0, 800));
        expectSafeAnswer(await gateway.send(`/v1/write/${encoded}?token=tkn`, { body: "m v=1" }));
        expectSafeAnswer(await gateway.send(`/v1/write/metric?token=${encoded}`, { body: "m v=1" }));
        const headers = { ...json, "x-token": token };
        const query = (value: unknown) => send(`${url}/v1/query/raw`, { headers, body: JSON.stringify(value) });
        expectSafeAnswer(await query({ queries: [{ query: `M::cpu {host = "a" ${sent}` }] }));
        expectSafeAnswer(await query({ queries: [{ query: "M::cpu", output_format: sent, timezone: sent }] }));
        expectSafeAnswer(await query(sent));
        expectSafeAnswer(await send(`${url}/v1/query/raw`, { headers, body: `{"queries": ${sent}` }));
        expectSafeAnswer(await send(`${url}/v1/write/${encoded}`, { headers, body: "m v=1" }));
        expectSafeAnswer(await send(`${url}/v1/write/metric`, { headers: { "x-token": token }, body: `m,t=${sent}` }));
        expectSafeAnswer(await send(`${url}/api/v1/workspace/get`, { headers: { "df-api-key": encoded } }));
      }
    }
    expectSafeLog(gateway.log());
    expectSafeLog(log());
  });
});

/** Writes files below a folder. */
function write(dir: string, files: Readonly<Record<string, string>>): void {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(path.dirname(path.join(dir, name)), { recursive: true });
    writeFileSync(path.join(dir, name), text);
  }
}

describe("the command line", () => {
  const point = `m,t=x message="${hostileLine}" 1\n`;
  const commands: readonly (readonly [args: readonly string[], code: number])[] = [
    [["pipeline", "run", "shows.p", "--category", "metric"], 0],
    [["pipeline", "run", "shows.p", "--category", "metric", "--format", "pbjson"], 0],
    [["pipeline", "run", "fails.p", "--category", "metric"], 1],
    [["pipeline", "run", "bad.p"], 1],
    [["pipeline", "check", "bad.p"], 1],
    [["pipeline", "trace", "shows.p", "--category", "metric"], 0],
    [["pipeline", "trace", "fails.p", "--category", "metric"], 1],
    [["pipeline", "fmt", "bad.p"], 1],
    [["pipeline", "test", "shows.test.yaml"], 1],
    [["pipeline", "-P", "shows.p", "-T", hostileLine.replaceAll("\0", "")], 0],
    [["config", "check", "bad.toml"], 1],
    [["doctor", "--config", "bad.toml"], 1],
    [["doctor", "--data-dir", `none-${hostileLine.replaceAll(/[\0/]/g, "")}`, "--listen", "127.0.0.1:0"], 1],
    [["gateway", "check", "bad.json"], 1],
    [["debug", "--filter", `{"metric":["{ a = ${hostileLine.replaceAll("\0", "")} }"]}`, "--data", "a v=1"], 255],
    [["debug", "--filter", "{}", "--data", "points.lp"], 0],
    [["tool", "--parse-lp", "bad.lp"], 255],
    [["tool", "--parse-lp", "points.lp", "--json"], 0],
    [["queue", "ls", "--data-dir", hostileLine.replaceAll("\0", "")], 1],
    [["platform", "check", "--data-dir", hostileLine.replaceAll("\0", "")], 1],
    [[hostileLine.replaceAll("\0", "")], 1],
  ];

  it.each(commands)("prints hostile texts as plain text: %j", async (args, code) => {
    const dir = folder();
    write(dir, {
      "points.lp": point,
      "bad.lp": `m,t=${hostileLine}`,
      "shows.p": "add_key(copy, message)\nx = message\n",
      "fails.p": "add_key(a, message)\nurl_decode(message)\nadd_key(b, strfmt(message, message))\nx = 1 / 0\n",
      "bad.p": `a = "${hostileLine}\nb = ${hostileLine}\n`,
      "shows.test.yaml": `tests:\n  - name: ${JSON.stringify(hostileLine)}\n    input: ${JSON.stringify(hostileLine)}\n    expect:\n      fields: {copy: other}\n`,
      "bad.toml": `${JSON.stringify(hostileLine)} = 1\n[http_api]\nlisten = ${JSON.stringify(hostileLine)}\ntimeout = ${JSON.stringify(hostileLine)}\n`,
      "bad.json": JSON.stringify({ rules: [{ rules: [hostileLine], url: hostileLine }] }),
    });
    const inDir = args.map((each) => (/^\w+(?:\.\w+)+$/.test(each) ? path.join(dir, each) : each));
    const { code: actual, out, err } = await millrace(inDir, point);
    expectSafe(out + err);
    expect(out + err).not.toBe("");
    expect([actual, err]).toEqual([code, err]);
  });

  it("prints the refusal of a gateway and the answer of a platform as plain text", async () => {
    const hostile = hostileTexts.map(([, text]) => text).join(" ");
    const upstream = createServer((request, response) => {
      request.resume();
      const isQuery = request.url!.startsWith("/v1/query");
      const body = isQuery ? JSON.stringify({ error_code: hostile, message: long(hostile) }) : hostile;
      response.writeHead(400).end(body);
    });
    await new Promise<void>((resolve) => upstream.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => void upstream.close());
    const host = `127.0.0.1:${(upstream.address() as AddressInfo).port}`;
    const agent = await agentOfTest(`[gateway]\nurls = ["http://${host}?token=t"]\n[io]\nflush_interval = "20ms"`);
    await agent.send("/v1/write/metric", { body: "m v=1i 1" });
    await expect.poll(() => agent.metric('agent_io_dead_letter_point_total{category="metric"}')).toBe(1);
    const queue = await millrace(["queue", "ls", "--data-dir", agent.dataDir]);
    expect([queue.code, queue.err]).toEqual([0, ""]);
    expect(queue.out).toContain("\\x1b[31mred");
    expectSafe(queue.out);
    expectSafeLog(agent.log());
    const dql = await millrace(["dql", "M::cpu", "--host", host, "--token", "t"]);
    expect([dql.code, dql.out]).toEqual([1, ""]);
    expect(dql.err).toMatch(cut);
    expectSafe(dql.err);
    expect(dql.err.split("\n")).toHaveLength(2);
  });

  it("prints stored texts as plain text in tables and as JSON", async () => {
    const dataDir = folder();
    const { url, token } = await platform(dataDir);
    const tag = hostileTexts.map(([, text]) => text).join(" ");
    const body = JSON.stringify([{ measurement: "m", tags: { t: tag }, fields: { f: tag }, time: Date.now() * 1e6 }]);
    const written = await send(`${url}/v1/write/logging`, { headers: { ...json, "x-token": token }, body });
    expect(written.status).toBe(200);
    const host = url.replace("http://", "");
    for (const more of [[], ["--json"], ["--explain"]]) {
      const { code, out, err } = await millrace(["dql", "L::m:(f, t)", "--host", host, "--token", token, ...more]);
      expect([code, err]).toEqual([0, ""]);
      expect(out).toContain("[31mred");
      expectSafe(out);
      expect(out).not.toMatch(/^2026-01-01/m);
    }
  });
});

describe("a log", () => {
  it("has one line for each event, with the stack of an unexpected error", () => {
    const lines: string[] = [];
    const log = createLog("debug", (line) => lines.push(line));
    const hostile = hostileTexts.map(([, text]) => text).join(" ");
    log.error(hostile);
    log.error("POST /x", new PointError(`${hostile}\n    at forged (file:1:2)`, "json"));
    log.warn(long(hostile), new TypeError(long(hostile)));
    log.info("text", "no error");
    for (const line of lines) {
      expect(line.endsWith("\n")).toBe(true);
      expectSafeLog(line);
      expect(line.split("\n")).toHaveLength(2);
    }
    expect(lines[1]).toMatch(
      /ERROR POST \/x: PointError: \\x1b\[31mred.*\\n {4}at forged \(file:1:2\) at .*printed-input/,
    );
    expect(lines[2]).toMatch(cut);
    expect(lines[2]!.length).toBeLessThan(1200 + 20 * 300);
    expect(lines[3]).toMatch(/INFO text: no error\n$/);
  });
});

it("only print.ts writes to the terminal", () => {
  const server = fileURLToPath(new URL("../../../server", import.meta.url));
  const writers = readdirSync(server, { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".ts"))
    .filter((file) =>
      /process\.std(?:out|err)\b[^;\n]*\.write\(|console\.\w+\(/.test(readFileSync(path.join(server, file), "utf8")),
    );
  // Only these three files of the server may print. All other code prints through cli/terminal/print.ts, which makes a
  // text safe before it prints the text. The other two files run only when the package or the documentation is built.
  expect(writers.sort()).toEqual([
    "cli/terminal/print.ts",
    "documents/print.ts",
    "platform/open-api/documents/print-client.ts",
  ]);
});
