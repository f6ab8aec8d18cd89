// The socket over which intake processes (processes that accept writes beside the main process) pass requests to the
// main process. A client that does not know the secret gets no answer.

import { once } from "node:events";
import { existsSync, statSync } from "node:fs";
import { createServer } from "node:http";
import { connect } from "node:net";
import path from "node:path";
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

it("passes a connection with the secret to the server, with the client address from its first line", async () => {
  const socket = connect(listener.inner.path);
  socket.write(`${listener.inner.secret} 192.0.2.7 4711\n`);
  const [welcome] = (await once(socket, "data")) as [Buffer];
  expect(welcome.toString()).toBe("\n");
  socket.write(request);
  const [answer] = (await once(socket, "data")) as [Buffer];
  expect(answer.toString()).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
  socket.destroy();
  expect(reached).toEqual([["192.0.2.7", 4711]]);
});

it("sets no client address when the first line names none", async () => {
  const socket = connect(listener.inner.path);
  socket.write(`${listener.inner.secret}  0\n`);
  await once(socket, "data");
  socket.write(request);
  await once(socket, "data");
  socket.destroy();
  expect(reached).toEqual([[undefined, 0]]);
});

it.each([
  ["a wrong secret", () => [`${"0".repeat(64)} 127.0.0.1 1\n`]],
  ["a wrong secret and a request", () => [`${"0".repeat(64)} 127.0.0.1 1\n`, request]],
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
