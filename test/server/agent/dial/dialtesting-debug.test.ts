// Tests the route POST /v1/dialtesting/debug, which runs a dial test. The dial tests connect to real servers
// (docs/reference/agent.md#dial-tests).

import { readFileSync } from "node:fs";
import { createServer } from "node:net";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { programs, startTargets, type Targets } from "../../support/dial-targets.ts";
import { type AgentProcess, startAgent } from "../../support/running-agent.ts";

const pingText = `PING 127.0.0.1 (127.0.0.1) 56(84) bytes of data.
64 bytes from 127.0.0.1: icmp_seq=1 ttl=64 time=2.00 ms
64 bytes from 127.0.0.1: icmp_seq=3 ttl=64 time=4.00 ms

--- 127.0.0.1 ping statistics ---
3 packets transmitted, 2 received, 33.3333% packet loss, time 2003ms
rtt min/avg/max/mdev = 2.000/3.000/4.000/1.000 ms
`;
const routeText = `traceroute to 127.0.0.1 (127.0.0.1), 30 hops max, 60 byte packets
 1  10.0.0.1  1.000 ms  3.000 ms
 2  * *
 3  127.0.0.1  5.000 ms *
`;
const tools = programs({ ping: pingText, traceroute: routeText });

let targets: Targets;
let agent: AgentProcess;

beforeAll(async () => {
  targets = await startTargets();
  agent = await startAgent({
    config: "[http_api]\nrequest_rate_limit = 0\n[dialtesting]\ndisable_internal_network_task = false",
    env: { PATH: tools.folder },
  });
});
afterAll(async () => {
  await agent.stop();
  await targets.close();
});

const post = (body: unknown, to = agent) =>
  to.send("/v1/dialtesting/debug", { body: typeof body === "string" ? body : JSON.stringify(body) });

async function dial(taskType: string, task: object, variables: object = {}) {
  const { status, text } = await post({ task_type: taskType, task, variables });
  expect([status, text.slice(0, 300)]).toEqual([200, expect.stringContaining('{"content":{"cost":"')]);
  return JSON.parse(text).content;
}

async function refused(body: unknown, to = agent): Promise<string> {
  const { status, text } = await post(body, to);
  const { error_code, message } = JSON.parse(text);
  expect([status, error_code]).toEqual([400, "agent.invalidRequest"]);
  return message;
}

const isOk = [{ status_code: [{ is: "200" }] }];
const http = (task: object = {}) => ({
  name: "n",
  method: "GET",
  url: `${targets.http}/ok`,
  success_when: isOk,
  ...task,
});

describe("an HTTP test", () => {
  it("returns the members of the result in order, and tags override fields", async () => {
    const { text } = await post({ task_type: "http", task: http({ tags: { city: "Oslo", name: "tagged" } }) });
    expect(text).toMatch(
      /^\{"content":\{"cost":"[\d.]+(?:µs|ms|s)","error_msg":"","status":"success","traceroute":\[\],"fields":\{/,
    );
    const { fields } = JSON.parse(text).content;
    expect(fields).toMatchObject({
      name: "tagged",
      city: "Oslo",
      url: `${targets.http}/ok`,
      method: "GET",
      dest_ip: "127.0.0.1",
      proto: "HTTP/1.1",
      status: "OK",
      success: 1,
      status_code: 200,
      status_code_string: "200 OK",
      status_code_class: "2xx",
      response_body_size: 11,
      config_vars: "[]",
    });
    for (const name of ["response_time", "response_dns", "response_connection", "response_ttfb", "response_download"]) {
      expect(fields[name]).toBeGreaterThanOrEqual(0);
    }
    expect(fields.response_ssl).toBe(0);
    expect(fields.fail_reason).toBeUndefined();
    expect(JSON.parse(fields.message)).toMatchObject({ status: "OK", request_body: "" });
    expect(JSON.parse(fields.task)).toEqual({ method: "GET", url: `${targets.http}/ok`, success_when: isOk });
    const last = targets.seen.at(-1)!;
    expect(last.headers.connection).toBe("close");
    expect(last.headers["user-agent"]).toMatch(/^agent-\w+-\w+\/\d+\.\d+\.\d+\/./);
  });

  it("accepts other spellings of members, and prefers the spelling with underscores", async () => {
    const isTeapot = [{ status_code: [{ is: "418" }] }];
    const passes = async (task: object) => (await dial("HTTP", http(task))).status;
    expect(await passes({ success_when: undefined, SuccessWhen: isOk, cur_status: "OK" })).toBe("success");
    expect(await passes({ success_when: isOk, SuccessWhen: isTeapot })).toBe("success");
    expect(await passes({ success_when: isTeapot, SuccessWhen: isOk })).toBe("fail");
    expect(await passes({ status: "OK", cur_status: "stop" })).toBe("success");
    const refusal = (task: object) => refused({ task_type: "http", task: http(task) });
    expect(await refusal({ status: "Stop", cur_status: "OK" })).toBe("the task status is stop");
    expect(await refusal({ success_when: [], SuccessWhen: isOk })).toBe("task check failed: no any check rule");
  });

  it.each([
    [{ body: [{ is: "hello world" }] }, undefined],
    [{ body: [{ is: "hello" }] }, "response body: expect to be `hello', got `hello world'"],
    [{ body: [{ is_not: "hello world", contains: "nope" }] }, "response body: shoud not be hello world"],
    [{ body: [{ match_regex: "^h.*d$", not_match_regex: "z", contains: "lo w", not_contains: "xyz" }] }, undefined],
    [{ body: [{ match_regex: "^w" }] }, "response body: regex `^w' match `hello world' failed"],
    [{ body: [{ not_match_regex: "w" }] }, "response body: regex `w' should not match `hello world'"],
    [{ body: [{ contains: "nope" }] }, "response body: do not contains `nope', got `hello world'"],
    [{ body: [{ not_contains: "hello" }] }, "response body: should not contains `hello', got `hello world'"],
    [{ header: { "X-KIND": [{ is: "plain" }] } }, undefined],
    [{ header: { "set-cookie": [{ is: "a=1" }] } }, undefined],
    [{ header: { Missing: [{ is: "a" }] } }, "HTTP header `Missing': expect to be `a', got `'"],
    [{ status_code: [{ is: "404" }] }, "HTTP status: expect to be `404', got `200'"],
    [{ response_time: "10s" }, undefined],
    [{ response_time: "1ns" }, expect.stringMatching(/^HTTP response time\([\d.]+(?:µs|ms|s)\) larger than 1ns$/)],
    [
      { status_code: [{ is: "1" }, { is: "2" }] },
      "HTTP status: expect to be `1', got `200';HTTP status: expect to be `2', got `200'",
    ],
  ])("evaluates the condition %j", async (condition, reason) => {
    const { status, error_msg, fields } = await dial("http", http({ success_when: [condition] }));
    expect([status, error_msg]).toEqual(reason === undefined ? ["success", ""] : ["fail", reason]);
    expect([fields.status, fields.success]).toEqual(reason === undefined ? ["OK", 1] : ["FAIL", -1]);
    expect(fields.fail_reason).toEqual(reason);
  });

  it("combines conditions by and, or by or when the task says so", async () => {
    const conditions = [{ status_code: [{ is: "404" }] }, { body: [{ contains: "hello" }] }];
    expect((await dial("http", http({ success_when: conditions }))).status).toBe("fail");
    expect((await dial("http", http({ success_when: conditions, success_when_logic: "or" }))).status).toBe("success");
    const none = [{ status_code: [{ is: "404" }] }];
    expect((await dial("http", http({ success_when: none, success_when_logic: "or" }))).status).toBe("fail");
  });

  it("sends headers, cookies, authorization and host, but no headers of the connection", async () => {
    await dial(
      "http",
      http({
        advance_options: {
          request_options: {
            headers: { "X-A": "1", Host: "other.example", "Content-Length": "9", "Transfer-Encoding": "chunked" },
            cookies: "a=1; b=2",
            auth: { username: "u", password: "p" },
          },
        },
      }),
    );
    expect(targets.seen.at(-1)!.headers).toMatchObject({
      "x-a": "1",
      host: "other.example",
      cookie: "a=1; b=2",
      authorization: `Basic ${Buffer.from("u:p").toString("base64")}`,
      connection: "close",
    });
    expect(targets.seen.at(-1)!.headers["transfer-encoding"]).toBeUndefined();
  });

  it("sends a body and a form", async () => {
    const body = (request_body: object) => http({ method: "POST", advance_options: { request_body } });
    const { fields } = await dial("http", body({ body_type: "application/json", body: '{"a":1}' }));
    expect(JSON.parse(fields.message).request_body).toBe('{"a":1}');
    expect(targets.seen.at(-1)).toMatchObject({ method: "POST", body: '{"a":1}' });
    expect(targets.seen.at(-1)!.headers["content-type"]).toBe("application/json");
    const files = [
      { name: 'f"\r\nX: 1', content: "aGk=", type: "text/x", encoding: "base64", original_file_name: "a.txt" },
    ];
    await dial("http", body({ body_type: "multipart/form-data", form: { k: "v" }, files }));
    const sent = targets.seen.at(-1)!;
    expect(sent.headers["content-type"]).toMatch(/^multipart\/form-data; boundary=/);
    expect(sent.body).toContain('name="k"\r\n\r\nv\r\n');
    expect(sent.body).toContain('name="f%22%0D%0AX: 1"; filename="a.txt"\r\nContent-Type: text/x\r\n\r\nhi\r\n');
  });

  it("does not follow redirects", async () => {
    const before = targets.seen.length;
    const task = http({
      url: `${targets.http}/redirect`,
      advance_options: { request_options: { follow_redirect: true } },
      success_when: [{ status_code: [{ is: "302" }] }],
    });
    expect((await dial("http", task)).status).toBe("success");
    expect(targets.seen.slice(before).map(({ url }) => url)).toEqual(["/redirect"]);
  });

  it("keeps the truncated response of a failed test, without the body when the task says so", async () => {
    const failing = { url: `${targets.http}/large`, success_when: [{ status_code: [{ is: "1" }] }] };
    const shown = JSON.parse((await dial("http", http(failing))).fields.message);
    expect(shown.response_body).toBe(`${"x".repeat(10 * 1024)}...`);
    expect(shown.response_header).toHaveProperty("Connection");
    const secret = http({ ...failing, advance_options: { secret: { not_save: true } } });
    expect(JSON.parse((await dial("http", secret)).fields.message).response_body).toBeUndefined();
  });

  it.each([
    [{ url: "http://127.0.0.1:1/" }, /ECONNREFUSED 127\.0\.0\.1:1/],
    [{ url: "http://no-such-host.invalid/" }, /lookup ip failed/],
  ])("returns a failed result when the connection fails: %j", async (task, reason) => {
    const { status, error_msg, fields } = await dial("http", http(task));
    expect(status).toBe("fail");
    expect(error_msg).toMatch(reason);
    expect([fields.success, fields.status_code]).toEqual([-1, 0]);
  });

  it("ends at its timeout", async () => {
    const task = http({ url: `${targets.http}/silent`, advance_options: { request_timeout: "100ms" } });
    expect((await dial("http", task)).error_msg).toBe("timeout after 100ms");
  });

  it("goes through a proxy", async () => {
    const proxy = { url: targets.proxy, headers: { "X-Proxy": "yes" } };
    const plain = await dial("http", http({ advance_options: { proxy } }));
    expect(plain.status).toBe("success");
    expect(targets.proxied.at(-1)).toBe(`GET ${targets.http}/ok yes`);
    const secure = http({ url: targets.http.replace("http:", "https:"), advance_options: { proxy } });
    // The proxy's tunnel leads to a server that does not speak TLS, so the dial test fails.
    expect((await dial("http", secure)).status).toBe("fail");
    expect(targets.proxied.at(-1)).toBe(`CONNECT ${targets.http.slice("http://".length)}`);
  });
});

describe("variables", () => {
  it("fill templates of the URL, headers, body and conditions", async () => {
    const task = http({
      url: `${targets.http}/{{where}}?t={{timestamp "s"}}&d={{date "2006"}}&e={{urlencode "a b&c"}}&x={{timestamp "y"}}{{timestamp "constructor"}}{{timestamp "__proto__"}}`,
      config_vars: [
        { id: "1", type: "global", name: "where", secure: true },
        { type: "local", name: "word", value: "hello" },
      ],
      advance_options: { request_options: { headers: { "X-Word": "{{ word }}" } } },
      success_when: [{ body: [{ contains: "{{word}}" }], response_time: "{{limit}}" }],
    });
    const variables = { "1": { name: "shared", value: "place" }, "2": { name: "limit", value: "9s" } };
    const { status, fields } = await dial("http", task, variables);
    expect(status).toBe("success");
    const last = targets.seen.at(-1)!;
    expect(last.url).toMatch(/^\/place\?t=\d{10}&d=20\d\d&e=a\+b%26c&x=000$/);
    expect(last.headers["x-word"]).toBe("hello");
    expect(fields.url).toBe(task.url);
    expect(JSON.parse(fields.config_vars)).toEqual([
      { name: "where", secure: true },
      { name: "word", value: "hello", secure: false },
    ]);
  });

  it("that are undefined or have an invalid name cause the task to be refused", async () => {
    expect(await refused({ task_type: "http", task: http({ url: `${targets.http}/{{nope}}` }) })).toBe(
      "render template error: variable 'nope' not defined",
    );
    const misnamed = http({ config_vars: [{ name: "bad-", value: "x" }] });
    expect(await refused({ task_type: "http", task: misnamed })).toBe("task check failed: invalid variable name bad-");
  });

  it("cannot add a header with a line break", async () => {
    const task = http({ advance_options: { request_options: { headers: { "X-A": "{{v}}" } } } });
    const variables = { a: { name: "v", value: "1\r\nX-Evil: 1" } };
    expect(await refused({ task_type: "http", task, variables })).toBe('task check failed: invalid header "X-A"');
  });
});

describe("a post script", () => {
  const scripted = (post_script: string) => http({ url: `${targets.http}/token`, post_script, success_when: [] });

  it("reads the response and sets variables", async () => {
    const script = `
body = load_json(response["body"])
kind = response["header"]["X-Kind"]
vars["token"] = body["token"]
vars["kind"] = kind[0]
vars["code"] = response["status_code"]`;
    const { status, error_msg, fields } = await dial("http", scripted(script));
    expect([status, error_msg]).toEqual(["success", ""]);
    expect(JSON.parse(fields.post_script_variables)).toEqual({ token: "t-1", kind: "token", code: "200" });
  });

  it("fails the test when it sets is_failed", async () => {
    const { error_msg } = await dial(
      "http",
      scripted('result["is_failed"] = true\nresult["error_message"] = "no good"'),
    );
    expect(error_msg).toBe("no good");
  });

  it.each([
    ["x = nosuch()", /^run pipeline failed: .*nosuch/],
    ["a = 0\nb = 1 / a", /^run pipeline failed: .*division by zero/],
  ])("with an error fails the test: %j", async (script, reason) => {
    const { status, error_msg } = await dial("http", scripted(script));
    expect(status).toBe("fail");
    expect(error_msg).toMatch(reason);
  });

  it("that never ends fails the test at the deadline of debug runs", async () => {
    const hasty = await startAgent({
      config: "[dialtesting]\ndisable_internal_network_task = false",
      args: ["--debug-deadline-ms", "700"],
    });
    onTestFinished(() => hasty.stop());
    const { text } = await post({ task_type: "http", task: scripted("for ;true; {\n}") }, hasty);
    const { status, error_msg } = JSON.parse(text).content;
    expect([status, error_msg]).toEqual([
      "fail",
      expect.stringMatching(/^run pipeline failed: .*script exceeded 0\.7s/),
    ]);
  });
});

describe("a TCP test", () => {
  const tcp = (task: object = {}) => ({
    name: "t",
    host: "127.0.0.1",
    port: String(targets.tcpPort),
    success_when: [{ response_time: [{ target: "10s" }] }],
    ...task,
  });

  it("connects and returns the destination and the times", async () => {
    const { status, fields, traceroute } = await dial("tcp", tcp({ port: targets.tcpPort }));
    expect([status, traceroute]).toEqual(["success", []]);
    expect(fields).toMatchObject({
      name: "t",
      dest_host: "127.0.0.1",
      dest_port: String(targets.tcpPort),
      dest_ip: "127.0.0.1",
      proto: "tcp",
      status: "OK",
      success: 1,
      response_message: "",
    });
    expect(fields.response_time_with_dns).toBeGreaterThanOrEqual(fields.response_time);
  });

  it("sends a message, reads the answer and checks the conditions", async () => {
    const good = tcp({ message: "hi", success_when: [{ response_message: [{ is: "echo hi" }] }] });
    expect((await dial("tcp", good)).fields.response_message).toBe("echo hi");
    const bad = tcp({ message: "hi", success_when: [{ response_message: [{ is: "ho" }] }] });
    expect((await dial("tcp", bad)).error_msg).toBe("response message: expect to be `ho', got `echo hi'");
    const slow = tcp({ success_when: [{ response_time: [{ is_contain_dns: true, target: "1ns" }] }] });
    expect((await dial("tcp", slow)).error_msg).toMatch(/^TCP response time\([\d.]+(?:µs|ms)\) larger equal than 1ns$/);
  });

  it("fails at its timeout, and when no server listens", async () => {
    const silent = createServer(() => {});
    await new Promise<void>((resolve) => silent.listen(0, "127.0.0.1", resolve));
    const { port } = silent.address() as { port: number };
    const { error_msg } = await dial("tcp", tcp({ port: String(port), message: "hi", timeout: "100ms" }));
    expect(error_msg).toBe("timeout after 100ms");
    silent.close();
    expect((await dial("tcp", tcp({ port: "1" }))).error_msg).toContain("ECONNREFUSED");
  });

  it("traces the route", async () => {
    const { traceroute, fields } = await dial("tcp", tcp({ enable_traceroute: true, traceroute_config: { Hops: 99 } }));
    expect(traceroute).toEqual([
      {
        total: 2,
        failed: 0,
        loss: 0,
        avg_cost: 2000,
        min_cost: 1000,
        max_cost: 3000,
        std_cost: Math.SQRT2 * 1000,
        items: [
          { ip: "10.0.0.1", response_time: 1000 },
          { ip: "10.0.0.1", response_time: 3000 },
        ],
      },
      expect.objectContaining({
        failed: 2,
        loss: 100,
        items: [
          { ip: "*", response_time: 0 },
          { ip: "*", response_time: 0 },
        ],
      }),
      expect.objectContaining({ failed: 1, loss: 50, avg_cost: 5000, std_cost: 0 }),
    ]);
    expect(JSON.parse(fields.traceroute)).toEqual(traceroute);
    expect(readFileSync(tools.args("traceroute"), "utf8")).toBe("-4 -n -q 2 -w 0.03 -m 60 127.0.0.1\n");
    const few = tcp({ success_when: [{ hops: [{ op: "lt", target: 3 }] }] });
    expect((await dial("tcp", few)).error_msg).toBe("traceroute hops check failed: 3 is greater equal than target 3");
  });
});

describe("an ICMP test", () => {
  const icmp = (success_when: object[], more: object = {}) => ({ name: "i", host: "127.0.0.1", success_when, ...more });

  it("returns the numbers of packets and the round-trip times", async () => {
    const { status, fields } = await dial("icmp", icmp([{ packets: [{ op: "eq", target: 2 }] }]));
    expect(status).toBe("success");
    expect(fields).toMatchObject({
      dest_ip: "127.0.0.1",
      proto: "icmp",
      packets_sent: 3,
      packets_received: 2,
      average_round_trip_time: 3000,
      average_round_trip_time_in_millis: 3,
      min_round_trip_time: 2000,
      max_round_trip_time: 4000,
      std_round_trip_time: 1414.214,
    });
    expect(fields.packet_loss_percent).toBeCloseTo(33.333);
    expect(readFileSync(tools.args("ping"), "utf8")).toBe("-4 -n -c 3 -i 3 -W 3 127.0.0.1\n");
  });

  it.each([
    [{ packet_loss_percent: [{ op: "lt", target: 50 }] }, ""],
    [{ packets: [{ op: "gt", target: 2 }] }, "packets received check failed: 2 is less than target 2"],
    [{ packets: [{ op: "geq", target: 3 }] }, "packets received check failed: 2 is less equal than target 3"],
    [{ packets: [{ op: "odd", target: 3 }] }, ""],
    [{ response_time: [{ func: "avg", op: "leq", target: "3ms" }] }, ""],
    [
      { response_time: [{ func: "max", op: "lt", target: "4ms" }] },
      "ICMP round-trip(max) check failed: 4000 is greater equal than target 4000",
    ],
    [
      { response_time: [{ func: "min", op: "eq", target: "3ms" }] },
      "ICMP round-trip(min) check failed: 2000 is not equal to target 3000",
    ],
    [{ hops: [{ op: "eq", target: 3 }] }, ""],
  ])("evaluates the condition %j", async (condition, reason) => {
    expect((await dial("icmp", icmp([condition]))).error_msg).toBe(reason);
  });

  it("reports that ping or traceroute is not installed", async () => {
    const bare = await startAgent({
      config: "[dialtesting]\ndisable_internal_network_task = false",
      env: { PATH: programs({}).folder },
    });
    const { text } = await post({ task_type: "icmp", task: icmp([{ hops: [{ op: "lt", target: 9 }] }]) }, bare);
    expect(JSON.parse(text).content).toMatchObject({
      status: "fail",
      error_msg: "the program ping is not installed",
      fields: { traceroute_error: "the program traceroute is not installed" },
    });
    await bare.stop();
  });
});

describe("a WebSocket test", () => {
  const socket = (task: object = {}) => ({
    name: "w",
    url: `${targets.websocket}/chat`,
    message: "hi",
    success_when: [{ response_message: [{ is: "echo hi" }], header: { "x-kind": [{ is: "socket" }] } }],
    ...task,
  });

  it("sends one text and reads one", async () => {
    const { status, fields } = await dial("websocket", socket());
    expect(status).toBe("success");
    expect(fields).toMatchObject({
      name: "w",
      proto: "websocket",
      url: `${targets.websocket}/chat`,
      sent_message: "hi",
      response_message: "echo hi",
      status: "OK",
    });
  });

  it.each([
    [{ header: { "X-Kind": [{ is: "x" }] } }, "Websocket header `X-Kind': expect to be `x', got `socket'"],
    [{ response_message: [{ contains: "zz" }] }, "response message: do not contains `zz', got `echo hi'"],
    [
      { response_time: [{ target: "1ns" }] },
      expect.stringMatching(/^Websocket response time\([\d.]+(?:µs|ms|s)\) larger equal than 1ns$/),
    ],
  ])("evaluates the condition %j", async (condition, reason) => {
    expect((await dial("websocket", socket({ success_when: [condition] }))).error_msg).toEqual(reason);
  });

  it("reads a message that the server sends together with the upgrade", async () => {
    const greeted = { url: `${targets.websocket}/greeting`, success_when: [{ response_message: [{ is: "hello" }] }] };
    expect((await dial("websocket", socket(greeted))).status).toBe("success");
  });

  it("fails when the server does not support WebSocket", async () => {
    const { status, error_msg } = await dial("websocket", socket({ url: targets.http.replace("http", "ws") }));
    expect([status, error_msg]).toEqual(["fail", "Unexpected server response: 200"]);
  });
});

describe("a test of several steps", () => {
  const step = (task: object, more: object = {}) => ({
    type: "http",
    name: "s",
    task: JSON.stringify(http(task)),
    ...more,
  });

  it("passes variables from one step to the next", async () => {
    const first = step(
      { url: `${targets.http}/token`, post_script: 'b = load_json(response["body"])\nvars["t"] = b["token"]' },
      {
        extracted_vars: [
          { name: "token", field: "t" },
          { name: "hidden", field: "t", secure: true },
        ],
      },
    );
    const second = step({ url: `${targets.http}/use?{{token}}-{{hidden}}` });
    const { status, fields } = await dial("multi", { name: "m", steps: [first, second] });
    expect(status).toBe("success");
    expect(targets.seen.at(-1)!.url).toBe("/use?t-1-t-1");
    expect(fields).toMatchObject({ name: "m", last_step: 1, status: "OK", success: 1 });
    const [shown, last] = JSON.parse(fields.steps);
    expect(shown.extracted_vars).toEqual([
      { name: "token", field: "t", secure: false, value: "t-1" },
      { name: "hidden", field: "t", secure: true },
    ]);
    expect(last).toMatchObject({ type: "http", allow_failure: false, status_code: 200, status: "OK" });
    expect(last.task_start_time).toBeGreaterThan(1.7e12);
  });

  it("stops at a failed step, unless the step may fail", async () => {
    const failing = { success_when: [{ status_code: [{ is: "500" }] }] };
    const before = targets.seen.length;
    const stopped = await dial("multi", { steps: [step(failing), step({ url: `${targets.http}/never` })] });
    expect(targets.seen.length).toBe(before + 1);
    expect([stopped.status, stopped.fields.last_step]).toEqual(["fail", 0]);
    expect(JSON.parse(stopped.fields.steps)[1]).toEqual(expect.not.objectContaining({ status: expect.anything() }));
    const allowed = await dial("multi", { steps: [step(failing, { allow_failure: true }), step({})] });
    expect([allowed.status, allowed.fields.last_step]).toEqual(["success", 1]);
  });

  it("takes the name of a step from its task, or else from the step itself", async () => {
    const { fields } = await dial("multi", { steps: [step({ name: "task" }), step({ name: "" })] });
    expect(JSON.parse(fields.steps).map(({ name }: { name: string }) => name)).toEqual(["task", "s"]);
  });

  it("takes the other spelling of a step's conditions", async () => {
    const other = (success_when: object[] | undefined, SuccessWhen: object[]) => step({ success_when, SuccessWhen });
    const fails = [{ status_code: [{ is: "500" }] }];
    expect((await dial("multi", { steps: [other(undefined, isOk)] })).status).toBe("success");
    expect((await dial("multi", { steps: [other(fails, isOk)] })).status).toBe("fail");
  });

  it("passes on only variables that the script has set, whatever their names", async () => {
    const extracted_vars = ["constructor", "__proto__", "toString"].map((field) => ({ name: "v", field }));
    const first = step({ post_script: 'vars["other"] = 1' }, { extracted_vars });
    const { error_msg } = await dial("multi", { steps: [first, step({ url: `${targets.http}/{{v}}` })] });
    expect(error_msg).toBe("variable 'v' not defined");
  });

  it("fails when a step turns out to be invalid only while it runs", async () => {
    const first = step({ post_script: 'vars["v"] = "x"' }, { extracted_vars: [{ name: "v", field: "v" }] });
    const { status, error_msg } = await dial("multi", { steps: [first, step({ url: 1, message: "{{v}}" })] });
    expect([status, error_msg]).toEqual(["fail", "url must be a string"]);
  });

  it("retries a step until it succeeds, and not more often", async () => {
    const before = targets.seen.length;
    const flaky = step({ url: `${targets.http}/flaky` }, { retry: { retry: 5, interval: 1 } });
    expect((await dial("multi", { steps: [flaky] })).status).toBe("success");
    expect(targets.seen.length).toBe(before + 3);
  });

  it("waits as long as a wait step says", async () => {
    const { fields } = await dial("multi", { steps: [{ type: "wait", value: 1 }, step({})] });
    expect(fields.response_time).toBeGreaterThan(990_000);
  });

  it.each([
    [[], "no steps found"],
    [[{ type: "tcp" }], "step type should be wait or http"],
    [[{ type: "wait", value: 0 }], "wait step value should be in 1 ~ 180"],
    [[{ type: "http", task: "{}", retry: { retry: 6 } }], "retry should be in 0 ~ 5"],
    [[{ type: "http", task: "{}", retry: { interval: 5001 } }], "retry interval should be in 0 ~ 5000"],
    [[{ type: "http", task: "" }], "http step task should not be empty"],
  ])("refuses %j", async (steps, reason) => {
    expect(await refused({ task_type: "multi", task: { steps } })).toBe(`task check failed: ${reason}`);
  });
});

describe("requests that are refused", () => {
  it("have invalid JSON, an unknown type, or a task that is stopped or wrong", async () => {
    expect(await refused("{")).toMatch(/JSON/);
    expect(await refused({ task_type: "Odd", task: {} })).toBe("unknown task type:ODD");
    expect(await refused({ task_type: "constructor", task: {} })).toBe("unknown task type:CONSTRUCTOR");
    expect(await refused({ task_type: "http", task: { name: 1 } })).toBe(
      'json.Unmarshal failed: name must be a string, task json: {"name":1}',
    );
    expect(await refused({ task_type: "http", task: { url: 1 } })).toBe(
      'json.Unmarshal failed: url must be a string, task json: {"url":1}',
    );
    expect(await refused({ task_type: 1 })).toBe("task_type must be a string");
    expect(await refused({ task_type: "http", task: http({ cur_status: "Stop" }) })).toBe("the task status is stop");
  });

  it.each([
    ["http", { success_when: isOk }, "URL should not be empty"],
    ["http", { url: "http://h/", success_when: [] }, "no any check rule"],
    ["http", { url: "ftp://h/", success_when: isOk }, 'unsupported protocol scheme "ftp"'],
    ["http", { url: "http://h/", method: "CONNECT", success_when: isOk }, "unknown HTTP method CONNECT"],
    ["http", { url: "http://h/", success_when: [{ body: [{ match_regex: "(" }] }] }, "compile regex ( failed: "],
    [
      "http",
      { url: "http://h/", success_when: isOk, advance_options: { request_body: { body_type: "x" } } },
      "invalid body type: `x'",
    ],
    [
      "http",
      {
        url: "http://h/",
        success_when: isOk,
        advance_options: { request_body: { body_type: "multipart/form-data", files: [{ encoding: "hex" }] } },
      },
      "only base64 encoding is supported for file encoding",
    ],
    ["tcp", { port: "1", success_when: [{}] }, "host should not be empty"],
    ["tcp", { host: "h", success_when: [{}] }, "port should not be empty"],
    ["icmp", { success_when: [{}] }, "host should not be empty"],
    ["icmp", { host: "h", success_when: [] }, "no any check rule"],
    ["websocket", { success_when: [{}] }, "URL should not be empty"],
  ])("have the %s task %j", async (task_type, task, reason) => {
    expect(await refused({ task_type, task })).toContain(`task check failed: ${reason}`);
  });

  it("do not include hosts that look like program options, whose lookup fails instead", async () => {
    const { error_msg } = await dial("icmp", { host: "-f", success_when: [{}] });
    expect(error_msg).toMatch(/lookup ip failed/);
  });
});

describe("the debug interface", () => {
  it("accepts only local clients, and can be switched off", async () => {
    const { status } = await agent.send("/v1/dialtesting/debug", { body: "{}", headers: { "x-real-ip": "8.8.8.8" } });
    expect(status).toBe(403);
    const off = await startAgent({ env: { ENV_INPUT_DIALTESTING_ENABLE_DEBUG_API: "F" } });
    expect((await post("{}", off)).status).toBe(404);
    await off.stop();
  });

  it("refuses internal hosts by default", async () => {
    const guarded = await startAgent({ config: "[http_api]\nrequest_rate_limit = 0" });
    const refusal = async (task_type: string, task: object) => await refused({ task_type, task }, guarded);
    for (const host of [
      "127.0.0.1",
      "localhost",
      "10.0.0.1",
      "169.254.169.254",
      "[::1]",
      "[::ffff:127.0.0.1]",
      "0",
      "0x7f.1",
    ]) {
      const shown = new URL(`http://${host}/`).hostname;
      expect(await refusal("http", { url: `http://${host}/`, success_when: isOk })).toBe(
        `dest host [${shown}] is not allowed to be tested`,
      );
    }
    for (const host of ["192.168.1.1", "fe80::1%lo", "fd00::1", "224.0.0.1", "64:ff9b::7f00:1", "127.1"]) {
      const reason = `dest host [${host}] is not allowed to be tested`;
      expect(await refusal("tcp", { host, port: "80", success_when: [{}] })).toBe(reason);
      expect(await refusal("icmp", { host, success_when: [{}] })).toBe(reason);
    }
    // These tasks also lack required members. The agent checks the destination of a dial test before the members, so it
    // reports the forbidden destination.
    expect(await refusal("tcp", { host: "127.0.0.1" })).toBe("dest host [127.0.0.1] is not allowed to be tested");
    expect(await refusal("http", { url: "http://127.0.0.1/" })).toBe(
      "dest host [127.0.0.1] is not allowed to be tested",
    );
    expect(await refusal("websocket", { url: "ws://127.0.0.1/", success_when: [{}] })).toContain("not allowed");
    const steps = ["http://8.8.8.8/", "http://10.1.1.1/"].map((url) => ({
      type: "http",
      task: JSON.stringify({ url, success_when: isOk }),
    }));
    expect(await refusal("multi", { steps })).toBe("dest host [8.8.8.8,10.1.1.1] is not allowed to be tested");
    const proxy = { url: "http://127.0.0.1:3128" };
    expect(await refusal("http", { url: "http://8.8.8.8/", success_when: isOk, advance_options: { proxy } })).toContain(
      "not allowed",
    );
    expect(await refusal("tcp", { host: "no-such-host.invalid", port: "1", success_when: [{}] })).toMatch(
      /^dest host is not valid: lookup ip failed: /,
    );
    await guarded.stop();
  });

  it("refuses an internal host that only a variable of an earlier step names", async () => {
    const own = await startAgent({
      env: { ENV_INPUT_DIALTESTING_DISABLED_INTERNAL_NETWORK_CIDR_LIST: '["127.0.0.2/32"]' },
    });
    const steps = [
      {
        type: "http",
        task: JSON.stringify({ url: `${targets.http}/ok`, success_when: isOk, post_script: 'vars["h"] = "127.0.0.2"' }),
        extracted_vars: [{ name: "host", field: "h" }],
      },
      { type: "http", task: JSON.stringify({ url: "http://{{host}}/", success_when: isOk }) },
    ];
    const { text } = await post({ task_type: "multi", task: { steps } }, own);
    expect(JSON.parse(text).content).toMatchObject({
      status: "fail",
      error_msg: "dest host [127.0.0.2] is not allowed to be tested",
      fields: { last_step: 1 },
    });
    await own.stop();
  });
});
