// Scripts in a real agent process that keep state between points, wait for HTTP requests, or look up tables. The
// tests send the body of a write to the agent and check the points that the agent outputs.

import { existsSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import path from "node:path";
import { gzipSync } from "node:zlib";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { fromHeaderBytes } from "../../../../lib/sharding/header.ts";
import { startGateway } from "../../support/recording-gateway.ts";
import { type AgentProcess, startAgent, writeScript } from "../../support/running-agent.ts";

let agent: AgentProcess | undefined;
let server: Server;
let origin: string;
let tables = "[]";
/** The lines of the uploads that the test server received. The agent uses the test server as its gateway. */
let uploaded: string[] = [];
/**
 * For each request to `/held` that waits for its answer, a function that sends the answer. The tests call these
 * functions.
 */
const held: (() => void)[] = [];

/**
 * Starts the test server. It answers `/slow/N` after a pause, which is longer for smaller N. So the answers arrive in
 * the reverse order of the points.
 */
beforeAll(async () => {
  server = createServer((request, response) => {
    if (request.url === "/tables") {
      // The server sends the reference tables only with gzip, and refuses clients that do not accept gzip.
      const packs = String(request.headers["accept-encoding"]).includes("gzip");
      const headers = { "content-type": "application/json", "content-encoding": "gzip" };
      response.writeHead(packs ? 200 : 406, headers).end(gzipSync(tables));
      return;
    }
    if (request.url!.startsWith("/v1/write/metric")) {
      request.on("data", (piece) => uploaded.push(...String(piece).trimEnd().split("\n")));
      request.on("end", () => response.end());
      return;
    }
    if (request.url === "/held") {
      held.push(() => response.end("late"));
      return;
    }
    const number = Number(request.url!.split("/").at(-1));
    setTimeout(() => response.end(`answer ${number}`), 60 - number * 10);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => server.close());
afterEach(() => agent?.stop());

const logs = (...messages: string[]) => messages.map((each, at) => `log,host=h message="${each}" ${at + 1}`).join("\n");

async function write(body: string): Promise<void> {
  const { status } = await agent!.send("/v1/write/logging?source=s", { method: "POST", body });
  expect(status).toBe(200);
}

/** Waits until the output of a category has `count` lines, and returns the output. */
async function lines(category: string, count: number): Promise<string[]> {
  await expect.poll(async () => (await agent!.output(category)).length).toBeGreaterThanOrEqual(count);
  return await agent!.output(category);
}

describe("an agent", () => {
  it("forwards the points around a window hit, also from several writes", async () => {
    agent = await startAgent({
      config: "[http_api]\nworkers = 3",
      scripts: { "s.p": 'point_window(2, 2, ["host"])\ndrop()\nif _ == "hit" { window_hit() }' },
    });
    await write(logs("1", "2", "3"));
    await write(logs("hit", "4", "5"));
    const found = await lines("logging", 4);
    expect(found.map((line) => /message="([^"]*)"/.exec(line)?.[1])).toEqual(["2", "3", "hit", "4"]);
  });

  it("forwards aggregated points with its tags, and the remaining ones when it stops", async () => {
    uploaded = [];
    agent = await startAgent({
      config: `[gateway]\nurls = ["${origin}"]\ngzip = false\n[global_host_tags]\nsite = "a"`,
      scripts: {
        "s.p":
          'agg_create("sums", on_interval="0s", on_count=2)\nx = load_json(_)\ndrop()\nagg_metric("sums", "n", "sum", ["host"], "x")',
      },
    });
    await write(logs("1", "2"));
    await expect.poll(() => uploaded.length).toBe(1);
    expect(uploaded[0]).toMatch(/^sums,host=h,site=a n=3 \d+$/);
    await expect.poll(() => agent!.metric('agent_io_feed_total{name="pl_agg/sums",category="metric"}')).toBe(1);
    await write(logs("5"));
    await agent.stop();
    agent = undefined;
    expect(uploaded).toHaveLength(2);
    expect(uploaded[1]).toMatch(/^sums,host=h,site=a n=5 \d+$/);
  });

  it("filters points that scripts create or aggregate, and adds the current tags and shard keys", async () => {
    const gateway = await startGateway();
    try {
      agent = await startAgent({
        config: [
          `[gateway]\nurls = ["${gateway.url}"]\nenable_sinker = true`,
          '[environments]\nENV_HOSTNAME = "web01"\n[global_host_tags]\nsite = "a"\n[io]\nflush_interval = "20ms"',
          `[io.filters]\nmetric = ["{ host = 'gone' }"]\nlogging = ["{ message = '1' }"]`,
        ].join("\n"),
        scripts: {
          "s.p":
            'agg_create("sums", on_interval="0s", on_count=2)\nx = load_json(_)\nagg_metric("sums", "n", "sum", ["host"], "x")\npoint_window(2, 0, ["host"])\ndrop()\nif x == 3 { window_hit() }',
        },
      });
      await agent.send("/v1/global/host/tags?zone=z1", { method: "POST" });
      await write('log,host=gone message="1" 1\nlog,host=h message="2" 2\nlog,host=h message="3" 3');
      await agent.stop();
      agent = undefined;
      const uploads = gateway.taken.flatMap(({ headers, lines }) =>
        lines.map((line) => [
          line.replace(/ \d+$/, ""),
          fromHeaderBytes(String(headers["x-global-tags"])).split(",").sort().join(),
        ]),
      );
      expect(uploads.sort()).toEqual([
        ['log,host=h,site=a,zone=z1 message="2",status="unknown"', "host=h,site=a,zone=z1"],
        ['log,host=h,site=a,zone=z1 message="3",status="unknown"', "host=h,site=a,zone=z1"],
        ["sums,host=h,site=a,zone=z1 n=2", "host=h,site=a,zone=z1"],
        ["sums,host=h,site=a,zone=z1 n=3", "host=h,site=a,zone=z1"],
      ]);
    } finally {
      await gateway.close();
    }
  });

  it("keeps the order of points that wait for HTTP requests, and refuses internal addresses by default", async () => {
    const script = (to: string) =>
      `r = http_request("GET", "${to}/slow/" + _)\nif r == nil { add_key(body, "none") } else { add_key(body, r["body"]) }`;
    agent = await startAgent({
      config: '[pipeline]\nhttp_request_cidr_whiltelist = ["127.0.0.0/8"]',
      scripts: { "s.p": script(origin) },
    });
    await write(logs("0", "1", "2", "3", "4", "5"));
    const bodies = (await lines("logging", 6)).map((line) => /body="([^"]*)"/.exec(line)?.[1]);
    expect(bodies).toEqual([0, 1, 2, 3, 4, 5].map((number) => `answer ${number}`));
    await agent.stop();
    agent = await startAgent({ scripts: { "s.p": script(origin) } });
    await write(logs("0"));
    expect((await lines("logging", 1))[0]).toContain('body="none"');
  });

  it("sends no HTTP request when the function is disabled, whatever the lists allow", async () => {
    agent = await startAgent({
      config:
        '[pipeline]\ndisable_http_request_func = true\nhttp_request_cidr_whitelist = ["127.0.0.0/8"]\nhttp_request_host_whitelist = ["127.0.0.1"]',
      scripts: { "s.p": `r = http_request("GET", "${origin}/held")\nadd_key(none, r == nil)` },
    });
    await write(logs("a", "b"));
    expect((await lines("logging", 2)).every((line) => line.includes("none=true"))).toBe(true);
    expect(held).toEqual([]);
  });

  it("runs other writes and new scripts on its only worker while a script waits for an answer", async () => {
    agent = await startAgent({
      config:
        '[http_api]\nworkers = 1\ntimeout = "100s"\n[pipeline]\nhttp_request_write_timeout = "90s"\nhttp_request_cidr_whitelist = ["127.0.0.0/8"]',
      scripts: {
        "s.p": `r = http_request("GET", "${origin}/held")\nadd_key(body, r["body"])`,
        "metric/cpu.p": "add_key(seen, 1)",
      },
    });
    let answered = 0;
    const writes = [write(logs("a", "b")), write(logs("c"))].map((each) => each.then(() => answered++));
    await expect.poll(() => held.length).toBe(3);
    const passes = () => agent!.send("/v1/write/metric?source=cpu", { method: "POST", body: "cpu f=1 1" });
    expect((await passes()).status).toBe(200);
    expect((await lines("metric", 1))[0]).toContain("seen=1i");
    writeScript(agent.dataDir, "metric/cpu.p", "add_key(seen, 2)");
    writeScript(agent.dataDir, "s.p", "grok(_, '%{WORD:body}')");
    while (!(await agent.output("metric")).at(-1)!.includes("seen=2i")) await passes();
    expect(answered).toBe(0);
    for (const answer of held.splice(0)) answer();
    await Promise.all(writes);
    const found = await lines("logging", 3);
    const parts = found.map((line) => [/message="([^"]*)"/.exec(line)?.[1], /body="([^"]*)"/.exec(line)?.[1]]);
    expect(parts.sort()).toEqual(["a", "b", "c"].map((message) => [message, "late"]));
  });

  it("runs a stateful script on the points in order although the script waits for requests", async () => {
    agent = await startAgent({
      config: '[http_api]\nworkers = 1\n[pipeline]\nhttp_request_cidr_whitelist = ["127.0.0.0/8"]',
      scripts: {
        "s.p": `add_key(before, cache_get("last"))\nr = http_request("GET", "${origin}/slow/" + _)\ncache_set("last", get_key(message))`,
      },
    });
    await Promise.all(["0", "5", "3"].map((message) => write(logs(message, message))));
    const found = await lines("logging", 6);
    const seen = found.map((line) => [/before="([^"]*)"/.exec(line)?.[1], /message="([^"]*)"/.exec(line)![1]]);
    // The script stores a value at each point, and reads the value that it stored at the previous point. The agent
    // may process the writes in any order, but the previous point must always be the one that precedes the point in
    // the output.
    expect(seen.map(([before]) => before)).toEqual([undefined, ...seen.slice(0, -1).map(([, message]) => message)]);
    const kept = (part: string) =>
      agent!.metric(`agent_pipeline_state{category="logging",name="s.p",namespace="default",part="${part}"}`);
    await expect.poll(() => kept("cache_entries")).toBe(1);
    expect(await kept("cache_bytes")).toBeGreaterThan(0);
  });

  it("ends the HTTP requests of a write at the write's deadline, also those not sent yet", async () => {
    agent = await startAgent({
      config: '[pipeline]\nhttp_request_write_timeout = "3s"\nhttp_request_cidr_whitelist = ["127.0.0.0/8"]',
      scripts: { "s.p": `r = http_request("GET", "${origin}/held")\nadd_key(none, r == nil)` },
    });
    await write(logs(...Array.from({ length: 20 }, (_, at) => String(at))));
    expect((await lines("logging", 20)).every((line) => line.includes("none=true"))).toBe(true);
    // The agent sends at most 16 of the 20 HTTP requests at the same time. It may have sent fewer, because on a busy
    // machine the time limit of the write may end before that.
    const { length } = held.splice(0);
    expect(length).toBeGreaterThan(0);
    expect(length).toBeLessThanOrEqual(16);
  });

  const t = [{ table_name: "t", column_name: ["k", "v"], column_type: ["string", "int"], row_data: [["a", 7]] }];
  const tableConfig = (more: string) =>
    `[pipeline]\nrefer_table_url = "${origin}/tables"\nrefer_table_pull_interval = "1s"\n${more}`;
  const loaded = async () => (await agent!.metric('agent_refer_table_pull_total{status="loaded"}')) > 0;

  it.each([
    ["memory", ""],
    ["SQLite on disk", "use_sqlite = true"],
    ["SQLite in memory", "use_sqlite = true\nsqlite_mem_mode = true"],
  ])("loads reference tables into %s, and keeps them when a later load fails", async (_, more) => {
    tables = JSON.stringify(t);
    agent = await startAgent({
      config: tableConfig(more),
      scripts: { "s.p": 'query_refer_table("t", "k", _)' },
    });
    await expect.poll(loaded).toBe(true);
    tables = "[{]";
    await expect.poll(() => agent!.metric('agent_refer_table_pull_total{status="failed"}')).not.toBe(0);
    await write(logs("a"));
    expect((await lines("logging", 1))[0]).toContain("v=7i");
    expect(await agent.metric('agent_refer_table_rows{table="t"}')).toBe(1);
    await expect.poll(() => agent!.log()).toMatch(/reference tables not replaced: unexpected/);
    expect(existsSync(path.join(agent.dataDir, "refer-tables"))).toBe(more === "use_sqlite = true");
  });

  it("uses the tables on disk after a restart while their source is unavailable", async () => {
    tables = JSON.stringify(t);
    const options = {
      config: tableConfig("use_sqlite = true"),
      scripts: { "s.p": 'query_refer_table("t", "k", _)' },
    };
    agent = await startAgent(options);
    await expect.poll(loaded).toBe(true);
    const { dataDir } = agent;
    await agent.kill();
    tables = "[{]";
    agent = await startAgent({ ...options, dataDir });
    await expect.poll(() => agent!.metric('agent_refer_table_rows{table="t"}')).not.toBe(0);
    await write(logs("a"));
    expect((await lines("logging", 1))[0]).toContain("v=7i");
    await expect.poll(() => agent!.log()).toMatch(/1 with 1 rows of an earlier run/);
  });

  it("finds the country of an address without a configured database", async () => {
    agent = await startAgent({ scripts: { "s.p": "geoip(_)" } });
    await write(logs("1.1.1.1"));
    const [line] = await lines("logging", 1);
    expect(line).toContain('country="AU"');
    expect(line).not.toContain("city=");
  });

  it("stops the scripts of a write when its steps are used up", async () => {
    agent = await startAgent({
      config: "[pipeline]\nmax_steps_per_write = 1000",
      scripts: { "s.p": "for i = 0; i < 200; i += 1 {}\nadd_key(done, 1)" },
    });
    await write(logs("1", "2", "3", "4", "5", "6", "7"));
    const found = await lines("logging", 7);
    expect(found.map((line) => line.includes("done=1i"))).toEqual([true, true, true, true, false, false, false]);
    await expect.poll(() => agent!.log()).toContain("script exceeded 1000 steps");
  });

  it("shows aggregations and windows in the debug interface, which sends no HTTP requests", async () => {
    agent = await startAgent();
    const base64 = (text: string) => Buffer.from(text).toString("base64");
    const script = [
      'agg_create("b")',
      "x = 2",
      'agg_metric("b", "n", "sum", ["host"], "x")',
      `r = http_request("GET", "${origin}/slow/1")`,
      "add_key(none, r == nil)",
    ].join("\n");
    const { text } = await agent.send("/v1/pipeline/debug", {
      method: "POST",
      body: JSON.stringify({
        pipeline: { logging: { s: base64(script) } },
        script_name: "s",
        category: "logging",
        data: [base64(logs("a", "b"))],
        data_type: "application/line-protocol",
        benchmark: true,
      }),
    });
    const { content } = JSON.parse(text);
    expect(content.plresults).toHaveLength(3);
    expect(content.plresults[0].point.fields.none).toBe(true);
    expect(content.plresults[2]).toMatchObject({
      point: { name: "b", tags: { host: "h" }, fields: { n: 4 } },
      dropped: false,
      create_point: null,
    });
  });
});
