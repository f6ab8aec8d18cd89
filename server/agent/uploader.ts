// Forwards points to the gateway (agent document, B.5): one POST of line protocol per batch and configured URL.
//
// What is kept on failure: a batch that met a network error, a timeout, a 5xx or another odd status waits in memory and
// is sent again until it gets through, oldest first. The waiting batches of one URL are bounded
// (`gateway.retry_buffer_bytes`); beyond that the oldest are dropped and counted. A 4xx drops the batch at once. What
// waits in memory is lost when the process ends, but for what a last attempt at closing gets through: durability is
// the disk queue's work, which takes this Outlet's place.

import { randomUUID } from "node:crypto";
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import type { Log } from "../http/log.ts";
import { version } from "../http/version.ts";
import type { Batch } from "./protocol.ts";

/** Where the points of a write go. */
export interface Outlet {
  /** Resolves when the points are accepted: they are this side's business from here on. Never rejects. */
  put(batches: readonly Batch[], storageIndex?: string): Promise<void>;
  close(): Promise<void>;
}

export interface UploadEvents {
  sent(batch: Batch, status: number | string, seconds: number, bytes: number): void;
  /** `reason`: `write point 4xx`, `buffer full`, `closed`. */
  dropped(batch: Batch, reason: string): void;
  retried(batch: Batch, status: number | string): void;
  /** Bytes that wait, all URLs together. */
  waiting(bytes: number): void;
}

export interface UploaderOptions {
  readonly urls: readonly string[];
  readonly timeoutMs: number;
  readonly retryDelayMs: number;
  readonly gzip: boolean;
  readonly bufferBytes: number;
  readonly host: string;
  readonly log: Log;
  readonly events: UploadEvents;
}

interface Parcel {
  readonly batch: Batch;
  readonly body: Uint8Array;
  readonly headers: Readonly<Record<string, string>>;
}

const compress = promisify(gzip);
const sendersPerUrl = 2;
const longestDelayMs = 60_000;
const closingMs = 5_000;

export function createUploader(options: UploaderOptions): Outlet {
  let waitingBytes = 0;
  const account = (bytes: number) => {
    waitingBytes += bytes;
    options.events.waiting(waitingBytes);
  };
  const lines = options.urls.map((url) => createLine(new URL(url), options, account));
  return {
    put: async (batches, storageIndex) => {
      for (const batch of batches) {
        const parcel = await pack(batch, options, storageIndex);
        for (const line of lines) line.push(parcel);
      }
    },
    close: async () => {
      await Promise.all(lines.map((line) => line.close()));
    },
  };
}

async function pack(batch: Batch, options: UploaderOptions, storageIndex: string | undefined): Promise<Parcel> {
  const headers: Record<string, string> = {
    "content-type": "application/line-protocol",
    "user-agent": `agent-${process.platform}-${process.arch}/${version}/${options.host}`,
    "x-points": String(batch.points),
    referer: "Agent",
  };
  if (options.gzip) headers["content-encoding"] = "gzip";
  if (storageIndex !== undefined) headers["x-storage-index-name"] = storageIndex;
  return { batch, headers, body: options.gzip ? await compress(batch.body) : batch.body };
}

/** The waiting parcels of one URL and their senders. While the gateway is away, one sender probes it at growing intervals. */
function createLine(base: URL, options: UploaderOptions, account: (bytes: number) => void) {
  const { log, events } = options;
  const parcels: Parcel[] = [];
  let bytes = 0;
  let active = 0;
  let failures = 0;
  let backingOff: NodeJS.Timeout | undefined;
  let closing = false;

  const grow = (by: number) => {
    bytes += by;
    account(by);
  };

  const take = (): Parcel => {
    const parcel = parcels.shift()!;
    grow(-parcel.body.length);
    return parcel;
  };

  const keep = (parcel: Parcel, atFront: boolean) => {
    if (atFront) parcels.unshift(parcel);
    else parcels.push(parcel);
    grow(parcel.body.length);
    while (bytes > options.bufferBytes) {
      const { batch } = take();
      events.dropped(batch, "buffer full");
      log.error(`gateway ${base.host}: ${batch.points} points of ${batch.category} dropped, the retry buffer is full`);
    }
  };

  const pump = (): void => {
    if (backingOff !== undefined) return;
    while (active < (failures > 0 ? 1 : sendersPerUrl) && parcels.length > 0) {
      active++;
      void attempt(take()).finally(() => {
        active--;
        if (!(closing && failures > 0)) pump();
      });
    }
  };

  const attempt = async (parcel: Parcel): Promise<void> => {
    const { batch } = parcel;
    const began = performance.now();
    const status = await post(base, parcel, options.timeoutMs);
    events.sent(batch, status, (performance.now() - began) / 1000, parcel.body.length);
    if (typeof status === "number" && status >= 200 && status < 500 && !(status >= 300 && status < 400)) {
      if (failures > 0) log.info(`gateway ${base.host}: reachable again`);
      failures = 0;
      if (status < 300) return;
      events.dropped(batch, "write point 4xx");
      log.error(`gateway ${base.host}: ${batch.points} points of ${batch.category} refused with ${status}, dropped`);
      return;
    }
    if (failures === 0) log.warn(`gateway ${base.host}: ${status}; points wait in memory and are sent again`);
    const delay = Math.min(options.retryDelayMs * 2 ** Math.min(failures, 16), longestDelayMs) + Math.random() * 100;
    failures++;
    events.retried(batch, status);
    keep(parcel, true);
    if (closing) return;
    clearTimeout(backingOff);
    backingOff = setTimeout(() => {
      backingOff = undefined;
      pump();
    }, delay);
    backingOff.unref();
  };

  return {
    push: (parcel: Parcel) => {
      keep(parcel, false);
      pump();
    },
    /** Sends what waits, once more, within five seconds. */
    close: async () => {
      clearTimeout(backingOff);
      backingOff = undefined;
      failures = 0;
      closing = true;
      pump();
      const deadline = performance.now() + closingMs;
      while (active > 0 && performance.now() < deadline) await new Promise((resolve) => setTimeout(resolve, 20));
      for (const { batch } of parcels) events.dropped(batch, "closed");
      if (parcels.length > 0)
        log.error(`gateway ${base.host}: ${parcels.length} batches could not be sent before the end`);
    },
  };
}

/** The HTTP status, or the name of the network failure. */
async function post(base: URL, parcel: Parcel, timeoutMs: number): Promise<number | string> {
  const url = new URL(`/v1/write/${parcel.batch.category}`, base);
  url.search = base.search;
  url.searchParams.sort();
  try {
    const response = await fetch(url, {
      method: "POST",
      headers: { ...parcel.headers, "x-pkg-id": `ag_${randomUUID()}` },
      body: parcel.body as Uint8Array<ArrayBuffer>,
      redirect: "manual",
      signal: AbortSignal.timeout(timeoutMs),
    });
    await response.arrayBuffer();
    return response.status;
  } catch (error) {
    return networkFailure(error);
  }
}

function networkFailure(error: unknown): string {
  const { name, cause } = error as { name?: string; cause?: { code?: string } };
  if (name === "TimeoutError") return "timeout";
  switch (cause?.code) {
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
