// POST /otel/v1/traces, metrics and logs over real HTTP, in both encodings: protobuf and JSON.

import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { anyValue, attributes, decodeAnswer, encodeRequest, type Signal } from "../../../support/otlp-messages.ts";
import { type AgentProcess, type Answer, startAgent } from "../../../support/running-agent.ts";

const encodings = {
  protobuf: "application/x-protobuf",
  json: "application/json; charset=utf-8",
} as const;
type Encoding = keyof typeof encodings;

const traceId = "5b8efff798038103d269b633813fc60c";
const spanId = "eee19b7ec3c1b174";
const time = "1544712660300000123";

const resource = (service: string, more: Parameters<typeof attributes>[0] = {}) => ({
  attributes: attributes({ "service.name": service, ...more }),
});
const logs = (service: string, ...logRecords: object[]) => ({
  resourceLogs: [{ resource: resource(service), scopeLogs: [{ scope: { name: "lib", version: "1" }, logRecords }] }],
});
const spans = (service: string, ...its: object[]) => ({
  resourceSpans: [{ resource: resource(service), scopeSpans: [{ scope: {}, spans: its }] }],
});
const metrics = (service: string, ...its: object[]) => ({
  resourceMetrics: [{ resource: resource(service), scopeMetrics: [{ metrics: its }] }],
});

let agent: AgentProcess;
beforeAll(async () => {
  agent = await startAgent({
    config:
      '[http_api]\nrequest_rate_limit = 0\nmax_body_bytes = 65536\n[global_host_tags]\ndc = "x"\n[environments]\nENV_HOSTNAME = "web01"',
    scripts: { "logging/mark.p": 'set_tag(marked, "yes")', "tracing/drop.p": "drop()" },
  });
});
afterAll(() => agent.stop());

const post = (signal: string, body: Uint8Array | string, headers: Record<string, string>, query = "") =>
  agent.send(`/otel/v1/${signal}${query}`, { method: "POST", body, headers });
const send = (signal: Signal, encoding: Encoding, request: object, query = "") =>
  post(
    signal,
    encoding === "json" ? JSON.stringify(request) : encodeRequest(signal, request),
    { "content-type": encodings[encoding] },
    query,
  );
const linesOf = async (category: string, service: string) =>
  (await agent.output(category)).filter((line) => line.includes(`service=${service}`));
/** Returns the parts of an answer that show whether all data was accepted. */
const taken = ({ status, headers, body, text }: Answer) => [
  status,
  headers["content-type"],
  headers["content-type"] === "application/json" ? text : body.length,
];
const everything = { protobuf: [200, "application/x-protobuf", 0], json: [200, "application/json", "{}"] } as const;

it.each(["traces", "metrics", "logs"] as const)("takes %s at the path of the standard, too", async (signal) => {
  const service = `standard-${signal}`;
  const request = {
    traces: spans(service, { traceId, spanId, name: "q", startTimeUnixNano: time }),
    metrics: metrics(service, { name: "m", gauge: { dataPoints: [{ timeUnixNano: time, asDouble: 1 }] } }),
    logs: logs(service, { timeUnixNano: time, body: anyValue("x") }),
  }[signal];
  const answer = await agent.send(`/v1/${signal}`, {
    body: encodeRequest(signal, request),
    headers: { "content-type": "application/x-protobuf" },
  });
  expect(answer.status).toBe(200);
  const category = { traces: "tracing", metrics: "metric", logs: "logging" }[signal];
  expect(await linesOf(category, service)).toHaveLength(1);
});

describe.each(Object.keys(encodings) as Encoding[])("OTLP in %s", (encoding) => {
  it("turns log records into logs, with the host's tags", async () => {
    const service = `logs-${encoding}`;
    const request = {
      resourceLogs: [
        {
          resource: resource(service, {
            "host.name": "h1",
            "deployment.environment.name": "prod",
            "service.version": "2",
            "process.pid": 7n,
            long: "x".repeat(1100),
          }),
          scopeLogs: [
            {
              scope: { name: "lib", version: "1" },
              logRecords: [
                {
                  timeUnixNano: time,
                  severityNumber: 17,
                  severityText: "Error",
                  body: anyValue('said "it"'),
                  traceId,
                  spanId,
                  eventName: "e",
                  attributes: attributes({ status: 500n, "user.id": "u", big: 9007199254740993n, ok: true, f: 1.5 }),
                  droppedAttributesCount: 2,
                },
                { observedTimeUnixNano: time, severityNumber: 5, severityText: "verbose2", body: anyValue(1.5) },
                {
                  timeUnixNano: time,
                  severityText: "WARN",
                  body: {
                    kvlistValue: {
                      values: [
                        { key: "n", value: anyValue(9007199254740993n) },
                        { key: "l", value: { arrayValue: { values: [anyValue("a"), anyValue(false), {}] } } },
                        { key: "__proto__", value: anyValue("p") },
                      ],
                    },
                  },
                },
                { timeUnixNano: time, attributes: attributes({ source: "s" }), traceId: "00".repeat(16) },
              ],
            },
          ],
        },
      ],
    };
    expect(taken(await send("logs", encoding, request))).toEqual(everything[encoding]);
    const tags = `dc=x,env=prod,host=h1,process_pid=7,scope_name=lib,scope_version=1,service=${service},version=2`;
    const long = `long="${"x".repeat(1100)}",`;
    expect(await linesOf("logging", service)).toEqual(
      [
        `attributes_status=500i,big=9007199254740993i,dropped_attributes_count=2i,event_name="e",f=1.5,${long}` +
          `message="said \\"it\\"",ok=true,span_id="${spanId}",status="error",trace_id="${traceId}",user_id="u"`,
        `${long}message="1.5",severity_text="verbose2",status="debug"`,
        `${long}message="{\\"n\\":9007199254740993,\\"l\\":[\\"a\\",false,null],\\"__proto__\\":\\"p\\"}",` +
          `severity_text="WARN",status="warning"`,
        `attributes_source="s",${long}message="",status="unknown"`,
      ].map((fields) => `${service},${tags} ${fields} ${time}`),
    );
  });

  it("turns spans into tracing points", async () => {
    const service = `spans-${encoding}`;
    const start = "1544712660300000000";
    const request = spans(
      service,
      {
        traceId,
        spanId,
        parentSpanId: "",
        name: "GET /buy",
        kind: 2,
        startTimeUnixNano: start,
        endTimeUnixNano: "1544712660301500999",
        traceState: "a=b",
        attributes: attributes({ "http.status_code": 200n, status: "mine", operation: "op" }),
        status: { code: 2, message: "bad" },
        events: [
          { timeUnixNano: time, name: "cache", attributes: attributes({ hit: true }) },
          {
            timeUnixNano: time,
            name: "exception",
            attributes: attributes({
              "exception.type": "TypeError",
              "exception.message": "no",
              "exception.stacktrace": "at x",
            }),
          },
        ],
        links: [{ traceId, spanId, attributes: attributes({ k: 1n }) }],
        droppedEventsCount: 3,
        flags: 257,
      },
      { traceId, spanId: "00f067aa0ba902b7", parentSpanId: spanId, name: "q", kind: 3, startTimeUnixNano: start },
      { traceId, spanId: "00f067aa0ba902b8", parentSpanId: spanId, kind: 1, startTimeUnixNano: start },
      { traceId, spanId: "00f067aa0ba902b9", name: "cron", kind: 1, startTimeUnixNano: start },
    );
    expect(taken(await send("traces", encoding, request))).toEqual(everything[encoding]);
    const micros = "1544712660300000";
    const tagged = (operation: string, kind: string, type: string, status: string) =>
      `opentelemetry,dc=x,host=web01${operation},service=${service},span_kind=${kind},span_type=${type},status=${status}`;
    const ids = (parent: string, name: string, id: string) =>
      `parent_id="${parent}",resource="${name}",span_id="${id}",start=${micros}i`;
    expect(
      (await linesOf("tracing", service)).map((line) => line.replace(/,(?:events|links)="(?:\\.|[^"])*"/g, "")),
    ).toEqual([
      `${tagged(",operation=GET\\ /buy", "server", "entry", "error")} attributes_operation="op",attributes_status="mine",` +
        'dropped_events_count=3i,duration=1500i,error_message="no",error_stack="at x",error_type="TypeError",' +
        `http_status_code=200i,${ids("0", "GET /buy", spanId)},status_message="bad",trace_id="${traceId}",` +
        `trace_state="a=b" ${start}`,
      `${tagged(",operation=q", "client", "exit", "ok")} duration=0i,${ids(spanId, "q", "00f067aa0ba902b7")},trace_id="${traceId}" ${start}`,
      `${tagged("", "internal", "local", "ok")} duration=0i,${ids(spanId, "", "00f067aa0ba902b8")},trace_id="${traceId}" ${start}`,
      `${tagged(",operation=cron", "internal", "entry", "ok")} duration=0i,${ids("0", "cron", "00f067aa0ba902b9")},trace_id="${traceId}" ${start}`,
    ]);
    const [line] = await linesOf("tracing", service);
    const json = (key: string) => JSON.parse(JSON.parse(new RegExp(`,${key}=("(?:\\\\.|[^"])*")`).exec(line)![1]));
    expect(json("events")[0]).toEqual({ name: "cache", time: Number(time), attributes: { hit: true } });
    expect(json("links")).toEqual([{ trace_id: traceId, span_id: spanId, attributes: { k: 1 } }]);
  });

  it("turns every kind of metric into metric points", async () => {
    const service = `metrics-${encoding}`;
    const at = { timeUnixNano: time, startTimeUnixNano: "1" };
    const request = metrics(
      service,
      {
        name: "temp.c",
        unit: "Cel",
        gauge: { dataPoints: [{ ...at, asDouble: 21.5, attributes: attributes({ room: "a", n: 1n, unit: "mine" }) }] },
      },
      {
        name: "bytes",
        sum: {
          aggregationTemporality: 2,
          isMonotonic: true,
          dataPoints: [
            { ...at, asInt: "9223372036854775807" },
            { ...at, flags: 1 },
          ],
        },
      },
      {
        name: "dur",
        unit: "ms",
        histogram: {
          aggregationTemporality: 1,
          dataPoints: [
            {
              ...at,
              count: "6",
              sum: 12.25,
              min: 0.5,
              max: 99,
              bucketCounts: ["1", "2", "3"],
              explicitBounds: [1, 10.5],
            },
          ],
        },
      },
      {
        name: "exp",
        exponentialHistogram: {
          aggregationTemporality: 2,
          dataPoints: [
            {
              ...at,
              count: "10",
              sum: 4,
              scale: -1,
              zeroCount: "2",
              positive: { offset: -1, bucketCounts: ["3", "0", "1"] },
              negative: { offset: 0, bucketCounts: ["4"] },
            },
          ],
        },
      },
      {
        name: "rpc",
        summary: {
          dataPoints: [
            {
              ...at,
              count: "4",
              sum: 8,
              quantileValues: [
                { quantile: 0.5, value: 2 },
                { quantile: 0.99, value: 3.5 },
              ],
            },
          ],
        },
      },
    );
    expect(taken(await send("metrics", encoding, request))).toEqual(everything[encoding]);
    const line = (tags: string, fields: string) => {
      const all = ["dc=x", "host=web01", `service=${service}`, ...tags.split(" ")].sort().join(",");
      return `otel_service,${all} ${fields} ${time}`;
    };
    const histogram = "metric_type=histogram temporality=delta unit=ms";
    const exponential = "metric_type=exponential_histogram temporality=cumulative";
    expect(await linesOf("metric", service)).toEqual([
      line("attributes.unit=mine metric_type=gauge n=1 room=a unit=Cel", "temp.c=21.5"),
      line("is_monotonic=true metric_type=sum temporality=cumulative", "bytes=9223372036854775807i"),
      line(histogram, "dur_count=6i,dur_max=99,dur_min=0.5,dur_sum=12.25"),
      line(`${histogram} le=1`, "dur_bucket=1i"),
      line(`${histogram} le=10.5`, "dur_bucket=3i"),
      line(`${histogram} le=+Inf`, "dur_bucket=6i"),
      line(exponential, "exp_count=10i,exp_sum=4"),
      line(`${exponential} le=-1`, "exp_bucket=4i"),
      line(`${exponential} le=0`, "exp_bucket=6i"),
      line(`${exponential} le=1`, "exp_bucket=9i"),
      line(`${exponential} le=16`, "exp_bucket=10i"),
      line(`${exponential} le=+Inf`, "exp_bucket=10i"),
      line("metric_type=summary", "rpc_count=4i,rpc_sum=8"),
      line("metric_type=summary quantile=0.5", "rpc=2"),
      line("metric_type=summary quantile=0.99", "rpc=3.5"),
    ]);
  });

  it("stores the valid records of a request, and reports the rejected ones", async () => {
    const service = `partial-${encoding}`;
    const good = { traceId, spanId, name: "kept", startTimeUnixNano: time };
    const reason =
      "2: the trace id is not 16 bytes that differ from 0; 1: the span id is not 8 bytes that differ from 0";
    const answer = await send(
      "traces",
      encoding,
      spans(service, { ...good, traceId: "" }, good, { ...good, traceId: "00".repeat(16) }, { ...good, spanId: "ab" }),
    );
    expect(answer.status).toBe(200);
    if (encoding === "json") {
      expect(JSON.parse(answer.text)).toEqual({ partialSuccess: { rejectedSpans: "3", errorMessage: reason } });
    } else {
      expect(decodeAnswer("Response", answer.body)).toEqual({
        partialSuccess: { rejected: "3", errorMessage: reason },
      });
    }
    expect(await linesOf("tracing", service)).toHaveLength(1);
    await expect.poll(() => agent.log()).toContain(`otlp traces: 3 of the points are not kept: ${reason}`);
  });

  it("accepts an empty request, and a request whose records are all rejected", async () => {
    expect(taken(await send("logs", encoding, {}))).toEqual(everything[encoding]);
    const answer = await send("logs", encoding, logs("late", { timeUnixNano: "18446744073709551615" }));
    expect(answer.status).toBe(200);
    if (encoding === "json") expect(JSON.parse(answer.text).partialSuccess.rejectedLogRecords).toBe("1");
    else expect(decodeAnswer("Response", answer.body)).toHaveProperty("partialSuccess.rejected", "1");
  });

  it("runs the script that the request names", async () => {
    const service = `script-${encoding}`;
    await send("logs", encoding, logs(service, { body: anyValue("x"), timeUnixNano: time }), "?source=mark");
    expect(await linesOf("logging", service)).toEqual([
      `${service},dc=x,host=web01,marked=yes,scope_name=lib,scope_version=1,service=${service} message="x",status="unknown" ${time}`,
    ]);
    await send("traces", encoding, spans(service, { traceId, spanId, startTimeUnixNano: time }), "?source=drop");
    expect(await linesOf("tracing", service)).toEqual([]);
  });
});

describe("rejected data points", () => {
  it.each<[string, object, string]>([
    ["without a name", { gauge: { dataPoints: [{ asInt: 1 }] } }, "the metric has no name"],
    ["NaN", { name: "a", gauge: { dataPoints: [{ asDouble: "NaN" }] } }, "NaN is no value"],
    ["without a value", { name: "a", sum: { dataPoints: [{ timeUnixNano: time }] } }, "a data point without a value"],
    [
      "with buckets that do not fit the bounds",
      { name: "a", histogram: { dataPoints: [{ bucketCounts: [1, 2], explicitBounds: [1, 2] }] } },
      "a histogram must have one bucket more than bounds",
    ],
    [
      "with bounds that do not ascend",
      { name: "a", histogram: { dataPoints: [{ bucketCounts: [1, 2, 3], explicitBounds: [2, 2] }] } },
      "the bounds of a histogram must ascend",
    ],
    [
      "with a scale beyond all numbers",
      {
        name: "a",
        exponentialHistogram: { dataPoints: [{ scale: -2000, positive: { offset: -1, bucketCounts: [1] } }] },
      },
      "the buckets of an exponential histogram are out of range",
    ],
    [
      "with more tags than a line has room for",
      {
        name: "a",
        gauge: {
          dataPoints: [
            {
              asInt: 1,
              attributes: Array.from({ length: 40 }, (_, at) => ({
                key: `k${at}`,
                value: { stringValue: "x".repeat(1000) },
              })),
            },
          ],
        },
      },
      "the attributes are too long for tags",
    ],
  ])("%s", async (_, metric, reason) => {
    const answer = await send("metrics", "json", metrics("bad", metric));
    expect([answer.status, JSON.parse(answer.text)]).toEqual([
      200,
      { partialSuccess: { rejectedDataPoints: "1", errorMessage: `1: ${reason}` } },
    ]);
    expect(await linesOf("metric", "bad")).toEqual([]);
  });
});

describe("refused OTLP requests over HTTP", () => {
  const json = { "content-type": "application/json" };
  const protobuf = { "content-type": "application/x-protobuf" };

  it.each<[Record<string, string>]>([
    [{}],
    [{ "content-type": "text/plain" }],
    [{ "content-type": "application/protobuf" }],
  ])("a content type that is neither JSON nor protobuf: %j", async (headers) => {
    const answer = await post("logs", "{}", headers);
    expect([answer.status, answer.text]).toEqual([400, ""]);
  });

  it.each<[string, string, string]>([
    ["no JSON", "{", "OTLP: unexpected end of JSON input at byte 1"],
    ["no object", "[]", "OTLP: the body: an object is expected"],
    ["no list", '{"resourceLogs":{}}', "OTLP: resourceLogs: a list is expected"],
    ["a null in a list", '{"resourceLogs":[null]}', "OTLP: resourceLogs: an object is expected"],
    ["a text for a number", logJson('"severityNumber":"INFO"'), "OTLP: severityNumber: an integer is expected"],
    [
      "an integer beyond its bits",
      logJson('"timeUnixNano":"18446744073709551616"'),
      "OTLP: timeUnixNano: 18446744073709551616 is out of range",
    ],
    [
      "an integer without end",
      logJson(`"timeUnixNano":${"9".repeat(60000)}`),
      "OTLP: timeUnixNano: an integer is expected",
    ],
    ["a number for a text", logJson('"severityText":1'), "OTLP: severityText: a text is expected"],
    [
      "values within each other without end",
      logJson(`"body":${'{"arrayValue":{"values":['.repeat(200)}${"]}}".repeat(200)}`),
      "OTLP: objects within each other, deeper than 100",
    ],
    ["JSON within JSON without end", "[".repeat(20000), "OTLP: nested deeper than 10000 at byte 10001"],
  ])("%s", async (_, body, message) => {
    const answer = await post("logs", body, json);
    expect([answer.status, answer.headers["content-type"], JSON.parse(answer.text)]).toEqual([
      400,
      "application/json",
      { code: 3, message, error_code: "agent.invalidData" },
    ]);
  });

  it.each<[string, Uint8Array, Record<string, string>, number, number, string]>([
    [
      "bytes that are cut off",
      new Uint8Array([0x0a, 0x7f, 1]),
      {},
      400,
      3,
      "agent.invalidData: OTLP: byte 2: 127 bytes are missing",
    ],
    ["an unknown wire type", new Uint8Array([0x0b]), {}, 400, 3, "agent.invalidData: OTLP: byte 1: wire type 3"],
    [
      "messages within each other",
      nested(200),
      {},
      400,
      3,
      "agent.invalidData: OTLP: messages within each other, deeper than 100",
    ],
    ["an unknown compression", new Uint8Array([1]), { "content-encoding": "lz4" }, 400, 3, "agent.decodeBodyFailed"],
    ["what is no gzip", new Uint8Array([1]), { "content-encoding": "gzip" }, 400, 3, "agent.decodeBodyFailed"],
    ["a body that is too large", new Uint8Array(70000), {}, 413, 11, "agent.bodyTooLarge: body exceeds 65536 bytes"],
    [
      "one that is when it is decompressed",
      gzipSync(new Uint8Array(70000)),
      { "content-encoding": "gzip" },
      413,
      11,
      "agent.bodyTooLarge: body exceeds 65536 bytes",
    ],
    [
      "a small body of very many points",
      manyPoints(),
      {},
      413,
      11,
      "agent.bodyTooLarge: its points take more than 262144 bytes; send less at once",
    ],
  ])("%s", async (_, body, headers, status, code, message) => {
    const answer = await post("logs", body, { ...protobuf, ...headers });
    expect([answer.status, answer.headers["content-type"]]).toEqual([status, "application/x-protobuf"]);
    expect(decodeAnswer("RpcStatus", answer.body)).toEqual({ code, message });
  });

  it("an empty JSON body, an invalid storage_index, or a method other than POST", async () => {
    const empty = await post("logs", "", json);
    expect([empty.status, JSON.parse(empty.text).error_code]).toEqual([400, "agent.emptyBody"]);
    const index = await post("logs", "{}", json, "?storage_index=BAD");
    expect([index.status, JSON.parse(index.text).error_code]).toEqual([400, "agent.invalidStorageIndex"]);
    expect((await agent.send("/otel/v1/logs")).status).toBe(404);
  });

  it("a request from another machine, or from a page of another origin", async () => {
    const strangers: [name: string, value: string][] = [
      ["x-forwarded-for", "127.0.0.1"],
      ["origin", "http://elsewhere.example"],
      ["host", "elsewhere.example"],
    ];
    for (const [name, value] of strangers) {
      const answer = await post("traces", "{}", { ...json, [name]: value });
      expect([answer.status, JSON.parse(answer.text).error_code]).toEqual([403, "agent.publicAccessDisabled"]);
    }
  });
});

it("accepts compressed OTLP requests", async () => {
  const body = gzipSync(JSON.stringify(logs("zipped", { body: anyValue("x") })));
  const answer = await post("logs", body, { "content-type": "application/json", "content-encoding": "gzip" });
  expect(answer.status).toBe(200);
  expect(await linesOf("logging", "zipped")).toHaveLength(1);
});

it("attribute keys such as __proto__ do not change JavaScript objects", async () => {
  const keys = ["__proto__", "constructor", "prototype", "toString"];
  const own = Object.fromEntries(keys.map((key) => [key, "x"]));
  const attributesOf = keys.map((key) => ({ key, value: anyValue("x") }));
  for (const encoding of Object.keys(encodings) as Encoding[]) {
    const request = { ...logs("proto", { attributes: attributesOf, body: anyValue(encoding) }), ...own };
    expect((await send("logs", encoding, request)).status).toBe(200);
  }
  const hidden =
    '{"__proto__":{"resourceLogs":[{"scopeLogs":[{"logRecords":[{}]}]}]},"constructor":{"prototype":{"a":1}}}';
  expect((await post("logs", hidden, { "content-type": "application/json" })).text).toBe("{}");
  const lines = await linesOf("logging", "proto");
  expect(lines).toHaveLength(2);
  for (const line of lines) for (const key of keys) expect(line).toContain(`${key}="x"`);
});

it("returns 202 when configured, and 404 when OTLP is switched off", async () => {
  const other = await startAgent({ config: '[otlp]\nhttp_status_ok = "202"' });
  try {
    const sent = { headers: { "content-type": "application/json" }, body: "{}" };
    expect((await other.send("/otel/v1/logs", sent)).status).toBe(202);
  } finally {
    await other.stop();
  }
  const off = await startAgent({ config: "[otlp]\nenable = false" });
  try {
    expect((await off.send("/otel/v1/logs", { body: "{}" })).status).toBe(404);
  } finally {
    await off.stop();
  }
});

function logJson(members: string): string {
  return `{"resourceLogs":[{"scopeLogs":[{"logRecords":[{${members}}]}]}]}`;
}

/** Returns a protobuf body with lists that are nested `depth` levels deep. */
function nested(depth: number): Uint8Array {
  let bytes = Buffer.alloc(0);
  const within = (...numbers: number[]) => {
    for (const number of numbers) {
      const length = bytes.length < 128 ? [bytes.length] : [(bytes.length & 0x7f) | 0x80, bytes.length >> 7];
      bytes = Buffer.concat([Buffer.from([number * 8 + 2, ...length]), bytes]);
    }
  };
  for (let at = 0; at < depth; at++) within(1, 5);
  within(5, 2, 2, 1);
  return bytes;
}

/** Returns a protobuf body of 5000 empty log records, each of two bytes. */
function manyPoints(): Uint8Array {
  const records = Buffer.from(Array.from({ length: 5000 }, () => [0x12, 0]).flat());
  const within = (number: number, bytes: Buffer) =>
    Buffer.concat([Buffer.from([number * 8 + 2, (bytes.length & 0x7f) | 0x80, bytes.length >> 7]), bytes]);
  return within(1, within(2, records));
}
