// Connections of the agent's process during a reload, when one agent stops and the next one starts in the same process.

import { once } from "node:events";
import type { RequestListener } from "node:http";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { connect as connectTls } from "node:tls";
import { expect, it, onTestFinished } from "vitest";
import { createHttpServers, type HttpServers } from "../../../../server/agent/serving/http-servers.ts";
import { type Config, defaults } from "../../../../server/config/schema.ts";
import type { TlsFiles } from "../../../../server/http/listen.ts";
import { makeCertificates } from "../../support/certificates.ts";
import { type RawClient, rawClient } from "../../support/processes.ts";

const config = defaults() as Config;
const request = "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n";

async function portOf(httpServers: HttpServers): Promise<number> {
  const front = createServer({ pauseOnConnect: true, allowHalfOpen: true }, (socket) => httpServers.take(socket));
  front.listen(0, "127.0.0.1");
  await once(front, "listening");
  onTestFinished(async () => {
    front.close();
    await httpServers.close(0);
  });
  return (front.address() as AddressInfo).port;
}

function clientOf(socket: Socket): RawClient {
  const client = rawClient(socket);
  onTestFinished(() => client.close());
  return client;
}

/** Sends a request and waits until the server has received it. */
async function asking(httpServers: HttpServers, client: RawClient): Promise<{ readonly answer: Promise<string> }> {
  const came = once(httpServers.server, "request");
  const answer = client.ask(request);
  await came;
  return { answer };
}

/**
 * Makes a request handler that answers every request with the name of its agent. `asked` returns the number of requests
 * so far.
 */
function agentNamed(name: string): { listener: RequestListener; asked(): number } {
  let asked = 0;
  return {
    listener: (_request, response) => {
      asked++;
      response.end(name);
    },
    asked: () => asked,
  };
}

it("holds requests for the next agent, except those of disconnected clients", async () => {
  const httpServers = createHttpServers();
  const [first, second] = [agentNamed("first"), agentNamed("second")];
  httpServers.serve(config, undefined, first.listener);
  const port = await portOf(httpServers);
  const [stays, goes] = [0, 1].map(() => clientOf(connect(port, "127.0.0.1")));
  expect(await stays.ask(request)).toMatch(/first$/);
  expect(await goes.ask(request)).toMatch(/first$/);
  httpServers.hold();
  const { answer } = await asking(httpServers, stays);
  await asking(httpServers, goes);
  const comes = await asking(httpServers, clientOf(connect(port, "127.0.0.1")));
  goes.close();
  await expect.poll(() => httpServers.count).toBe(2);
  httpServers.serve(config, undefined, second.listener);
  expect(await Promise.all([answer, comes.answer])).toEqual([
    expect.stringMatching(/second$/),
    expect.stringMatching(/second$/),
  ]);
  expect([first.asked(), second.asked()]).toEqual([2, 2]);
});

it("holds 511 requests, and refuses one more", async () => {
  const httpServers = createHttpServers();
  const { listener, asked } = agentNamed("agent");
  httpServers.serve(config, undefined, listener);
  const port = await portOf(httpServers);
  httpServers.hold();
  let came = 0;
  httpServers.server.on("request", () => came++);
  // Each of the 8 connections sends 64 requests, the maximum number that the server starts on one connection.
  const clients = Array.from({ length: 8 }, () => connect(port, "127.0.0.1"));
  const texts = clients.map((client, at) => {
    onTestFinished(() => void client.destroy());
    client.setEncoding("latin1").on("data", (chunk) => {
      texts[at] += chunk;
    });
    client.write(request.repeat(64));
    return "";
  });
  await expect.poll(() => came).toBe(512);
  httpServers.serve(config, undefined, listener);
  const answers = (status: number) => texts.join("").split(`HTTP/1.1 ${status} `).length - 1;
  await expect.poll(() => [answers(200), answers(503)]).toEqual([511, 1]);
  expect(asked()).toBe(511);
});

it("refuses held and new requests while there is no agent", async () => {
  const httpServers = createHttpServers();
  httpServers.serve(config, undefined, agentNamed("first").listener);
  const port = await portOf(httpServers);
  const client = clientOf(connect(port, "127.0.0.1"));
  await client.ask(request);
  httpServers.hold();
  const waits = await asking(httpServers, client);
  httpServers.refuse();
  expect(await waits.answer).toMatch(/^HTTP\/1\.1 503 .*retry-after: 2\r\n.*\{"error_code":"agent\.notReady"/is);
  expect(await waits.answer).toMatch(/\r\nconnection: close\r\n.*x-content-type-options: nosniff\r\n/is);
  expect(await clientOf(connect(port, "127.0.0.1")).ask(request)).toMatch(/^HTTP\/1\.1 503 /);
});

it("uses TLS, or a changed certificate, from the next connection on", async () => {
  const filesOf = (name: string): TlsFiles => {
    const { key, cert, remove } = makeCertificates(name);
    remove();
    return { key, cert };
  };
  const httpServers = createHttpServers();
  const { listener } = agentNamed("agent");
  httpServers.serve(config, undefined, listener);
  const port = await portOf(httpServers);
  const plain = clientOf(connect(port, "127.0.0.1"));
  await plain.ask(request);
  const secure = async () => {
    const socket = connectTls({ port, host: "127.0.0.1", rejectUnauthorized: false });
    await once(socket, "secureConnect");
    return { client: clientOf(socket), name: socket.getPeerCertificate().subject.CN };
  };
  httpServers.serve(config, filesOf("one"), listener);
  const one = await secure();
  httpServers.serve(config, filesOf("two"), listener);
  const two = await secure();
  expect([one.name, two.name]).toEqual(["one", "two"]);
  for (const { client } of [one, two]) expect(await client.ask(request)).toMatch(/agent$/);
  await expect.poll(() => plain.isOver).toBe(true);
});
