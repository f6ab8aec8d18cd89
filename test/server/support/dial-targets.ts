// The servers that dial tests connect to (HTTP, TCP, WebSocket and a proxy), and programs that replace ping and
// traceroute.

import { chmodSync, mkdtempSync, writeFileSync } from "node:fs";
import { createServer as createHttp, type IncomingMessage } from "node:http";
import { type AddressInfo, connect, createServer as createTcp, type Server } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { WebSocketServer } from "ws";

export interface Seen {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingMessage["headers"];
  readonly body: string;
}

export interface Targets {
  readonly http: string;
  readonly tcpPort: number;
  readonly websocket: string;
  readonly proxy: string;
  /** The requests that the HTTP server received, in order. */
  readonly seen: Seen[];
  /** The requests that the proxy received, in order. */
  readonly proxied: string[];
  close(): Promise<void>;
}

export async function startTargets(): Promise<Targets> {
  const seen: Seen[] = [];
  const proxied: string[] = [];
  let flakyCalls = 0;
  const http = createHttp(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    seen.push({
      method: request.method!,
      url: request.url!,
      headers: request.headers,
      body: Buffer.concat(chunks).toString(),
    });
    const { pathname } = new URL(request.url!, "http://x");
    if (pathname === "/redirect") response.writeHead(302, { location: "/ok" }).end();
    else if (pathname === "/flaky") response.writeHead(flakyCalls++ % 3 === 2 ? 200 : 500).end("flaky");
    else if (pathname === "/token") response.writeHead(200, { "x-kind": "token" }).end('{"token":"t-1"}');
    else if (pathname === "/silent") request.socket.setTimeout(0);
    else if (pathname === "/large") response.writeHead(200).end("x".repeat(200_000));
    else response.writeHead(200, { "x-kind": "plain", "set-cookie": ["a=1", "b=2"] }).end("hello world");
  });
  const tcp = createTcp((socket) => {
    socket.on("error", () => {});
    socket.on("data", (data) => socket.write(`echo ${data}`));
  });
  const websocketHttp = createHttp();
  const websockets = new WebSocketServer({ server: websocketHttp });
  websockets.on("headers", (headers) => headers.push("X-Kind: socket"));
  websockets.on("connection", (socket, { url }) => {
    if (url === "/greeting") socket.send("hello");
    socket.on("message", (data) => socket.send(`echo ${data}`));
  });
  // Sends the answer to the WebSocket upgrade and the first message (the greeting) in one packet, as a fast server may
  // do.
  websocketHttp.prependListener("upgrade", (_request, socket) => {
    socket.cork();
    setImmediate(() => socket.uncork());
  });
  const proxy = createHttp((request, response) => {
    proxied.push(`${request.method} ${request.url} ${request.headers["x-proxy"] ?? ""}`);
    response.writeHead(200).end("from the proxy");
  });
  proxy.on("connect", (request, socket) => {
    proxied.push(`CONNECT ${request.url}`);
    const [, port] = request.url!.split(":");
    const onward = connect(Number(port), "127.0.0.1", () => {
      socket.write("HTTP/1.1 200 OK\r\n\r\n");
      socket.pipe(onward).pipe(socket);
    });
    onward.on("error", () => socket.destroy());
  });
  const servers = [http, tcp, websocketHttp, proxy];
  const [httpPort, tcpPort, websocketPort, proxyPort] = await Promise.all(servers.map(listen));
  return {
    http: `http://127.0.0.1:${httpPort}`,
    tcpPort,
    websocket: `ws://127.0.0.1:${websocketPort}`,
    proxy: `http://127.0.0.1:${proxyPort}`,
    seen,
    proxied,
    close: async () => {
      for (const client of websockets.clients) client.terminate();
      for (const server of servers) {
        if ("closeAllConnections" in server) (server as ReturnType<typeof createHttp>).closeAllConnections();
        server.close();
      }
    },
  };
}

function listen(server: Server): Promise<number> {
  return new Promise((resolve) => {
    server.listen(0, "127.0.0.1", () => resolve((server.address() as AddressInfo).port));
  });
}

/**
 * Makes a folder of programs. `texts` has the name of each program and what the program prints to standard output. Each
 * program also writes its arguments to a file, which `args` reads.
 */
export function programs(texts: Readonly<Record<string, string>>): {
  readonly folder: string;
  args(name: string): string;
} {
  const folder = mkdtempSync(path.join(tmpdir(), "millrace-programs-"));
  for (const [name, text] of Object.entries(texts)) {
    const file = path.join(folder, name);
    writeFileSync(`${file}.txt`, text);
    writeFileSync(file, `#!/bin/sh\necho "$@" > "${file}.args"\n/bin/cat "${file}.txt"\n`);
    chmodSync(file, 0o755);
  }
  return { folder, args: (name) => path.join(folder, `${name}.args`) };
}
