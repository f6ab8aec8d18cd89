// Decides whether a write may wait for a worker thread, before the body of the write is read. When `[http_api]
// max_waiting_writes` writes are already waiting, refuses the write. Always accepts a write that needs no worker
// thread.

import type { IncomingMessage } from "node:http";
import { refuse } from "../../http/body/body.ts";
import type { Reservation } from "../../http/body/inflight.ts";
import { ApiError } from "../../http/errors.ts";
import { type ScriptChoice, scriptFor } from "./ingest.ts";
import type { Workers } from "./workers/workers.ts";
import type { Form, WriteRequest } from "./write-request.ts";

/** The properties of a write that decide whether it needs a worker thread. They are known before the body is read. */
export interface ExpectedWrite
  extends Pick<WriteRequest, "category" | "form" | "conversion" | "source" | "matchesByName"> {
  /** Name of the compression of the body, as the client sent it. */
  readonly compression: string;
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
  admit(raw: IncomingMessage, write: ExpectedWrite, held: Reservation): Promise<void>;
}

/** An admission control that accepts all writes. */
export const alwaysOpen: Admission = {
  isFull: false,
  mostBytes: () => Number.POSITIVE_INFINITY,
  admit: async () => {},
};

export function createAdmission(workers: Workers, choice: ScriptChoice): Admission {
  return {
    get isFull() {
      return workers.isFull;
    },
    mostBytes: (form) => (workers.isFull ? workers.inPlaceBytes[form] : Number.POSITIVE_INFINITY),
    admit: async (raw, write, held) => {
      const length = Number(raw.headers["content-length"] ?? 0);
      const encoding = write.compression === "zstd" ? "zstd" : "";
      const known = { ...write, encoding, body: { length }, script: scriptFor(choice, write) } as const;
      if (workers.isFull && !workers.takesInPlace(known)) await refuse(raw, tooManyWaiting(), held);
    },
  };
}

export function tooManyWaiting(): ApiError {
  return new ApiError("agent.tooManyWritesWaiting", "too many writes wait for a thread, try again later", {
    "retry-after": "1",
  });
}
