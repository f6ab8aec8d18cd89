// Sends one HTTP request of a dial test and measures the time of each step, such as DNS lookup and connect. Does not
// follow redirects.

import { once } from "node:events";
import { type IncomingMessage, type OutgoingHttpHeaders, request } from "node:http";
import type { Socket } from "node:net";
import { ignoreErrors, openSocket, openTls, type TlsOptions } from "./connect.ts";
import { monotonic } from "./context.ts";
import type { Network } from "./networks.ts";

export interface ProxyServer {
  readonly url: URL;
  readonly headers: OutgoingHttpHeaders;
}

export interface Exchange {
  readonly method: string;
  readonly url: URL;
  readonly headers: OutgoingHttpHeaders;
  readonly body: Uint8Array | undefined;
  readonly tls: TlsOptions;
  readonly proxy: ProxyServer | undefined;
}

/** Times of the steps of an HTTP request in microseconds; 0 for a step that did not happen. */
export interface Timing {
  readonly dns: number;
  readonly connection: number;
  readonly ssl: number;
  readonly ttfb: number;
  readonly download: number;
}

export interface Exchanged {
  readonly status: number;
  readonly statusText: string;
  /** The response headers by lower-case name, each with all of its values in the order in which they arrived. */
  readonly headers: ReadonlyMap<string, readonly string[]>;
  readonly body: Buffer;
  /** The IP address to which the HTTP request was sent. */
  readonly address: string;
  readonly protocol: string;
  readonly timing: Timing;
}

const maxBodyBytes = 32 * 1024 * 1024;

/** Sends an HTTP request and returns the response. Rejects when no complete response arrives. */
export async function exchange(asked: Exchange, network: Network, signal: AbortSignal): Promise<Exchanged> {
  const { url, proxy, tls } = asked;
  const dialed = proxy?.url ?? url;
  const watch = stopwatch();
  const addresses = await network.resolve(dialed.hostname);
  // So far, only the address of the proxy was checked. But the proxy opens the connection to the target, so the
  // address of the target must be checked, too.
  if (proxy !== undefined) await network.resolve(url.hostname);
  const dns = watch();
  const open: Socket[] = [];
  try {
    let socket = await openSocket(addresses, portOf(dialed), signal);
    open.push(socket);
    const address = socket.remoteAddress ?? "";
    const connection = watch();
    if (proxy !== undefined && proxy.url.protocol === "https:") {
      socket = await openTls(socket, bare(proxy.url.hostname), tls, signal);
      open.push(socket);
    }
    if (proxy !== undefined && url.protocol === "https:") await openTunnel(socket, url, proxy, signal);
    if (url.protocol === "https:") {
      socket = await openTls(socket, bare(url.hostname), tls, signal);
      open.push(socket);
    }
    const ssl = url.protocol === "https:" ? watch() : 0;
    const response = await ask(socket, asked, signal);
    const ttfb = watch();
    const body = await bodyOf(response, signal);
    const timing = { dns, connection, ssl, ttfb, download: watch() };
    return {
      status: response.statusCode!,
      statusText: response.statusMessage ?? "",
      headers: headersOf(response.rawHeaders),
      body,
      address,
      protocol: `HTTP/${response.httpVersion}`,
      timing,
    };
  } finally {
    for (const socket of open) socket.destroy();
  }
}

/** Returns a stopwatch, which is a function that returns the microseconds since its previous call. */
function stopwatch(): () => number {
  let last = monotonic();
  return () => {
    const now = monotonic();
    const micros = Number(now - last) / 1000;
    last = now;
    return micros;
  };
}

export function portOf(url: URL): number {
  return Number(url.port) || (url.protocol === "https:" || url.protocol === "wss:" ? 443 : 80);
}

function bare(hostname: string): string {
  return hostname.replace(/^\[(.*)\]$/, "$1");
}

async function openTunnel(socket: Socket, url: URL, proxy: ProxyServer, signal: AbortSignal): Promise<void> {
  const authority = `${url.hostname}:${portOf(url)}`;
  const tunnel = request({
    method: "CONNECT",
    path: authority,
    headers: { host: authority, ...proxyHeaders(proxy) },
    createConnection: () => socket,
  });
  ignoreErrors(tunnel);
  tunnel.end();
  const [response] = (await once(tunnel, "connect", { signal })) as [IncomingMessage];
  if (response.statusCode !== 200) throw new Error(`the proxy answers ${response.statusCode} to CONNECT ${authority}`);
}

function proxyHeaders({ url, headers }: ProxyServer): OutgoingHttpHeaders {
  if (url.username === "") return headers;
  const pair = `${decodeURIComponent(url.username)}:${decodeURIComponent(url.password)}`;
  return { "proxy-authorization": `Basic ${Buffer.from(pair).toString("base64")}`, ...headers };
}

async function ask(
  socket: Socket,
  { method, url, headers, body, proxy }: Exchange,
  signal: AbortSignal,
): Promise<IncomingMessage> {
  const throughProxy = proxy !== undefined && url.protocol === "http:";
  const sent = request({
    method,
    path: throughProxy ? url.origin + url.pathname + url.search : url.pathname + url.search,
    headers: {
      host: url.host,
      ...headers,
      ...(throughProxy ? proxyHeaders(proxy) : {}),
      ...(body === undefined ? {} : { "content-length": body.length }),
      connection: "close",
    },
    createConnection: () => socket,
  });
  ignoreErrors(sent);
  sent.end(body);
  const [response] = (await once(sent, "response", { signal })) as [IncomingMessage];
  ignoreErrors(response);
  return response;
}

async function bodyOf(response: IncomingMessage, signal: AbortSignal): Promise<Buffer> {
  const stop = () => response.destroy(signal.reason);
  signal.addEventListener("abort", stop, { once: true });
  try {
    const chunks: Buffer[] = [];
    let size = 0;
    for await (const chunk of response as AsyncIterable<Buffer>) {
      size += chunk.length;
      if (size > maxBodyBytes) throw new Error(`the response body is larger than ${maxBodyBytes} bytes`);
      chunks.push(chunk);
    }
    return Buffer.concat(chunks);
  } finally {
    signal.removeEventListener("abort", stop);
  }
}

/** Returns the response headers with their names in the usual spelling, such as `Content-Type`. */
export function headerObject(headers: Exchanged["headers"]): Record<string, readonly string[]> {
  return Object.fromEntries(
    [...headers].map(([name, values]) => [name.replace(/(?:^|-)[a-z]/g, (letter) => letter.toUpperCase()), values]),
  );
}

function headersOf(raw: readonly string[]): Map<string, string[]> {
  const headers = new Map<string, string[]>();
  for (let at = 0; at < raw.length; at += 2) {
    const name = raw[at].toLowerCase();
    const values = headers.get(name);
    if (values === undefined) headers.set(name, [raw[at + 1]]);
    else values.push(raw[at + 1]);
  }
  return headers;
}
