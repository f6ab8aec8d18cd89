// Tests connections that one server accepts and then passes to another server. The other server does not listen
// for connections itself.

import { once } from "node:events";
import { createServer as createHttpServer, type RequestListener, type ServerOptions } from "node:http";
import { createServer as createHttpsServer } from "node:https";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { connect as connectTls } from "node:tls";
import { expect, it, onTestFinished } from "vitest";
import { type Connections, connectionsOf } from "../../../../server/agent/serving/connections.ts";
import { makeCertificates } from "../../support/certificates.ts";
import { type RawClient, rawClient } from "../../support/processes.ts";

interface Taking {
  readonly connections: Connections;
  /** Returns the number of passed connections that the receiving server has reported as closed. */
  closed(): number;
  /** Opens a connection. The first server has accepted it, but has not yet passed it to the other server. */
  open(): Promise<{ client: Socket; accepted: Socket }>;
  /** Opens a connection that the first server has accepted and passed to the other server. */
  client(): Promise<RawClient>;
}

async function startTaking(
  listener: RequestListener = (_request, response) => response.end("here"),
  options: ServerOptions = {},
  server = createHttpServer(options, listener),
): Promise<Taking> {
  let closed = 0;
  const connections = connectionsOf(server, () => closed++);
  const front = createServer({ pauseOnConnect: true, noDelay: true, allowHalfOpen: true });
  front.listen(0, "127.0.0.1");
  await once(front, "listening");
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
    front.close();
  });
  const open = async () => {
    const accepted = once(front, "connection");
    const client = connect({ port: (front.address() as AddressInfo).port, host: "127.0.0.1", allowHalfOpen: true });
    onTestFinished(() => void client.destroy());
    return { client, accepted: ((await accepted) as [Socket])[0] };
  };
  return {
    connections,
    closed: () => closed,
    open,
    client: async () => {
      const { client, accepted } = await open();
      connections.take(accepted);
      return rawClient(client);
    },
  };
}

const get = "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n";
/** A time in milliseconds that is longer than any test takes. */
const forever = 3_600_000;
const ok = /^HTTP\/1\.1 200 OK\r\n[\s\S]*\r\n\r\nhere$/;

it("answers a request that arrived before the connection was handed over", async () => {
  const { connections, open } = await startTaking();
  const { client, accepted } = await open();
  const answer = rawClient(client).ask(get);
  // Waits until the client has sent its request. So the request has arrived before the connection is passed to the
  // other server.
  await new Promise<void>((resolve) => client.write("", () => resolve()));
  connections.take(accepted);
  expect(await answer).toMatch(ok);
});

it("answers requests that arrive after the connection was handed over, one after the other", async () => {
  const client = await (await startTaking()).client();
  for (let times = 0; times < 3; times++) expect(await client.ask(get)).toMatch(ok);
});

it("counts open connections, and reports each closed connection once", async () => {
  const { connections, closed, client } = await startTaking();
  expect(connections.count).toBe(0);
  const [first, second] = [await client(), await client()];
  expect([connections.count, closed()]).toEqual([2, 0]);
  first.close();
  await expect.poll(() => connections.count).toBe(1);
  expect(closed()).toBe(1);
  await second.ask(get.replace("\r\n\r\n", "\r\nConnection: close\r\n\r\n"));
  second.close();
  await expect.poll(() => [connections.count, closed()]).toEqual([0, 2]);
});

it("does not count a client that disconnected before it was handed over", async () => {
  const { connections, closed, open } = await startTaking();
  const { client, accepted } = await open();
  client.resetAndDestroy();
  await once(client, "close");
  connections.take(accepted);
  await expect.poll(() => [connections.count, closed()]).toEqual([0, 1]);
});

it("answers a client that half-closes the connection after its request", async () => {
  const { connections, open } = await startTaking();
  const { client, accepted } = await open();
  client.end(get);
  connections.take(accepted);
  let text = "";
  client.on("data", (chunk) => {
    text += chunk;
  });
  await once(client, "end");
  expect(text).toMatch(ok);
  await expect.poll(() => connections.count).toBe(0);
});

it("close answers the request in progress, and closes idle connections", async () => {
  let answer = () => {};
  const { connections, closed, client } = await startTaking((request, response) => {
    if (request.url === "/slow") answer = () => response.end("here");
    else response.end("here");
  });
  const [idle, busy] = [await client(), await client()];
  expect(await idle.ask(get)).toMatch(ok);
  const underWay = busy.ask(get.replace("/ ", "/slow "));
  const before = answer;
  await expect.poll(() => answer).not.toBe(before);
  let isOver = false;
  const closing = connections.close(forever).then(() => {
    isOver = true;
  });
  await expect.poll(() => idle.isOver).toBe(true);
  expect([isOver, connections.count, busy.isOver]).toEqual([false, 1, false]);
  answer();
  expect(await underWay).toMatch(ok);
  await closing;
  expect([connections.count, closed()]).toEqual([0, 2]);
});

it("close resolves where nothing is open", async () => {
  await (await startTaking()).connections.close(forever);
});

it("close does not wait for a client that has sent nothing", async () => {
  const { connections, client } = await startTaking();
  const silent = await client();
  await connections.close(forever);
  await expect.poll(() => silent.isOver).toBe(true);
});

it("close does not wait for a client that has sent nothing over TLS", async () => {
  const { key, cert, remove } = makeCertificates();
  onTestFinished(remove);
  const { connections, open } = await startTaking(undefined, {}, createHttpsServer({ key, cert }));
  const { client, accepted } = await open();
  connections.take(accepted);
  const secure = connectTls({ socket: client, rejectUnauthorized: false });
  await once(secure, "secureConnect");
  await connections.close(forever);
  expect(connections.count).toBe(0);
});

it("close does not wait for a client that refused the certificate, but waits for a request in progress", async () => {
  const { key, cert, remove } = makeCertificates();
  onTestFinished(remove);
  let respond = () => {};
  const server = createHttpsServer({ key, cert }, (_request, response) => {
    respond = () => response.end("here");
  });
  const { connections, open } = await startTaking(undefined, {}, server);
  const [refusing, asking] = [await open(), await open()];
  for (const { accepted } of [refusing, asking]) connections.take(accepted);
  const refused = connectTls({ socket: refusing.client, rejectUnauthorized: true });
  const [error] = await once(refused, "error");
  expect(String(error)).toMatch(/certificate/);
  const secure = connectTls({ socket: asking.client, rejectUnauthorized: false });
  const requested = once(server, "request");
  secure.write(get);
  await requested;
  let text = "";
  secure.on("data", (chunk) => {
    text += chunk;
  });
  const closed = connections.close(forever);
  await expect.poll(() => connections.count).toBe(1);
  respond();
  await closed;
  expect(connections.count).toBe(0);
  await expect.poll(() => text).toMatch(ok);
});

it("close waits no longer than its time limit for a slow client", async () => {
  const { connections, client } = await startTaking();
  const slow = await client();
  const answer = slow.ask("GET / HTTP/1.1\r\nX-Slow: ");
  await expect.poll(() => connections.count).toBe(1);
  await connections.close(1);
  expect(connections.count).toBe(0);
  expect(await answer).toBe("");
});

it("disconnects a client that sends its headers too slowly", async () => {
  const limits = { headersTimeout: 200, connectionsCheckingInterval: 50, requestTimeout: 0 };
  const { connections, open } = await startTaking(undefined, limits);
  const { client, accepted } = await open();
  connections.take(accepted);
  let text = "";
  client.on("data", (chunk) => {
    text += chunk;
  });
  client.on("error", () => {});
  client.write("GET / HTTP/1.1\r\nX-Slow: ");
  const drops = setInterval(() => client.write("x"), 20);
  onTestFinished(() => clearInterval(drops));
  await once(client, "end");
  clearInterval(drops);
  client.destroy();
  expect(text).toMatch(/^HTTP\/1\.1 408 /);
  await expect.poll(() => connections.count).toBe(0);
});
