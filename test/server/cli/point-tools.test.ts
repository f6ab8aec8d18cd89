// `millrace debug`, `millrace tool` and `millrace import` (docs/reference/agent.md#command-line).

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, describe, expect, it, onTestFinished } from "vitest";
import { millrace } from "../support/millrace.ts";

const folder = mkdtempSync(path.join(tmpdir(), "millrace-tools-"));
afterAll(() => rmSync(folder, { recursive: true }));

function written(name: string, text: string): string {
  const file = path.join(folder, name);
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, text);
  return file;
}

describe("millrace debug --filter", () => {
  const rules = { logging: ["{ a = 'no' }", "{ source = 'nginx' and i > 1 }"], metric: ["{ measurement = 'cpu' }"] };
  const data = "nginx,host=a i=2i 1700000000000000000\ncpu v=1.5 1700000000000000000\nredis v=1i 1700000000000000000\n";
  const told = (out: string) => out.replace(/cost [0-9.]+(?:ns|µs|ms|s)/g, "cost C");
  const verdict = [
    'Dropped\n\n    nginx,host=a i=2i,status="unknown" 1700000000000000000\n\n' +
      "By 2th rule(cost C) from category \"logging\":\n\n    { source = 'nginx' and i > 1 }\n",
    "Dropped\n\n    cpu v=1.5 1700000000000000000\n\n" +
      "By 1th rule(cost C) from category \"metric\":\n\n    { measurement = 'cpu' }\n",
    'Kept\n\n    redis status="unknown",v=1i 1700000000000000000\n',
  ].join("\n");

  it("reports the rule that drops each point, for rules and points given as files or as texts", async () => {
    const inFiles = [written("rules.json", JSON.stringify({ filters: rules })), written("data.lp", data)];
    for (const [filter, points] of [inFiles, [JSON.stringify(rules), data]]) {
      const { code, out, err } = await millrace(["debug", "--filter", filter, "--data", points]);
      expect([code, told(out), err]).toEqual([0, verdict, ""]);
    }
  });

  it.each([
    [["--filter", "{}"], "both are needed: --filter RULES --data POINTS"],
    [["--filter", "{", "--data", "a v=1"], "the filter is not JSON: "],
    [["--filter", "[]", "--data", "a v=1"], "the filter must be an object such as "],
    [["--filter", '{"nope":[]}', "--data", "a v=1"], "unknown category nope; one of metric, "],
    [["--filter", '{"metric":["{ a = b }"]}', "--data", "a v=1"], "metric[0]: "],
    [["--filter", '{"metric":[1]}', "--data", "a v=1"], "metric: a list of texts is expected"],
    [["--filter", '{"metric":[]}', "--data", "bad"], "invalid lineprotocol: "],
  ])("fails on %j", async (args, reason) => {
    const { code, out, err } = await millrace(["debug", ...args]);
    expect([code, out, err.slice(0, 4 + reason.length)]).toEqual([255, "", `[E] ${reason}`]);
  });
});

describe("millrace tool", () => {
  it("counts points, measurements and time series", async () => {
    const file = written("parse.lp", '# c\na,t=1 v=1,s="x" 1\na,t=1 w=2 2\na,t=2 v=1i 3\nb v=true 4\n');
    expect(await millrace(["tool", "--parse-lp", file])).toEqual({
      code: 0,
      out: "Parse 4 points OK, with 2 measurements and 3 time series\n",
      err: "",
    });
    const { code, out, err } = await millrace(["tool", "--parse-lp", file, "--json", "--category", "M"]);
    expect([code, err]).toEqual([0, "Parse 4 points OK, with 2 measurements and 3 time series\n"]);
    expect(JSON.parse(out).slice(0, 2)).toEqual([
      { measurement: "a", tags: { t: "1" }, fields: { v: 1 }, time: 1e9 },
      { measurement: "a", tags: { t: "1" }, fields: { w: 2 }, time: 2e9 },
    ]);
  });

  it("prints the configuration that config init writes", async () => {
    const [tool, init] = await Promise.all([millrace(["tool", "--default-main-conf"]), millrace(["config", "init"])]);
    expect(tool).toEqual(init);
    expect(tool.out).toContain("[http_api]");
  });

  it.each([
    [[], "one is needed: --parse-lp FILE or --default-main-conf"],
    [["--parse-lp", path.join(folder, "none.lp")], "ENOENT"],
    [["--parse-lp", written("bad.lp", "a v=1\nbad\n")], "invalid lineprotocol: unable to parse 'bad'"],
    [["--parse-lp", "x", "--category", "nope"], "unsupported category: nope"],
  ])("fails on %j", async (args, reason) => {
    const { code, out, err } = await millrace(["tool", ...args]);
    expect([code, out, err.slice(0, 4 + reason.length)]).toEqual([255, "", `[E] ${reason}`]);
  });
});

interface Received {
  readonly url: string;
  readonly body: string;
}

/** Starts a server that answers each request with the next of the given statuses, and with 200 when none is left. */
async function receiver(statuses: number[] = []): Promise<{ readonly url: string; readonly received: Received[] }> {
  const received: Received[] = [];
  const server: Server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk) => chunks.push(chunk));
    request.on("end", () => {
      const status = statuses.shift() ?? 200;
      if (status === 200) received.push({ url: request.url!, body: Buffer.concat(chunks).toString() });
      response.writeHead(status, { "retry-after": "0" }).end(status === 200 ? "" : "not now");
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, received };
}

describe("millrace import", () => {
  const recorded = path.join(folder, "recorded");
  written("recorded/logging.lp", 'l s="1" 1700000000000000000\nl s="2" 1700000001500000001\n');
  written(
    "recorded/metric/cpu.1.pbjson",
    '[{"name":"cpu","fields":[{"key":"v","i":"9007199254740993"}],"time":"1700000003000000000"}]',
  );
  written("recorded/notes.lp", "not points");
  written("recorded/tracing.lp", "");

  it("sends all points with their times shifted so that the latest is now", async () => {
    const { url, received } = await receiver([503]);
    const before = BigInt(Date.now()) * 1_000_000n;
    const { code, out, err } = await millrace(["import", "-P", recorded, "-D", `${url}/v1/x?token=tkn_a`]);
    expect([code, err]).toEqual([0, ""]);
    expect(out).toBe(
      `${recorded}/logging.lp: 2 points\n${recorded}/metric/cpu.1.pbjson: 1 point\n${recorded}/tracing.lp: 0 points\n` +
        "Imported 3 points of 3 files\n",
    );
    expect(received.map((each) => each.url)).toEqual([
      "/v1/write/logging?token=tkn_a&precision=n&input=import",
      "/v1/write/metric?token=tkn_a&precision=n&input=import",
    ]);
    const times = received
      .flatMap(({ body }) => body.trim().split("\n"))
      .map((line) => BigInt(line.split(" ").at(-1)!));
    expect(times[2] - times[0]).toBe(3_000_000_000n);
    expect(times[2] - times[1]).toBe(1_499_999_999n);
    expect(times[2] >= before && times[2] <= BigInt(Date.now()) * 1_000_000n).toBe(true);
    expect(received[1].body).toMatch(/^cpu v=9007199254740993i \d+$/m);
  });

  it("stops at the first write that the destination refuses", async () => {
    const { url, received } = await receiver([200, 403]);
    const { code, err } = await millrace(["import", "--path", recorded, "--destination", url]);
    expect([code, err]).toEqual([255, `[E] ${url}/v1/write/metric: 403 not now\n`]);
    expect(received).toHaveLength(1);
  });

  it.each([
    [["-P", recorded], "both are needed: -P FOLDER -D URL"],
    [["-P", recorded, "-D", "localhost"], "localhost is no URL such as http://localhost:9529"],
    [["-P", path.join(folder, "none"), "-D", "http://127.0.0.1:1"], "there is no file "],
    [["-P", path.join(recorded, "notes.lp"), "-D", "http://127.0.0.1:1"], "there are no points in "],
    [["-P", recorded, "-D", "http://127.0.0.1:1"], "http://127.0.0.1:1: "],
  ])("fails on %j", async (args, reason) => {
    const { code, err } = await millrace(["import", ...args]);
    expect([code, err.slice(0, 4 + reason.length)]).toEqual([255, `[E] ${reason}`]);
  });
});
