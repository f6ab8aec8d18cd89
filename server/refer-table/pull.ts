// Downloads the reference tables once (docs/reference/function-rules.md#reference-tables): sends a GET request
// with the version of the current tables, and parses the answer while it arrives. After a failure it returns the
// reason, and the current tables stay in use.

import { createHash } from "node:crypto";
import { JsonError, readReferTables } from "../../lib/refer-table/index.ts";
import { backoffMs, pauses } from "../time/backoff.ts";
import type { Known, Loading, Stored, TableStore } from "./store.ts";

export type Pulled =
  | {
      readonly kind: "loaded";
      readonly stored: Stored;
      readonly warnings: readonly string[];
      readonly bytes: number;
      readonly known: Known;
    }
  | { readonly kind: "unchanged" }
  | { readonly kind: "failed"; readonly reasons: readonly string[] };

export interface PullOptions {
  readonly url: URL;
  /** The largest size of the downloaded document in bytes, after decompression. */
  readonly maxBytes: number;
  readonly known: Known | null;
  readonly store: Pick<TableStore, "begin">;
  readonly fetch: typeof fetch;
  readonly sleep: (ms: number) => Promise<void>;
  /** Called at intervals during the download with the number of bytes read so far. */
  readonly onProgress?: (bytes: number) => void;
}

const timeoutMs = 60_000;
const mostRetries = 3;
const longestWaitMs = 60_000;
const progressBytes = 64 * 1024 * 1024;

/** Thrown when a download has failed for a reason that may pass, so another try may succeed. */
class Passing extends Error {
  readonly waitMs: number | undefined;
  constructor(message: string, waitMs?: number) {
    super(message);
    this.waitMs = waitMs;
  }
}

/** Thrown when a download has failed and every further try would fail, too. */
class Lasting extends Error {}

export async function pullTables(options: PullOptions): Promise<Pulled> {
  for (let attempt = 0; ; attempt++) {
    try {
      return await attemptPull(options);
    } catch (error) {
      if (error instanceof Lasting || error instanceof JsonError) return { kind: "failed", reasons: [error.message] };
      const reason = error instanceof Passing ? error.message : `url: ${shown(options.url)}, ${reasonOf(error)}`;
      if (attempt === mostRetries) return { kind: "failed", reasons: [reason] };
      const wait = backoffMs(pauses.referTable, attempt + 1);
      await options.sleep(error instanceof Passing ? Math.max(wait, error.waitMs ?? 0) : wait);
    }
  }
}

async function attemptPull(options: PullOptions): Promise<Pulled> {
  const { url, known, fetch: send } = options;
  const { target, headers } = requestOf(url, known);
  const answer = await send(target, { headers, signal: AbortSignal.timeout(timeoutMs) });
  if (answer.status === 304) return { kind: "unchanged" };
  if (answer.status !== 200) {
    await answer.body?.cancel();
    const message = `url: ${shown(url)}, status: ${answer.status} ${answer.statusText}`.trimEnd();
    const passes = [408, 429].includes(answer.status) || (answer.status >= 500 && answer.status !== 501);
    throw passes ? new Passing(message, retryAfter(answer)) : new Lasting(message);
  }
  const type = answer.headers.get("content-type") ?? "";
  if (type.split(";")[0].trim().toLowerCase() !== "application/json") {
    await answer.body?.cancel();
    throw new Lasting(`url: ${shown(url)}, content type must be application/json, got ${JSON.stringify(type)}`);
  }
  const loading = options.store.begin();
  try {
    const pulled = await load(answer, loading, options);
    if (pulled.kind !== "loaded") loading.abort();
    return pulled;
  } catch (error) {
    loading.abort();
    throw error;
  }
}

async function load(answer: Response, loading: Loading, options: PullOptions): Promise<Pulled> {
  const { url, maxBytes, known, onProgress } = options;
  const document = readReferTables(loading.sink);
  const digest = createHash("sha256");
  let bytes = 0;
  let reported = 0;
  for await (const piece of answer.body ?? []) {
    bytes += piece.length;
    if (bytes > maxBytes) throw new Lasting(`url: ${shown(url)}, the document is larger than ${maxBytes} bytes`);
    digest.update(piece);
    document.push(piece);
    if (bytes - reported >= progressBytes) {
      reported = bytes;
      onProgress?.(bytes);
    }
  }
  const hex = digest.digest("hex");
  if (hex === known?.digest) return { kind: "unchanged" };
  const read = document.end();
  if ("errors" in read) return { kind: "failed", reasons: read.errors };
  const { headers } = answer;
  const next = { etag: headers.get("etag"), lastModified: headers.get("last-modified"), digest: hex };
  return { kind: "loaded", stored: loading.commit(next), warnings: read.warnings, bytes, known: next };
}

/**
 * Builds the request for the reference tables. User and password of the URL are sent in a header. When the version of
 * the current tables is known, it is sent too, so that the server answers with the tables only if they have changed.
 */
function requestOf(url: URL, known: Known | null): { target: URL; headers: Record<string, string> } {
  const headers: Record<string, string> = { accept: "application/json" };
  const target = new URL(url);
  if (url.username !== "" || url.password !== "") {
    const pair = `${decodeURIComponent(url.username)}:${decodeURIComponent(url.password)}`;
    headers.authorization = `Basic ${Buffer.from(pair).toString("base64")}`;
    target.username = "";
    target.password = "";
  }
  if (known?.etag != null) headers["if-none-match"] = known.etag;
  if (known?.lastModified != null) headers["if-modified-since"] = known.lastModified;
  return { target, headers };
}

/** Returns the delay in the header `Retry-After` (in seconds) as milliseconds. */
function retryAfter(answer: Response): number | undefined {
  const seconds = Number(answer.headers.get("retry-after") ?? Number.NaN);
  return Number.isFinite(seconds) ? Math.min(seconds * 1000, longestWaitMs) : undefined;
}

/** Returns the URL without user and password, for messages. */
function shown(url: URL): string {
  const bare = new URL(url);
  bare.username = "";
  bare.password = "";
  return bare.href;
}

function reasonOf(error: unknown): string {
  const { message, cause } = error as Error & { cause?: Error };
  return cause?.message ?? message;
}
