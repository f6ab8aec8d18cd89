// The configured gateways: one upload to one of them, and which of them is asked (agent document, B.5).

import { readFileSync } from "node:fs";
import { Agent, type Dispatcher, ProxyAgent, request } from "undici";

export interface Upload {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
}

export interface UploadAnswer {
  /** The HTTP status, or the name of the network failure. */
  readonly status: number | string;
  /** What the gateway asks for in `Retry-After`. */
  readonly retryAfterMs: number | undefined;
  /** The beginning of the answer's body. */
  readonly text: string;
}

export interface Gateway {
  /** `https://host:port`, without token. */
  readonly origin: string;
  post(upload: Upload): Promise<UploadAnswer>;
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

const longestText = 1000;
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
    post: async ({ path, headers, body }) => {
      const url = new URL(path, base.origin);
      url.search = base.search;
      url.searchParams.sort();
      try {
        const response = await request(url, {
          method: "POST",
          headers,
          body,
          dispatcher,
          signal: AbortSignal.timeout(timeoutMs),
        });
        const text = await beginning(response.body);
        return { status: response.statusCode, retryAfterMs: retryAfter(response.headers["retry-after"]), text };
      } catch (error) {
        return { status: networkFailure(error), retryAfterMs: undefined, text: "" };
      }
    },
  };
}

/** The first characters of a body; the rest is read and thrown away, so that the connection can be used again. */
async function beginning(body: AsyncIterable<Uint8Array>): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  for await (const chunk of body) if (text.length < longestText) text += decoder.decode(chunk, { stream: true });
  return text.slice(0, longestText);
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
