// Sends HTTP requests to upstream services and returns each answer with its whole body.

import { readFileSync } from "node:fs";
import { Agent, type Client, type Dispatcher, ProxyAgent, request } from "undici";
import { openPipelinedConnection } from "./pipelined-connection.ts";

export interface UpstreamOptions {
  readonly timeoutMs: number;
  /** URL of the proxy, as `http(s)://[user:password@]host:port`; empty = no proxy. */
  readonly proxy: string;
  /** Path of a file with certificate authorities (PEM); empty = the authorities of the operating system. */
  readonly caFile: string;
  /** Whether the TLS certificate of the service is accepted without a check. */
  readonly insecure: boolean;
  /** Largest number of connections to one origin (scheme, host and port); 0 = no limit. */
  readonly connections?: number;
  /**
   * Largest number of requests of one pipelined connection that are sent before the first one is answered; 1
   * when absent. Through a proxy it is always 1.
   */
  readonly uploadsInFlight?: number;
  /** Largest number of bytes of an answer; a longer answer counts as a failure. 32 MiB when absent. */
  readonly maxAnswerBytes?: number;
}

export interface UpstreamRequest {
  readonly method: string;
  readonly url: URL | string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array | undefined;
  /**
   * Name of a pipelined connection. Requests with the same name to the same origin share the connection. They are sent
   * in the order of the calls. At most `uploadsInFlight` requests are sent before the first of them is answered. A
   * request on such a connection may arrive twice.
   */
  readonly pipeline?: string;
  /**
   * A signal that ends the request, for example when the client has disconnected. Cannot be used on pipelined
   * connections.
   */
  readonly signal?: AbortSignal;
}

export interface UpstreamAnswer {
  /** HTTP status of the answer, or the name of the network failure. */
  readonly status: number | string;
  /** Description of a network failure for which `status` has no name; one line, without secrets. */
  readonly cause?: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** Pause in milliseconds that the service asks for in the header `Retry-After`. */
  readonly retryAfterMs: number | undefined;
  readonly bytes: Uint8Array;
}

export interface Upstream {
  /**
   * Sends a request and resolves with its answer. Never rejects, because a network failure also resolves as an answer.
   */
  send(request: UpstreamRequest): Promise<UpstreamAnswer>;
  /**
   * Largest number of requests of one pipelined connection that are sent and not answered; 1 = one at a time.
   */
  readonly uploadsInFlight: number;
  close(): Promise<void>;
}

/** Largest number of bytes of an answer, unless the options give another number. */
const maxAnswerBytes = 32 * 1024 * 1024;

export function openUpstream({
  timeoutMs,
  proxy,
  caFile,
  insecure,
  connections = 0,
  uploadsInFlight: wantedDepth = 1,
  maxAnswerBytes: longestAnswer = maxAnswerBytes,
}: UpstreamOptions): Upstream {
  const tls = {
    rejectUnauthorized: !insecure,
    ...(caFile === "" ? {} : { ca: readFileSync(caFile) }),
  };
  const common = {
    headersTimeout: timeoutMs,
    bodyTimeout: timeoutMs,
    ...(connections === 0 ? {} : { connections }),
  };
  const shared: Dispatcher =
    proxy === ""
      ? new Agent({ ...common, connect: { ...tls, timeout: timeoutMs } })
      : new ProxyAgent({ ...common, uri: proxy, requestTls: tls, proxyTls: tls });
  // Some proxies may not support pipelined requests, so a proxy gets one request at a time.
  const uploadsInFlight = proxy === "" ? wantedDepth : 1;
  const pipelined = new Map<string, Client>();
  const pipelinedTo = (name: string, { origin }: URL): Client => {
    const key = `${name} ${origin}`;
    let client = pipelined.get(key);
    if (client === undefined)
      pipelined.set(key, (client = openPipelinedConnection(origin, { timeoutMs, depth: uploadsInFlight, tls })));
    return client;
  };
  return {
    send: async ({ method, url, headers, body, pipeline: name, signal }) => {
      const client = name === undefined || uploadsInFlight === 1 ? undefined : pipelinedTo(name, new URL(url));
      // On a pipelined connection, the timeout of an answer begins when the previous answer has ended. So the request
      // gets no abort signal, which would limit its duration from the start.
      const how =
        client === undefined
          ? {
              dispatcher: shared,
              signal: AbortSignal.any([AbortSignal.timeout(timeoutMs), ...(signal ? [signal] : [])]),
            }
          : { dispatcher: client, idempotent: true, blocking: false };
      try {
        const response = await request(url, {
          method: method as Dispatcher.HttpMethod,
          headers,
          body: body ?? null,
          ...how,
        });
        const bytes = await collect(response.body, timeoutMs, longestAnswer);
        const after = retryAfter(response.headers["retry-after"]);
        const status = response.statusCode;
        return { status, headers: response.headers, retryAfterMs: after, bytes };
      } catch (error) {
        const failure = networkFailure(error);
        return { ...failure, headers: {}, retryAfterMs: undefined, bytes: new Uint8Array() };
      }
    },
    uploadsInFlight,
    close: async () => {
      const all = [shared, ...pipelined.values()];
      await Promise.all(all.map((dispatcher) => dispatcher.destroy()));
    },
  };
}

/**
 * Reads the body of an answer. Undici's `bodyTimeout` limits each pause, and `timeoutMs` limits the whole body: without
 * `timeoutMs`, a body that comes byte by byte would block a pipelined connection for ever. Throws when the body is too
 * large or too slow.
 */
async function collect(body: AsyncIterable<Uint8Array>, timeoutMs: number, maxBytes: number): Promise<Uint8Array> {
  const began = performance.now();
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body) {
    size += chunk.length;
    if (size > maxBytes) throw new Error("the answer is too large");
    if (performance.now() - began > timeoutMs) throw new DOMException("the answer takes too long", "TimeoutError");
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function retryAfter(header: string | string[] | undefined): number | undefined {
  if (typeof header !== "string") return undefined;
  const ms = /^\d+$/.test(header.trim()) ? Number(header) * 1000 : Date.parse(header) - Date.now();
  return Number.isFinite(ms) && ms > 0 ? ms : undefined;
}

const longestCause = 200;

function networkFailure(error: unknown): { readonly status: string; readonly cause?: string } {
  const { name, code, message, cause } = error as Error & {
    code?: string;
    cause?: { code?: string; message?: string };
  };
  if (/^(?:|Headers|Body|Connect)TimeoutError$/.test(name ?? "")) return { status: "timeout" };
  switch (code ?? cause?.code) {
    case "ECONNREFUSED":
      return { status: "connection-refused" };
    case "ECONNRESET":
    case "EPIPE":
    case "UND_ERR_SOCKET":
      return { status: "reset-by-pear" };
    case "ENETUNREACH":
    case "EHOSTUNREACH":
      return { status: "network-is-unreachable" };
    default:
      // The message of a TLS error may quote names in the certificate, which the other server has chosen, so control
      // characters are removed.
      return {
        status: "unknown",
        cause: (cause?.message || message || name).replace(/\p{Cc}+/gu, " ").slice(0, longestCause),
      };
  }
}
