// Whether one more write may wait for a worker thread, asked before its body is read: over `[http_api] max_waiting_writes` it
// is refused. Writes that are done in place go on.

import type { IncomingMessage } from "node:http";
import { decompress, discard, type Encoding } from "../../http/body/body.ts";
import type { Reservation } from "../../http/body/inflight.ts";
import { ApiError } from "../../http/errors.ts";
import { type ScriptChoice, scriptFor } from "./ingest.ts";
import type { Workers } from "./workers/workers.ts";
import type { Form, WriteRequest } from "./write-request.ts";

/** What is known of a write before its body is read. */
export interface ExpectedWrite extends Pick<WriteRequest, "category" | "form" | "conversion" | "encoding"> {
  readonly source: string;
  readonly matchesByName?: boolean;
}

export interface Admission {
  /** No more writes may wait. */
  readonly isFull: boolean;
  /** Bytes of a body that may be taken now. */
  mostBytes(form: Form): number;
  /** Throws the refusal of a write that would have to wait, as far as that is known; what comes of its body is not kept. */
  admit(raw: IncomingMessage, write: ExpectedWrite): Promise<void>;
}

/** Where no write waits. */
export const alwaysOpen: Admission = {
  isFull: false,
  mostBytes: () => Number.POSITIVE_INFINITY,
  admit: async () => {},
};

export interface AdmissionOptions extends ScriptChoice {
  readonly workers: Workers;
  /** The rest of a refused body that comes more slowly is not read. */
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
  /** Of the body without its compression, in bytes. */
  readonly cap: number;
}

/** While no more writes may wait for a thread, no more is decompressed than a write may have that needs none. */
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
