// POST /prom_remote_write (docs/reference/agent.md#prometheus-remote-write). The requests are encoded by a widely used
// library.

import { gzipSync } from "node:zlib";
import protobuf from "protobufjs";
import snappy from "snappyjs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type AgentProcess, type Sent, startAgent } from "../../../support/running-agent.ts";

const WriteRequest = protobuf
  .parse(
    `syntax = "proto3";
    message WriteRequest { repeated TimeSeries timeseries = 1; repeated Metadata metadata = 3; }
    message TimeSeries { repeated Label labels = 1; repeated Sample samples = 2; repeated Exemplar exemplars = 3; }
    message Label { string name = 1; string value = 2; }
    message Sample { double value = 1; int64 timestamp = 2; }
    message Exemplar { repeated Label labels = 1; double value = 2; int64 timestamp = 3; fixed32 other = 4; }
    message Metadata { int32 type = 1; string metric_family_name = 2; string help = 4; }`,
  )
  .root.lookupType("WriteRequest");

type Labels = Readonly<Record<string, string>>;

function series(labels: Labels, ...samples: readonly (readonly [value: number, time: number])[]) {
  return {
    labels: Object.entries(labels).map(([name, value]) => ({ name, value })),
    samples: samples.map(([value, timestamp]) => ({ value, timestamp })),
    exemplars: [{ labels: [{ name: "trace_id", value: "1" }], value: 1, timestamp: 1, other: 7 }],
  };
}

const encoded = (...timeseries: readonly object[]): Uint8Array =>
  WriteRequest.encode(WriteRequest.fromObject({ timeseries })).finish();

const path = "/prom_remote_write";
const time = 1700000000123;

describe("Prometheus remote write", () => {
  let agent: AgentProcess;
  beforeAll(async () => {
    agent = await startAgent({
      config: [
        "[http_api]\nrequest_rate_limit = 0",
        '[global_host_tags]\ndc = "x"\njob = "of the host"',
        '[prom_remote_write]\nmax_body_size = 4096\nheader_tags = { X-Scope = "scope", X-None = "none" }',
      ].join("\n"),
    });
  });
  afterAll(() => agent.stop());

  const send = (body: Uint8Array, headers: Sent["headers"] = {}, query = "") =>
    agent.send(`${path}${query}`, { body, headers });
  const linesOf = async (name: string) =>
    (await agent.output("metric")).filter((line) => line.startsWith(`${name},`) || line.startsWith(`${name} `));

  it("turns each sample into a metric point, with labels, parameters, headers and host tags as tags", async () => {
    const body = encoded(
      series({ __name__: "node_load1", instance: "a:9100", job: "node" }, [0.5, time], [1, time + 1]),
      series({ __name__: "up", instance: "b", empty: "" }, [1, time]),
    );
    const answer = await send(
      snappy.compress(body),
      { "x-scope": "s 1", "content-encoding": "snappy" },
      "?env=prod&job=q",
    );
    expect([answer.status, answer.text]).toEqual([204, ""]);
    const rest = "env=prod,host=web01,";
    const tagged = (line: string) => line.replace(/host=[^,]+,/, "host=web01,");
    expect((await linesOf("node")).map(tagged)).toEqual([
      `node,dc=x,${rest}instance=a:9100,job=node,scope=s\\ 1 load1=0.5 1700000000123000000`,
      `node,dc=x,${rest}instance=a:9100,job=node,scope=s\\ 1 load1=1 1700000000124000000`,
    ]);
    expect((await linesOf("up")).map(tagged)).toEqual([
      `up,dc=x,${rest}instance=b,job=q,scope=s\\ 1 up=1 1700000000123000000`,
    ]);
  });

  it("skips NaN and unnamed series, and keeps the whole name when it begins or ends with an underscore", async () => {
    const body = encoded(
      series({ __name__: "gone_a", k: "v" }, [Number.NaN, time]),
      series({ other: "gone_b" }, [1, time]),
      series({ __name__: "_lead" }, [1, time]),
      series({ __name__: "trail_" }, [-0.25, time]),
    );
    expect((await send(gzipSync(body), { "content-encoding": "gzip" })).status).toBe(204);
    expect(await linesOf("gone")).toEqual([]);
    expect((await linesOf("_lead"))[0]).toMatch(/ _lead=1 1700000000123000000$/);
    expect((await linesOf("trail_"))[0]).toMatch(/ trail_=-0\.25 1700000000123000000$/);
  });

  it("replaces infinite samples by the greatest and least numbers that metrics may have", async () => {
    await send(snappy.compress(encoded(series({ __name__: "inf_v" }, [Infinity, time], [-Infinity, time]))));
    expect((await linesOf("inf")).map((line) => / v=(\S+) /.exec(line)?.[1])).toEqual([
      "18446744073709552000",
      "-9223372036854776000",
    ]);
  });

  it("answers 204 to metadata alone", async () => {
    const metadata = WriteRequest.encode(
      WriteRequest.fromObject({ metadata: [{ type: 1, metric_family_name: "up", help: "?" }] }),
    ).finish();
    expect((await send(snappy.compress(metadata))).status).toBe(204);
  });

  it.each([
    ["an empty body", new Uint8Array(), {}, 400, "agent.emptyBody"],
    ["what is no Snappy", new Uint8Array([0xff, 0xff, 0xff, 0xff, 0xff, 0xff]), {}, 400, "agent.invalidProtobufPoint"],
    [
      "a message that is cut off",
      snappy.compress(new Uint8Array([0x0a, 0x7f, 1])),
      {},
      400,
      "agent.invalidProtobufPoint",
    ],
    ["a text", new TextEncoder().encode("x"), {}, 400, "agent.invalidProtobufPoint"],
    [
      "a request that is cut off",
      snappy.compress(encoded(series({ __name__: "cut_a" }, [1, time]))).subarray(0, -1),
      {},
      400,
      "agent.invalidProtobufPoint",
    ],
    ["an unknown wire type", snappy.compress(new Uint8Array([0x0b])), {}, 400, "agent.invalidProtobufPoint"],
    ["an integer without end", snappy.compress(new Uint8Array(11).fill(0xff)), {}, 400, "agent.invalidProtobufPoint"],
    ["an unknown encoding", new Uint8Array([1]), { "content-encoding": "lz4" }, 400, "agent.decodeBodyFailed"],
    [
      "a block that says it is large",
      new Uint8Array([0xff, 0xff, 0xff, 0x7f, 0]),
      {},
      400,
      "agent.invalidProtobufPoint",
    ],
    ["a body over its limit", new Uint8Array(5000), {}, 413, "agent.bodyTooLarge"],
  ] as const)("refuses %s", async (_, body, headers, status, code) => {
    const answer = await send(body, headers);
    expect([answer.status, JSON.parse(answer.text).error_code]).toEqual([status, code]);
  });
});

describe("remote writes to an agent with a password", () => {
  it("are refused without the right user and password", async () => {
    const agent = await startAgent({
      config: '[prom_remote_write]\nbasic_username = "prom"\nbasic_password = "se:cret"',
    });
    try {
      const body = snappy.compress(encoded(series({ __name__: "a_b" }, [1, time])));
      const send = (authorization?: string) =>
        agent.send(path, { body, headers: authorization === undefined ? {} : { authorization } });
      const basic = (text: string) => `Basic ${Buffer.from(text).toString("base64")}`;
      for (const wrong of [undefined, "Bearer x", basic("prom:secret"), basic("other:se:cret"), "Basic"]) {
        const answer = await send(wrong);
        expect([answer.status, answer.text]).toEqual([401, "Unauthorized."]);
        expect(answer.headers["www-authenticate"]).toBe('Basic realm="prom_remote_write"');
      }
      expect((await send(basic("prom:se:cret"))).status).toBe(204);
    } finally {
      await agent.stop();
    }
  });
});

it("returns 404 when the configuration disables remote write", async () => {
  const agent = await startAgent({ config: "[prom_remote_write]\nenable = false" });
  try {
    expect((await agent.send(path, { body: new Uint8Array([0]) })).status).toBe(404);
  } finally {
    await agent.stop();
  }
});
