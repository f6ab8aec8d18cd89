// HTTP pipelining to another service: requests are sent on one connection before the first one is answered.

import { createServer as createHttpServer, type Server as HttpServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout } from "node:timers/promises";
import { expect, it, onTestFinished } from "vitest";
import { openUpstream } from "../../../server/outbound/upstream.ts";

async function listen(server: HttpServer): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.close();
    if ("closeAllConnections" in server) server.closeAllConnections();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

function open(timeoutMs = 30_000, uploadsInFlight = 4) {
  const upstream = openUpstream({ timeoutMs, proxy: "", caFile: "", insecure: false, uploadsInFlight });
  onTestFinished(() => upstream.close());
  return upstream;
}

const post = (url: string, body: Uint8Array | string) => ({
  method: "POST",
  url: `${url}/`,
  headers: {},
  body: typeof body === "string" ? Buffer.from(body) : body,
  pipeline: "metric",
});

it("as many requests as the pipeline depth are sent before the first is answered", async () => {
  const held: ServerResponse[] = [];
  const url = await listen(createHttpServer((_, response) => void held.push(response)));
  const upstream = open();
  const answers = Array.from({ length: 6 }, (_, at) => upstream.send(post(url, `${at}`)));
  await expect.poll(() => held.length).toBe(4);
  for (let at = 0; at < 6; at++) {
    await expect.poll(() => held.length).toBeGreaterThan(at);
    held[at]!.end();
  }
  expect((await Promise.all(answers)).map(({ status }) => status)).toEqual(Array(6).fill(200));
});

it("requests arrive in order, even when the server closes connections between them", async () => {
  const bodies: string[] = [];
  let connections = 0;
  const server = createHttpServer((request, response) => {
    let text = "";
    request.on("data", (chunk) => {
      text += chunk;
    });
    request.on("end", () => {
      bodies.push(text);
      response.end();
    });
  });
  server.maxRequestsPerSocket = 3;
  server.on("connection", () => {
    connections++;
  });
  const url = await listen(server);
  const upstream = open();
  const names = Array.from({ length: 20 }, (_, at) => `n${at}`);
  const answers = await Promise.all(names.map((name) => upstream.send(post(url, name))));
  expect(answers.map(({ status }) => status)).toEqual(names.map(() => 200));
  expect(connections).toBeGreaterThan(3);
  // When a connection ends, the requests without an answer are sent again. Apart from these repetitions, the requests
  // arrive in the order in which they were made.
  expect([...new Set(bodies)]).toEqual(names);
});

it("the timeout of a request does not include the time for earlier requests", async () => {
  const timeoutMs = 4000;
  const count = 12;
  let last = Promise.resolve();
  // The server answers one request after the other, each after an eighth of the timeout. So all answers together take
  // longer than the timeout of a request. Still no request may fail, because the timeout of a request does not include
  // the time in which the server answers earlier requests.
  const server = createHttpServer((_, response) => {
    last = last.then(() => setTimeout(timeoutMs / 8)).then(() => void response.end());
  });
  const slow = await listen(server);
  const upstream = open(timeoutMs, count);
  const answers = await Promise.all(Array.from({ length: count }, () => upstream.send(post(slow, "x"))));
  expect(answers.map(({ status }) => status)).toEqual(Array(count).fill(200));
});

it("a request fails when no answer arrives", async () => {
  const url = await listen(createHttpServer(() => {}));
  const { status } = await open(50).send(post(url, "x"));
  expect(status).toBe("timeout");
});

it("requests are sent one at a time when uploadsInFlight is 1 or a proxy is used", () => {
  const depthOf = (proxy: string, uploadsInFlight: number) => {
    const upstream = openUpstream({ timeoutMs: 1000, proxy, caFile: "", insecure: false, uploadsInFlight });
    onTestFinished(() => upstream.close());
    return upstream.uploadsInFlight;
  };
  expect([depthOf("", 12), depthOf("", 1), depthOf("http://127.0.0.1:1", 12)]).toEqual([12, 1, 1]);
});

it("an answer says whether the operating system had taken the whole request", async () => {
  const url = await listen(
    createHttpServer((request, response) => {
      if (request.headers["x-early"] === "1") response.end();
      else request.resume().on("end", () => response.end());
    }),
  );
  const upstream = open();
  // The buffers of the operating system are much smaller than this body.
  const body = Buffer.alloc(64 * 1024 * 1024);
  const answerTo = (headers: Record<string, string>, pipeline: string) =>
    upstream.send({ ...post(url, body), headers, pipeline });
  expect(await answerTo({}, "complete")).toMatchObject({ status: 200, isSent: true });
  expect(await answerTo({ "x-early": "1" }, "early")).toMatchObject({ status: 200, isSent: false });
});
