// Sends the HTTP requests of one script (docs/reference/functions.md#http_request), with limits on the number of
// simultaneous requests, the time of each request and the size of its answer. Every failure counts as a missing answer.

import type { Fetch } from "./run.ts";

export interface RequestLimits {
  readonly atOnce: number;
  readonly timeoutMs: number;
  /** Largest size of an answer's body in bytes, after decompression. */
  readonly bodyBytes: number;
}

export const defaultRequestLimits: RequestLimits = { atOnce: 16, timeoutMs: 5000, bodyBytes: 8 * 1024 * 1024 };

export interface HttpRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array<ArrayBuffer> | undefined;
}

export interface HttpAnswer {
  readonly status: number;
  readonly body: Uint8Array;
}

export class Requests {
  sent = 0;
  failed = 0;
  private active = 0;
  private readonly waiting = new Set<() => void>();
  private readonly limits: RequestLimits;

  constructor(limits: RequestLimits = defaultRequestLimits) {
    this.limits = limits;
  }

  /**
   * Sends a request. Returns null for every failure. When the signal `deadline` aborts, the request ends, even if it
   * has not been sent yet because too many other requests are in progress.
   */
  async send(fetch: Fetch, request: HttpRequest, deadline?: AbortSignal): Promise<HttpAnswer | null> {
    if (!(await this.takeSlot(deadline))) return null;
    this.sent++;
    try {
      return await this.exchange(fetch, request, deadline);
    } catch {
      this.failed++;
      return null;
    } finally {
      this.active--;
      const [next] = this.waiting;
      next?.();
    }
  }

  /**
   * Waits while too many other requests are in progress. Resolves to true when the request may be sent, or to false
   * when the signal `deadline` aborts first.
   */
  private takeSlot(deadline: AbortSignal | undefined): Promise<boolean> {
    if (deadline?.aborted === true) return Promise.resolve(false);
    if (this.active < this.limits.atOnce) {
      this.active++;
      return Promise.resolve(true);
    }
    return new Promise((resolve) => {
      const finish = (go: boolean) => {
        this.waiting.delete(admit);
        deadline?.removeEventListener("abort", give);
        if (go) this.active++;
        resolve(go);
      };
      const admit = () => finish(true);
      const give = () => finish(false);
      this.waiting.add(admit);
      deadline?.addEventListener("abort", give, { once: true });
    });
  }

  private async exchange(fetch: Fetch, request: HttpRequest, deadline?: AbortSignal): Promise<HttpAnswer> {
    const timeout = AbortSignal.timeout(this.limits.timeoutMs);
    const signal = deadline === undefined ? timeout : AbortSignal.any([timeout, deadline]);
    const { method, url, headers, body } = request;
    const init = { method, headers, signal, ...(body === undefined ? {} : { body }) };
    const answer = await rejectOnAbort(signal, fetch(url, init));
    const bytes = await rejectOnAbort(signal, readCapped(answer, this.limits.bodyBytes));
    return { status: answer.status, body: bytes };
  }
}

/**
 * Returns the result of `promise`, or rejects as soon as the signal aborts. Without this function, a script
 * would wait for a `fetch` that ignores the signal.
 */
function rejectOnAbort<T>(signal: AbortSignal, promise: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason);
    if (signal.aborted) return abort();
    signal.addEventListener("abort", abort, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener("abort", abort));
  });
}

async function readCapped(answer: Response, cap: number): Promise<Uint8Array> {
  if (answer.body === null) return new Uint8Array(0);
  const reader = answer.body.getReader();
  const chunks: Uint8Array[] = [];
  let length = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    length += value.length;
    if (length > cap) {
      void reader.cancel().catch(() => {});
      throw new RangeError(`the answer is larger than ${cap} bytes`);
    }
    chunks.push(value);
  }
  const bytes = new Uint8Array(length);
  let at = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, at);
    at += chunk.length;
  }
  return bytes;
}
