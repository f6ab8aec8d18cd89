// Sends HTTP requests to upstream services. Returns each answer together with its complete body.

import { readFileSync } from "node:fs";
import { Agent, type Dispatcher, ProxyAgent, request } from "undici";
import { PipelinedConnection } from "./pipelined-connection.ts";

export interface UpstreamOptions {
  readonly timeoutMs: number;
  /** URL of the proxy, as `http(s)://[user:password@]host:port`; empty = no proxy. */
  readonly proxy: string;
  /** Path of a file with certificate authorities (PEM); empty = the authorities of the operating system. */
  readonly caFile: string;
  /** Whether the TLS certificate of the service is accepted without being verified. */
  readonly insecure: boolean;
  /** Largest number of connections to one origin (scheme, host and port); 0 = no limit. */
  readonly connections?: number;
  /**
   * Maximum number of requests that may be unanswered at the same time on one pipelined connection; 1 when absent.
   * Through a proxy, the number is always 1.
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
   * The name of a pipelined connection. Requests with the same name to the same origin share one connection, on
   * which they are sent in the order of the calls of `send`. At most `uploadsInFlight` of them are unanswered at
   * the same time. The service may receive such a request twice.
   */
  readonly pipeline?: string;
  /**
   * A signal that cancels the request, for example when the client has disconnected. Has no effect on a pipelined
   * connection.
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
  /**
   * Whether the operating system had taken the whole request when the answer was complete. If not, the memory of the
   * request's body may still be read: a service can answer before it has received the whole body. False for a request
   * that was not sent on a pipelined connection.
   */
  readonly isSent: boolean;
}

export interface Upstream {
  /**
   * Sends a request and resolves with the answer. Never rejects: after a network failure, resolves with an answer
   * that describes the failure.
   */
  send(request: UpstreamRequest): Promise<UpstreamAnswer>;
  /**
   * Maximum number of requests that may be unanswered at the same time on one pipelined connection; 1 = no
   * pipelining.
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
  // Some proxies do not support pipelined requests, so through a proxy only one request is sent at a time.
  const uploadsInFlight = proxy === "" ? wantedDepth : 1;
  const pipelined = new Map<string, PipelinedConnection>();
  const pipelinedTo = (name: string, { origin }: URL): PipelinedConnection => {
    const key = `${name} ${origin}`;
    let connection = pipelined.get(key);
    if (connection === undefined)
      pipelined.set(key, (connection = new PipelinedConnection(origin, { timeoutMs, depth: uploadsInFlight, tls })));
    return connection;
  };
  return {
    send: async ({ method, url, headers, body, pipeline: name, signal }) => {
      const connection = name === undefined || uploadsInFlight === 1 ? undefined : pipelinedTo(name, new URL(url));
      // A request on a pipelined connection gets no abort signal. Its timeout must begin only when the previous answer
      // has ended, but an abort signal would limit the time from the start of the request.
      const how =
        connection === undefined
          ? {
              dispatcher: shared,
              signal: AbortSignal.any([AbortSignal.timeout(timeoutMs), ...(signal ? [signal] : [])]),
            }
          : { dispatcher: connection.client, idempotent: true, blocking: false };
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
        const isSent = connection?.isDrained === true;
        return { status, headers: response.headers, retryAfterMs: after, bytes, isSent };
      } catch (error) {
        const failure = networkFailure(error);
        return { ...failure, headers: {}, retryAfterMs: undefined, bytes: new Uint8Array(), isSent: false };
      }
    },
    uploadsInFlight,
    close: async () => {
      const all = [shared, ...Array.from(pipelined.values(), ({ client }) => client)];
      await Promise.all(all.map((dispatcher) => dispatcher.destroy()));
    },
  };
}

/**
 * Reads the body of an answer. Undici's `bodyTimeout` limits only the pauses between parts; `timeoutMs` limits
 * the time for the whole body. Without `timeoutMs`, a body that arrives one byte at a time could block a
 * pipelined connection forever. Throws when the body is too large or too slow.
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
      // Control characters are removed from the message of a TLS error. The message may quote names from the
      // certificate, which the upstream server has chosen.
      return {
        status: "unknown",
        cause: (cause?.message || message || name).replace(/\p{Cc}+/gu, " ").slice(0, longestCause),
      };
  }
}
