// One HTTP request to another service and its answer: limits of the answer's size, the number of connections, and trust
// in certificates.

import { createServer, type RequestListener, type Server } from "node:http";
import { createServer as createSecureServer } from "node:https";
import type { AddressInfo } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import { openUpstream, type UpstreamOptions } from "../../../server/outbound/upstream.ts";
import { makeCertificates } from "../support/certificates.ts";

async function listening(server: Server, scheme = "http"): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  return `${scheme}://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

const serve = (listener: RequestListener) => listening(createServer(listener));

function upstreamOfTest(more: Partial<UpstreamOptions> = {}) {
  const upstream = openUpstream({ timeoutMs: 60_000, proxy: "", caFile: "", insecure: false, ...more });
  onTestFinished(() => upstream.close());
  const ask = (url: string, pipeline?: string) =>
    upstream.send({
      method: "POST",
      url,
      headers: {},
      body: undefined,
      ...(pipeline === undefined ? {} : { pipeline }),
    });
  return { ask };
}

describe("an answer", () => {
  const most = 32 * 1024 * 1024;
  const ways: readonly (readonly [way: string, pipeline: string | undefined])[] = [
    ["through the pool", undefined],
    ["through a pipeline", "pipeline"],
  ];

  it.each(ways)("can be 32 MiB long, %s", async (_way, pipeline) => {
    const url = await serve((_, response) => void response.end(Buffer.alloc(most)));
    const { status, bytes } = await upstreamOfTest({ uploadsInFlight: 2 }).ask(url, pipeline);
    expect([status, bytes.length]).toEqual([200, most]);
  });

  it.each(ways)("that is longer than 32 MiB fails and closes its connection, %s", async (_way, pipeline) => {
    const ended: Promise<void>[] = [];
    let sent = 0;
    const chunk = Buffer.alloc(1024 * 1024);
    const url = await serve((_, response) => {
      ended.push(new Promise((resolve) => void response.once("close", resolve)));
      // The server writes an endless answer, as fast as the client reads it.
      const more = () => {
        for (let hasRoom = true; hasRoom && !response.destroyed; sent += chunk.length) hasRoom = response.write(chunk);
      };
      response.on("drain", more);
      more();
    });
    const answer = await upstreamOfTest({ uploadsInFlight: 2 }).ask(url, pipeline);
    expect(answer).toMatchObject({ status: "unknown", cause: "the answer is too large" });
    expect(answer.bytes.length).toBe(0);
    await Promise.all(ended);
    // The client stops reading at its limit. So the server could send only the bytes up to this limit, and the bytes
    // that fit into the buffers of both ends.
    expect(sent).toBeLessThan(2 * most);
  });
});

describe("connections", () => {
  const count = 8;

  it.each([
    [2, 2],
    [0, count],
  ])("to one origin are %i at most (0: any number)", async (connections, expected) => {
    const held: (() => void)[] = [];
    let open = 0;
    let most = 0;
    const server = createServer((_, response) => void held.push(() => response.end()));
    server.on("connection", (socket) => {
      most = Math.max(most, ++open);
      socket.once("close", () => open--);
    });
    const url = await listening(server);
    const { ask } = upstreamOfTest({ connections });
    const answers = Array.from({ length: count }, () => ask(url));
    await expect.poll(() => held.length).toBe(expected);
    // Answers the requests one by one. Each answer frees a connection, over which a waiting request is then sent.
    for (let at = 0; at < count; at++) {
      await expect.poll(() => held.length).toBeGreaterThan(at);
      held[at]!();
    }
    expect((await Promise.all(answers)).map(({ status }) => status)).toEqual(Array(count).fill(200));
    expect(most).toBe(expected);
  });
});

it.each([
  [false, "unknown", "unable to verify the first certificate"],
  [true, 200, undefined],
])("accepts an untrusted certificate only when insecure is set: %s", async (insecure, status, cause) => {
  const { key, cert, remove } = makeCertificates();
  onTestFinished(remove);
  let requests = 0;
  const url = await listening(
    createSecureServer({ key, cert }, (_, response) => {
      requests++;
      response.end();
    }),
    "https",
  );
  const answer = await upstreamOfTest({ insecure }).ask(url);
  expect([answer.status, answer.cause, requests]).toEqual([status, cause, insecure ? 1 : 0]);
});
