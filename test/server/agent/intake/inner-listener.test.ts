// The socket over which intake processes (processes that accept writes beside the main process) pass requests to the
// main process. A client that does not know the secret gets no answer.

import { createHash, randomBytes } from "node:crypto";
import { once } from "node:events";
import { existsSync, statSync } from "node:fs";
import { createServer, type RequestListener } from "node:http";
import { createServer as createSecureServer } from "node:https";
import { connect } from "node:net";
import path from "node:path";
import { setImmediate } from "node:timers/promises";
import { beforeEach, expect, it, onTestFinished } from "vitest";
import { type InnerListener, openInnerListener } from "../../../../server/agent/intake/inner-listener.ts";

let listener: InnerListener;
let reached: (readonly [remoteAddress: string | undefined, remotePort: number | undefined])[];

beforeEach(async () => {
  reached = [];
  const server = createServer((request, response) => {
    reached.push([request.socket.remoteAddress, request.socket.remotePort]);
    response.end("here");
  });
  listener = await openInnerListener(server, false);
  onTestFinished(() => listener.close());
});

/** Returns all bytes that the server sends until it closes the connection. */
async function said(...parts: string[]): Promise<string> {
  const socket = connect(listener.inner.path);
  let text = "";
  socket.on("data", (chunk) => {
    text += chunk;
  });
  socket.on("error", () => {});
  for (const part of parts) await new Promise((resolve) => socket.write(part, resolve));
  await once(socket, "close");
  return text;
}

const request = "GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";

const greeting = (address: string) => `${listener.inner.secret} ${address}\n`;

it.each([
  ["in a chunk of its own", (line: string) => [line, request]],
  ["together with the request", (line: string) => [line + request]],
  ["together with a part of the request", (line: string) => [line + request.slice(0, 20), request.slice(20)]],
  ["in parts", (line: string) => [line.slice(0, 40), line.slice(40) + request.slice(0, 1), request.slice(1)]],
])(
  "passes a connection to the server, with the client address from its first line, which comes %s",
  async (_how, parts) => {
    expect(await said(...parts(greeting("192.0.2.7 4711")))).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
    expect(reached).toEqual([["192.0.2.7", 4711]]);
  },
);

it("sets no client address when the first line names none", async () => {
  expect(await said(greeting(" 0") + request)).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
  expect(reached).toEqual([[undefined, 0]]);
});

it.each([
  ["plain", false],
  ["secure", true],
])("passes on each byte of a %s connection, however many come with the first line", async (_how, isTls) => {
  const answer: RequestListener = async (request, response) => {
    const digest = createHash("sha1");
    for await (const chunk of request) digest.update(chunk);
    response.end(`${digest.digest("hex")} ${"encrypted" in request.socket}`);
  };
  const server = isTls ? createSecureServer(answer) : createServer(answer);
  const main = await openInnerListener(server, isTls);
  onTestFinished(() => main.close());
  const body = randomBytes(300_000);
  const head = `POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: ${body.length}\r\n\r\n`;
  const bytes = Buffer.concat([Buffer.from(`${main.inner.secret} 192.0.2.7 4711\n${head}`), body]);
  for (const first of [80, 120, 10_000, bytes.length]) {
    const socket = connect(main.inner.path);
    socket.write(bytes.subarray(0, first));
    await setImmediate();
    socket.write(bytes.subarray(first));
    const [answer] = (await once(socket, "data")) as [Buffer];
    expect(answer.toString()).toContain(`${createHash("sha1").update(body).digest("hex")} ${isTls}`);
    socket.destroy();
  }
});

it.each([
  ["a wrong secret", () => [`${"0".repeat(64)} 127.0.0.1 1\n`]],
  ["a wrong secret and a request", () => [`${"0".repeat(64)} 127.0.0.1 1\n`, request]],
  ["a wrong secret and a request in one chunk", () => [`${"0".repeat(64)} 127.0.0.1 1\n${request}`]],
  ["a part of the secret", () => [`${listener.inner.secret.slice(1)} 127.0.0.1 1\n`]],
  ["no secret", () => ["\n"]],
  ["a request", () => [request]],
  ["a line that is too long", () => ["x".repeat(300)]],
  ["a line that is too long, in parts", () => Array.from({ length: 10 }, () => "x".repeat(50))],
  ["the secret behind a line that is too long", () => ["x".repeat(300), `${listener.inner.secret} 127.0.0.1 1\n`]],
])("closes a connection with %s", async (_what, parts) => {
  expect(await said(...parts())).toBe("");
  expect(reached).toEqual([]);
});

it("is a socket in a folder that only this user may enter, and is removed when closed", async () => {
  const folder = path.dirname(listener.inner.path);
  expect(statSync(folder).mode & 0o777).toBe(0o700);
  listener.close();
  expect(existsSync(folder)).toBe(false);
});
