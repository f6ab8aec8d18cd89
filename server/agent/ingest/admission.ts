// Decides before the body of a write is read whether the write may wait for a worker thread. When `[http_api]
// max_waiting_writes` writes wait, further writes are refused. Writes that need no worker are always accepted.

import type { IncomingMessage } from "node:http";
import { decompress, discard, type Encoding } from "../../http/body/body.ts";
import type { Reservation } from "../../http/body/inflight.ts";
import { ApiError } from "../../http/errors.ts";
import { type ScriptChoice, scriptFor } from "./ingest.ts";
import type { Workers } from "./workers/workers.ts";
import type { Form, WriteRequest } from "./write-request.ts";

/** The properties of a write that are known before its body is read. */
export interface ExpectedWrite extends Pick<WriteRequest, "category" | "form" | "conversion" | "encoding"> {
  readonly source: string;
  readonly matchesByName?: boolean;
}

export interface Admission {
  /** Whether no more writes may wait for a thread. */
  readonly isFull: boolean;
  /** Returns the length in bytes of the largest body that may be accepted now. */
  mostBytes(form: Form): number;
  /**
   * Throws ApiError when the write would have to wait and no more writes may wait. Reads and discards the body before
   * that.
   */
  admit(raw: IncomingMessage, write: ExpectedWrite): Promise<void>;
}

/** Accepts all writes. */
export const alwaysOpen: Admission = {
  isFull: false,
  mostBytes: () => Number.POSITIVE_INFINITY,
  admit: async () => {},
};

export interface AdmissionOptions extends ScriptChoice {
  readonly workers: Workers;
  /** When the body of a refused write arrives more slowly than this, its rest is not read. */
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
  /** Largest length of the decompressed body, in bytes. */
  readonly cap: number;
}

/**
 * Decompresses a body. While no more writes may wait for a thread, a body that is too large for the main thread is
 * refused. Throws ApiError.
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
