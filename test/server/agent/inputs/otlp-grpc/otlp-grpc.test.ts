// OTLP over gRPC: requests of the gRPC library that SDKs use, and hostile ones in plain HTTP/2
// (docs/reference/otlp.md#grpc).

import { type EventEmitter, once } from "node:events";
import { readFileSync } from "node:fs";
import { type ClientHttp2Session, type ClientHttp2Stream, connect as connectHttp2 } from "node:http2";
import { connect, createServer } from "node:net";
import { gzipSync } from "node:zlib";
import {
  ChannelCredentials,
  type Client,
  compressionAlgorithms,
  Metadata,
  makeGenericClientConstructor,
  type ServiceError,
} from "@grpc/grpc-js";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { makeCertificates } from "../../../support/certificates.ts";
import { anyValue, attributes, decodeAnswer, encodeRequest, type Signal } from "../../../support/otlp-messages.ts";
import { type AgentProcess, startAgent } from "../../../support/running-agent.ts";

const services = {
  traces: "opentelemetry.proto.collector.trace.v1.TraceService",
  metrics: "opentelemetry.proto.collector.metrics.v1.MetricsService",
  logs: "opentelemetry.proto.collector.logs.v1.LogsService",
} as const;
const time = "1544712660300000123";

async function freePort(): Promise<number> {
  const server = createServer();
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** Starts an agent that accepts gRPC on a free port. */
async function startGrpc(settings: string): Promise<{ agent: AgentProcess; port: number }> {
  const port = await freePort();
  const config = `[http_api]\nrequest_rate_limit = 0\n[environments]\nENV_HOSTNAME = "web01"\n[inputs.otlp_grpc]\nlisten = "127.0.0.1:${port}"\n${settings}`;
  return { agent: await startAgent({ config }), port };
}

type Outcome = { readonly code: number; readonly details?: string; readonly answer?: unknown };

function grpcClient(port: number, credentials = ChannelCredentials.createInsecure(), options: object = {}) {
  const clients = new Map<string, Client>();
  return {
    /** Calls the method Export, and returns the status and the response message. */
    call: (service: string, body: Uint8Array, token?: string): Promise<Outcome> => {
      const path = `/${service}/Export`;
      let client = clients.get(service);
      if (client === undefined) {
        const Made = makeGenericClientConstructor({}, service);
        client = new Made(`127.0.0.1:${port}`, credentials, options);
        clients.set(service, client);
      }
      const metadata = new Metadata();
      if (token !== undefined) metadata.set("authorization", `Bearer ${token}`);
      return new Promise((resolve) => {
        client.makeUnaryRequest(
          path,
          (bytes: Uint8Array) => Buffer.from(bytes),
          (bytes: Buffer) => decodeAnswer("Response", bytes),
          body,
          metadata,
          (error: ServiceError | null, answer?: unknown) =>
            resolve(error === null ? { code: 0, answer } : { code: error.code, details: error.details }),
        );
      });
    },
    close: () => {
      for (const client of clients.values()) client.close();
    },
  };
}

const resource = (service: string) => ({ attributes: attributes({ "service.name": service }) });
const requests: Record<Signal, (service: string) => object> = {
  logs: (service) => ({
    resourceLogs: [
      {
        resource: resource(service),
        scopeLogs: [
          {
            logRecords: [
              { timeUnixNano: time, body: anyValue("said"), attributes: attributes({ n: 9007199254740993n }) },
            ],
          },
        ],
      },
    ],
  }),
  traces: (service) => ({
    resourceSpans: [
      {
        resource: resource(service),
        scopeSpans: [
          {
            spans: [
              {
                traceId: "5b8efff798038103d269b633813fc60c",
                spanId: "eee19b7ec3c1b174",
                name: "q",
                startTimeUnixNano: time,
              },
            ],
          },
        ],
      },
    ],
  }),
  metrics: (service) => ({
    resourceMetrics: [
      {
        resource: resource(service),
        scopeMetrics: [
          { metrics: [{ name: "temp", gauge: { dataPoints: [{ timeUnixNano: time, asDouble: 21.5 }] } }] },
        ],
      },
    ],
  }),
};
const categories = { logs: "logging", traces: "tracing", metrics: "metric" } as const;

describe("the agent with the official gRPC client", () => {
  let agent: AgentProcess;
  let port: number;
  beforeAll(async () => {
    ({ agent, port } = await startGrpc('token = "s3"\nmax_message_bytes = 65536\n'));
  });
  afterAll(() => agent.stop());

  it.each([
    ["logs", compressionAlgorithms.identity],
    ["logs", compressionAlgorithms.gzip],
    ["traces", compressionAlgorithms.gzip],
    ["metrics", compressionAlgorithms.identity],
  ] as const)("takes %s (compression %i)", async (signal, compression) => {
    const client = grpcClient(port, undefined, { "grpc.default_compression_algorithm": compression });
    onTestFinished(client.close);
    const service = `${signal}${compression}`;
    const outcome = await client.call(services[signal], encodeRequest(signal, requests[signal](service)), "s3");
    expect(outcome).toEqual({ code: 0, answer: {} });
    const lines = (await agent.output(categories[signal])).filter((line) => line.includes(`service=${service}`));
    expect(lines).toHaveLength(1);
    if (signal === "logs") expect(lines[0]).toContain(`n=9007199254740993i`);
    expect(lines[0]).toMatch(new RegExp(` ${time}$`));
  });

  it("reports rejected records as a partial success", async () => {
    const client = grpcClient(port);
    onTestFinished(client.close);
    const request = {
      resourceLogs: [
        { resource: resource("late"), scopeLogs: [{ logRecords: [{ timeUnixNano: "18446744073709551615" }] }] },
      ],
    };
    expect(await client.call(services.logs, encodeRequest("logs", request), "s3")).toEqual({
      code: 0,
      answer: { partialSuccess: { rejected: "1", errorMessage: "1: the time is out of range" } },
    });
  });

  it("accepts an empty request", async () => {
    const client = grpcClient(port);
    onTestFinished(client.close);
    expect(await client.call(services.logs, new Uint8Array(), "s3")).toEqual({ code: 0, answer: {} });
  });

  const logs = encodeRequest("logs", requests.logs("refused"));
  it.each([
    ["no token", services.logs, logs, undefined, 16, "send the metadata authorization: Bearer TOKEN"],
    ["a wrong token", services.logs, logs, "s4", 16, "the token is wrong"],
    [
      "an unknown service",
      "opentelemetry.proto.collector.profiles.v1.ProfilesService",
      logs,
      "s3",
      12,
      "there is no method /opentelemetry.proto.collector.profiles",
    ],
    ["no protobuf", services.logs, new Uint8Array([0x0a, 0x7f, 1]), "s3", 3, "agent.invalidData: OTLP: "],
    [
      "too much",
      services.logs,
      new Uint8Array(65537),
      "s3",
      8,
      "a message may have at most 65536 bytes; send less at once",
    ],
  ] as const)("refuses %s", async (_, service, body, token, code, details) => {
    const client = grpcClient(port);
    onTestFinished(client.close);
    const outcome = await client.call(service, body, token);
    expect([outcome.code, outcome.details?.slice(0, details.length)]).toEqual([code, details]);
    expect((await agent.output("logging")).join("\n")).not.toContain("service=refused");
  });

  it("refuses a decompression bomb", async () => {
    const client = grpcClient(port, undefined, { "grpc.default_compression_algorithm": compressionAlgorithms.gzip });
    onTestFinished(client.close);
    const outcome = await client.call(services.logs, new Uint8Array(10_000_000), "s3");
    expect(outcome).toEqual({ code: 8, details: "a message may have at most 65536 bytes; send less at once" });
  });

  it("counts points and refused requests", async () => {
    expect(await agent.metric('agent_io_feed_total{name="otlp_grpc.logs",category="logging"}')).toBeGreaterThan(0);
    expect(await agent.metric('agent_io_feed_error_total{name="otlp_grpc.logs",category="logging"}')).toBeGreaterThan(
      0,
    );
  });
});

it("accepts gRPC over TLS", async () => {
  const made = makeCertificates();
  onTestFinished(() => made.remove());
  const { agent, port } = await startGrpc(`tls_cert = "${made.files.cert}"\ntls_key = "${made.files.key}"\n`);
  onTestFinished(() => agent.stop());
  const client = grpcClient(port, ChannelCredentials.createSsl(readFileSync(made.authority)));
  onTestFinished(client.close);
  expect(await client.call(services.logs, encodeRequest("logs", requests.logs("tls")))).toEqual({
    code: 0,
    answer: {},
  });
});

it("accepts requests again after a reload", async () => {
  const { agent, port } = await startGrpc("");
  onTestFinished(() => agent.stop());
  const client = grpcClient(port, undefined, { "grpc.initial_reconnect_backoff_ms": 50 });
  onTestFinished(client.close);
  expect((await client.call(services.logs, encodeRequest("logs", requests.logs("one")))).code).toBe(0);
  agent.signal("SIGHUP");
  await waitUntil(() => agent.log().split("OTLP over gRPC is taken at").length > 2);
  await waitUntil(
    async () => (await client.call(services.logs, encodeRequest("logs", requests.logs("two")))).code === 0,
  );
  expect((await agent.output("logging")).join("\n")).toContain("service=two");
});

describe("the agent with a plain HTTP/2 client", () => {
  let agent: AgentProcess;
  let port: number;
  beforeAll(async () => {
    ({ agent, port } = await startGrpc("max_streams = 5\nmax_connections = 3\nmax_message_bytes = 65536\n"));
  });
  afterAll(() => agent.stop());

  const open = (): ClientHttp2Session => {
    const session = connectHttp2(`http://127.0.0.1:${port}`);
    session.on("error", () => {});
    onTestFinished(() => session.destroy());
    return session;
  };
  const path = `/${services.logs}/Export`;
  const grpcHeaders = { ":method": "POST", ":path": path, "content-type": "application/grpc", te: "trailers" };
  const framed = (body: Uint8Array, flag = 0, length = body.length) => {
    const prefix = Buffer.alloc(5);
    prefix[0] = flag;
    prefix.writeUInt32BE(length, 1);
    return Buffer.concat([prefix, body]);
  };
  /** Returns the headers and trailers of the answer, and its body as text. */
  const answered = async (stream: ClientHttp2Stream) => {
    const got: Record<string, unknown> = {};
    let text = "";
    stream
      .on("response", (headers) => Object.assign(got, headers))
      .on("trailers", (headers) => Object.assign(got, headers));
    stream.on("data", (chunk) => {
      text += chunk;
    });
    stream.on("error", () => {});
    if (!stream.closed) await closing(stream);
    return { ...got, text } as Record<string, unknown>;
  };
  const post = (headers: object, body: Uint8Array) => {
    const stream = open().request({ ...grpcHeaders, ...headers });
    stream.end(body);
    return answered(stream);
  };

  const body = encodeRequest("logs", requests.logs("plain"));
  it.each([
    ["one message", {}, framed(body), "0"],
    ["a gzip message", { "grpc-encoding": "gzip" }, framed(gzipSync(body), 1), "0"],
    ["an unknown encoding", { "grpc-encoding": "snappy" }, framed(body, 1), "12"],
    ["two messages", {}, Buffer.concat([framed(body), framed(body)]), "12"],
    ["a message that is cut off", {}, framed(body, 0, body.length + 1), "3"],
    ["half a prefix", {}, Buffer.from([0, 0]), "3"],
    ["a wrong first byte", {}, framed(body, 7), "3"],
    ["no gzip", { "grpc-encoding": "gzip" }, framed(body, 1), "3"],
    ["a length of 4 GB", {}, framed(body, 0, 0xffffffff), "8"],
    ["an unknown path", { ":path": "/x\u00e9" }, framed(body), "12"],
  ])("returns the right gRPC status for %s", async (_, headers, sent, status) => {
    expect(await post(headers, sent)).toMatchObject({ ":status": 200, "grpc-status": status });
  });

  it("returns 415 and a hint to a client that does not use gRPC", async () => {
    const answer = await post({ "content-type": "application/json" }, Buffer.from("{}"));
    expect(answer).toMatchObject({ ":status": 415 });
    expect(answer.text).toContain("this port takes OTLP over gRPC; OTLP over HTTP goes to /v1/traces");
  });

  /**
   * Opens a connection. Tries again while the server refuses it, because connections of earlier tests, although closed,
   * may still count towards the server's limit of connections.
   */
  const taken = async (): Promise<ClientHttp2Session> => {
    for (;;) {
      const session = open();
      const settled = new Promise((resolve) => session.once("remoteSettings", resolve));
      await Promise.race([settled, closing(session)]);
      if (!session.destroyed) return session;
    }
  };

  it("limits the streams and the connections, and serves other clients after a flood", async () => {
    const session = await taken();
    expect(session.remoteSettings.maxConcurrentStreams).toBe(5);
    // Opens gRPC streams and sends no message on them.
    for (let i = 0; i < 50; i++) session.request(grpcHeaders).on("error", () => {});
    const others = [open(), open(), open(), open()];
    await waitUntil(() => others.filter((each) => each.destroyed).length >= 2);
    for (const each of [session, ...others]) each.destroy();
    await waitUntil(async () => (await post({}, framed(body)))["grpc-status"] === "0");
  });

  it("refuses a message that arrives too slowly, and releases its memory", async () => {
    const session = await taken();
    const stream = session.request(grpcHeaders);
    stream.write(framed(body.subarray(0, 5), 0, 65_000));
    expect(await agent.metric("agent_http_inflight_bytes")).toBeLessThanOrEqual(65_000);
    expect(await answered(stream)).toMatchObject({
      "grpc-status": "4",
      "grpc-message": "the message comes too slowly",
    });
    await waitUntil(async () => (await agent.metric("agent_http_inflight_bytes")) === 0);
  });

  it("refuses headers that are too long", async () => {
    const session = await taken();
    await new Promise((resolve) => session.ping(resolve));
    const stream = session.request({ ...grpcHeaders, "x-long": "x".repeat(20_000) });
    stream.end(framed(body));
    expect(await answered(stream)).toEqual({ text: "" });
  });

  it("survives bytes that are no HTTP/2, and streams that are reset", async () => {
    const socket = connect(port, "127.0.0.1");
    socket.on("error", () => {}).resume();
    socket.end("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
    await closing(socket);
    const session = open();
    for (let i = 0; i < 200; i++) {
      const stream = session.request(grpcHeaders);
      stream.on("error", () => {});
      stream.close(8);
    }
    session.destroy();
    await waitUntil(async () => (await post({}, framed(body)))["grpc-status"] === "0");
    expect(agent.exitCode()).toBeNull();
  });
});

it("limits the requests of all connections together", async () => {
  const { agent, port } = await startGrpc("max_streams = 2000\n");
  onTestFinished(() => agent.stop());
  const session = connectHttp2(`http://127.0.0.1:${port}`);
  session.on("error", () => {});
  onTestFinished(() => session.destroy());
  await once(session, "remoteSettings");
  const statuses: unknown[] = [];
  for (let i = 0; i < 1100; i++) {
    const stream = session.request({
      ":method": "POST",
      ":path": `/${services.logs}/Export`,
      "content-type": "application/grpc",
    });
    stream.on("error", () => {}).on("response", (headers) => statuses.push(headers["grpc-status"]));
  }
  await waitUntil(() => statuses.length >= 100);
  expect(statuses).toEqual(Array(100).fill("14"));
});

/**
 * Waits until the emitter (such as an HTTP/2 session) sends the event `close`. Events `error` before that do not make
 * the wait fail.
 */
function closing(emitter: EventEmitter): Promise<unknown> {
  return new Promise((resolve) => emitter.once("close", resolve));
}

async function waitUntil(isTrue: () => boolean | Promise<boolean>): Promise<void> {
  for (let tries = 0; tries < 400; tries++) {
    if (await isTrue()) return;
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
  throw new Error("the condition did not become true");
}
