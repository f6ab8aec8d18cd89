// HTTP pipelining: how many of the requests that arrive together on one connection are started at once.

import { createServer, type RequestListener, type ServerResponse } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { expect, it, onTestFinished } from "vitest";
import { boundPipelining } from "../../../server/http/pipelining.ts";

const count = 5000;

async function open(listener: RequestListener): Promise<Socket> {
  const server = createServer(boundPipelining(listener));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const client = connect((server.address() as AddressInfo).port, "127.0.0.1");
  client.on("error", () => {});
  onTestFinished(() => {
    client.destroy();
    server.close();
  });
  return client;
}

const requests = (): string =>
  Array.from({ length: count }, (_, at) => `POST /${at} HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\n\r\nx`).join("");

it("handles a limited number of requests at a time, and answers all in order", async () => {
  let underWay = 0;
  let most = 0;
  let mostListeners = 0;
  let text = "";
  const client = await open((raw, response) => {
    most = Math.max(most, ++underWay);
    mostListeners = Math.max(mostListeners, raw.socket.listenerCount("close"));
    setImmediate(() => {
      underWay--;
      response.end(`<${raw.url}>`);
    });
  });
  client.on("data", (chunk) => {
    text += chunk;
  });
  client.write(requests());
  await expect.poll(() => text.includes(`</${count - 1}>`)).toBe(true);
  expect(most).toBeGreaterThan(1);
  expect(most).toBeLessThanOrEqual(65);
  expect(mostListeners).toBeLessThan(10);
  expect([...text.matchAll(/<\/(\d+)>/g)].map(([, at]) => Number(at))).toEqual(
    Array.from({ length: count }, (_, at) => at),
  );
});

it("reads only a limited number of bytes in advance while no request is answered", async () => {
  const begun: ServerResponse[] = [];
  let socket: Socket | undefined;
  const client = await open((raw, response) => {
    socket = raw.socket;
    begun.push(response);
  });
  const sent = requests().repeat(32);
  client.write(sent);
  await expect.poll(() => begun.length).toBe(65);
  // Waits long enough for the server to read all requests. The server must not read all of them, because it limits how
  // much it reads in advance.
  for (let turn = 0; turn < 200; turn++) await new Promise((resolve) => setImmediate(resolve));
  expect(socket!.bytesRead).toBeLessThan(512 * 1024);
  expect(begun).toHaveLength(65);
});

it("closes all started responses when the connection is lost, and starts no more", async () => {
  let begun = 0;
  let closed = 0;
  const client = await open((_raw, response) => {
    begun++;
    response.on("close", () => closed++);
    if (begun === 20) client.destroy();
  });
  client.write("GET / HTTP/1.1\r\nHost: a\r\n\r\n".repeat(20));
  await expect.poll(() => closed).toBe(20);
  expect(begun).toBe(20);
});
