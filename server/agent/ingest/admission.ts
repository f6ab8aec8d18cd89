// Decides whether a write may wait for a worker thread, before the body of the write is read. When `[http_api]
// max_waiting_writes` writes are already waiting, refuses the write. Always accepts a write that needs no worker
// thread.

import type { IncomingMessage } from "node:http";
import { decompress, discard, type Encoding } from "../../http/body/body.ts";
import type { Reservation } from "../../http/body/inflight.ts";
import { ApiError } from "../../http/errors.ts";
import { type ScriptChoice, scriptFor } from "./ingest.ts";
import type { Workers } from "./workers/workers.ts";
import type { Form, WriteRequest } from "./write-request.ts";

/** The properties of a write that decide whether it needs a worker thread. They are known before the body is read. */
export interface ExpectedWrite extends Pick<WriteRequest, "category" | "form" | "conversion" | "encoding"> {
  readonly source: string;
  readonly matchesByName?: boolean;
}

export interface Admission {
  /** Whether the largest permitted number of writes already wait for a worker thread. */
  readonly isFull: boolean;
  /** Returns the length in bytes of the largest body that may be accepted now. */
  mostBytes(form: Form): number;
  /**
   * Decides whether the write is accepted. When the write needs a worker thread and too many writes already wait for
   * one, reads and discards the body, and then throws ApiError.
   */
  admit(raw: IncomingMessage, write: ExpectedWrite): Promise<void>;
}

/** An admission control that accepts all writes. */
export const alwaysOpen: Admission = {
  isFull: false,
  mostBytes: () => Number.POSITIVE_INFINITY,
  admit: async () => {},
};

export interface AdmissionOptions extends ScriptChoice {
  readonly workers: Workers;
  /**
   * Slowest speed in bytes per second at which a client may send the body of a refused write. The agent reads this body
   * and discards it.
   */
  readonly minBytesPerSecond: number;
}

export function createAdmission({ workers, minBytesPerSecond, ...choice }: AdmissionOptions): Admission {
  return {
    get isFull() {
      return workers.isFull;
    },
    mostBytes: (form) => (workers.isFull ? workers.inPlaceBytes[form] : Number.POSITIVE_INFINITY),
    admit: async (raw, write) => {
      const length = Number(raw.headers["content-length"] ?? 0);
      if (!workers.isFull || workers.takesInPlace({ ...write, body: { length }, script: scriptFor(choice, write) }))
        return;
      await discard(raw, minBytesPerSecond);
      throw tooManyWaiting();
    },
  };
}

export interface SentBody {
  readonly bytes: Uint8Array;
  readonly encoding: Encoding;
  readonly form: Form;
  /** Largest allowed length of the body after decompression, in bytes. */
  readonly cap: number;
}

/**
 * Returns the decompressed body of a write. Throws ApiError when the body is too large. While too many writes wait for
 * a worker thread, only bodies that the main thread can process are accepted.
 */
export async function plainBody(
  admission: Admission,
  { bytes, encoding, form, cap }: SentBody,
  held: Reservation,
  caller: { readonly signal: AbortSignal },
): Promise<Uint8Array> {
  const most = Math.min(cap, admission.mostBytes(form));
  try {
    return await decompress(bytes, encoding, most, held, caller);
  } catch (error) {
    throw most < cap && error instanceof ApiError && error.code === "agent.bodyTooLarge" ? tooManyWaiting() : error;
  }
}

export function tooManyWaiting(): ApiError {
  return new ApiError("agent.tooManyWritesWaiting", "too many writes wait for a thread, try again later", {
    "retry-after": "1",
  });
}
