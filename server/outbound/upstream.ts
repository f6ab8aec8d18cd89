// Requests to the services behind this one: one request and its whole answer.

import { readFileSync } from "node:fs";
import { Agent, type Dispatcher, ProxyAgent, request } from "undici";
import { type Lane, openPipelinedConnection } from "./pipelined-connection.ts";

export interface UpstreamOptions {
  readonly timeoutMs: number;
  /** `http(s)://[user:password@]host:port`; empty = none. */
  readonly proxy: string;
  /** File of certificate authorities (PEM); empty = those of the system. */
  readonly caFile: string;
  /** Take any certificate. */
  readonly insecure: boolean;
  /** To one origin at once; 0 = no limit. */
  readonly connections?: number;
  /** Requests of one lane before the first is answered; 1 when absent, and through a proxy. */
  readonly laneDepth?: number;
}

export interface UpstreamRequest {
  readonly method: string;
  readonly url: URL | string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array | undefined;
  /**
   * Requests of one lane to one origin share a connection and are begun in the order of the calls, up to `laneDepth` before the first
   * is answered; they may arrive twice.
   */
  readonly lane?: string;
}

export interface UpstreamAnswer {
  /** The HTTP status, or the name of the network failure. */
  readonly status: number | string;
  /** What happened, of a network failure that has no name of its own; one line without secrets. */
  readonly cause?: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** What the service asks for in `Retry-After`. */
  readonly retryAfterMs: number | undefined;
  readonly bytes: Uint8Array;
  /** Whether the body has certainly left this process, however early the answer came. Only lanes can tell. */
  readonly isSent: () => boolean;
}

export interface Upstream {
  /** Never rejects. */
  send(request: UpstreamRequest): Promise<UpstreamAnswer>;
  /** 1: one at a time. */
  readonly laneDepth: number;
  close(): Promise<void>;
}

/** Of an answer; a longer one counts as a failure. */
const maxAnswerBytes = 32 * 1024 * 1024;

export function openUpstream({
  timeoutMs,
  proxy,
  caFile,
  insecure,
  connections = 0,
  laneDepth: wantedDepth = 1,
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
  // What a proxy makes of requests before it has answered others is unknown.
  const laneDepth = proxy === "" ? wantedDepth : 1;
  const lanes = new Map<string, Lane>();
  const laneOf = (name: string, { origin }: URL): Lane => {
    const key = `${name} ${origin}`;
    let lane = lanes.get(key);
    if (lane === undefined)
      lanes.set(key, (lane = openPipelinedConnection(origin, { timeoutMs, depth: laneDepth, tls })));
    return lane;
  };
  return {
    send: async ({ method, url, headers, body, lane: name }) => {
      const lane = name === undefined || laneDepth === 1 ? undefined : laneOf(name, new URL(url));
      // In a lane each answer has its own time, those before it wait for theirs.
      const how =
        lane === undefined
          ? { dispatcher: shared, signal: AbortSignal.timeout(timeoutMs) }
          : { dispatcher: lane.client, idempotent: true, blocking: false };
      try {
        const response = await request(url, {
          method: method as Dispatcher.HttpMethod,
          headers,
          body: body ?? null,
          ...how,
        });
        const bytes = await collect(response.body, timeoutMs);
        const after = retryAfter(response.headers["retry-after"]);
        const status = response.statusCode;
        const isSent = lane?.mark() ?? never;
        return { status, headers: response.headers, retryAfterMs: after, bytes, isSent };
      } catch (error) {
        const failure = networkFailure(error);
        return { ...failure, headers: {}, retryAfterMs: undefined, bytes: new Uint8Array(), isSent: never };
      }
    },
    laneDepth,
    close: async () => {
      const all = [shared, ...Array.from(lanes.values(), ({ client }) => client)];
      await Promise.all(all.map((dispatcher) => dispatcher.destroy()));
    },
  };
}

const never = () => false;

/** Each part has `bodyTimeout`; all of them together have as long, or one byte at a time would hold a lane for good. */
async function collect(body: AsyncIterable<Uint8Array>, timeoutMs: number): Promise<Uint8Array> {
  const began = performance.now();
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body) {
    size += chunk.length;
    if (size > maxAnswerBytes) throw new Error("the answer is too large");
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
      // A certificate's names stand in it: what the other side has chosen.
      return {
        status: "unknown",
        cause: (cause?.message || message || name).replace(/\p{Cc}+/gu, " ").slice(0, longestCause),
      };
  }
}
