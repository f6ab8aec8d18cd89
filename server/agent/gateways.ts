// The configured gateways: one upload to one of them, and which of them is asked (agent document, B.5).

import { readFileSync } from "node:fs";
import { Agent, type Dispatcher, ProxyAgent, request } from "undici";
import { durationMs } from "../config/go-duration.ts";
import type { Config } from "../config/schema.ts";

export interface GatewayCall {
  readonly method: string;
  readonly path: string;
  /** Added to the query of the configured URL. */
  readonly query?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Uint8Array;
}

export interface GatewayAnswer {
  /** The HTTP status, or the name of the network failure. */
  readonly status: number | string;
  readonly contentType: string;
  /** What the gateway asks for in `Retry-After`. */
  readonly retryAfterMs: number | undefined;
  readonly bytes: Uint8Array;
  /** The header; empty without one. */
  readonly date: string;
}

export interface Gateway {
  /** `https://host:port`, without token. */
  readonly origin: string;
  /** That of the configured URL; empty when it has none. */
  readonly token: string;
  /** Never rejects. */
  call(call: GatewayCall): Promise<GatewayAnswer>;
  /** Notes whether it did its work: one that failed is left out for a time that grows with its failures. */
  note(worked: boolean): void;
  readonly isResting: boolean;
}

export interface GatewayOptions {
  readonly urls: readonly string[];
  readonly timeoutMs: number;
  readonly proxy: string;
  readonly caFile: string;
  readonly insecure: boolean;
}

/** Of an answer; a longer one counts as a failure. */
const maxAnswerBytes = 32 * 1024 * 1024;
const firstRestMs = 1000;
const longestRestMs = 60_000;

export interface Gateways {
  readonly all: readonly Gateway[];
  close(): Promise<void>;
}

export function openGateways(options: GatewayOptions): Gateways {
  const tls = {
    rejectUnauthorized: !options.insecure,
    ...(options.caFile === "" ? {} : { ca: readFileSync(options.caFile) }),
  };
  const common = { headersTimeout: options.timeoutMs, bodyTimeout: options.timeoutMs };
  const dispatcher: Dispatcher =
    options.proxy === ""
      ? new Agent({ ...common, connect: { ...tls, timeout: options.timeoutMs } })
      : new ProxyAgent({ ...common, uri: options.proxy, requestTls: tls, proxyTls: tls });
  return {
    all: options.urls.map((url) => createGateway(new URL(url), dispatcher, options.timeoutMs)),
    close: () => dispatcher.destroy(),
  };
}

/** Undefined when none is configured. */
export function openConfiguredGateways(config: Config): Gateways | undefined {
  const urls = config["gateway.urls"];
  if (urls.length === 0) return undefined;
  return openGateways({
    urls,
    timeoutMs: durationMs(config["gateway.timeout_v2"], 30_000),
    proxy: config["gateway.http_proxy"],
    caFile: config["gateway.tls_ca"],
    insecure: config["gateway.tls_insecure"],
  });
}

function createGateway(base: URL, dispatcher: Dispatcher, timeoutMs: number): Gateway {
  let failures = 0;
  let restsUntil = 0;
  return {
    origin: base.origin,
    note: (worked) => {
      failures = worked ? 0 : failures + 1;
      restsUntil = worked ? 0 : performance.now() + Math.min(firstRestMs * 2 ** (failures - 1), longestRestMs);
    },
    get isResting() {
      return performance.now() < restsUntil;
    },
    token: base.searchParams.get("token") ?? "",
    call: async ({ method, path, query = {}, headers = {}, body }) => {
      const url = new URL(path, base.origin);
      url.search = base.search;
      for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
      url.searchParams.sort();
      try {
        const response = await request(url, {
          method: method as Dispatcher.HttpMethod,
          headers,
          body: body ?? null,
          dispatcher,
          signal: AbortSignal.timeout(timeoutMs),
        });
        const bytes = await collect(response.body);
        const { "content-type": type, "retry-after": after, date } = response.headers;
        return {
          status: response.statusCode,
          contentType: String(type ?? ""),
          retryAfterMs: retryAfter(after),
          bytes,
          date: String(date ?? ""),
        };
      } catch (error) {
        return {
          status: networkFailure(error),
          contentType: "",
          retryAfterMs: undefined,
          bytes: new Uint8Array(),
          date: "",
        };
      }
    },
  };
}

async function collect(body: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body) {
    size += chunk.length;
    if (size > maxAnswerBytes) throw new Error("the answer is too large");
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function retryAfter(header: string | string[] | undefined): number | undefined {
  if (typeof header !== "string") return undefined;
  const ms = /^\d+$/.test(header.trim()) ? Number(header) * 1000 : Date.parse(header) - Date.now();
  return Number.isFinite(ms) && ms > 0 ? ms : undefined;
}

function networkFailure(error: unknown): string {
  const { name, code, cause } = error as { name?: string; code?: string; cause?: { code?: string } };
  if (name === "TimeoutError" || name === "HeadersTimeoutError" || name === "ConnectTimeoutError") return "timeout";
  switch (code ?? cause?.code) {
    case "ECONNREFUSED":
      return "connection-refused";
    case "ECONNRESET":
    case "UND_ERR_SOCKET":
      return "reset-by-pear";
    case "ENETUNREACH":
    case "EHOSTUNREACH":
      return "network-is-unreachable";
    default:
      return "unknown";
  }
}
