// Reads and decompresses the body of a write, for all inputs (protocols) that receive bodies over HTTP.

import type { IncomingMessage } from "node:http";
import { decompress, type Encoding, encodingOf, readBody } from "../../http/body/body.ts";
import type { Reservation } from "../../http/body/inflight.ts";
import { ApiError } from "../../http/errors.ts";
import { type Admission, type ExpectedWrite, tooManyWaiting } from "../ingest/admission.ts";
import type { WriteRequest } from "../ingest/write-request.ts";

export interface ExpectedBody extends ExpectedWrite {
  /** Largest allowed size in bytes. It limits the body as sent and, separately, the body after decompression. */
  readonly cap: number;
}

/**
 * Reads and decompresses the body of a write. Returns undefined for an empty body. Throws ApiError when the body is
 * refused.
 */
export async function receiveBody(
  admission: Admission,
  raw: IncomingMessage,
  expected: ExpectedBody,
  held: Reservation,
  caller: { readonly signal: AbortSignal },
): Promise<Pick<WriteRequest, "body" | "sentBytes" | "encoding"> | undefined> {
  if (admission.isFull) await admission.admit(raw, expected, held);
  const sent = await readBody(raw, expected.cap, held);
  if (sent.length === 0) return undefined;
  const encoding = encodingOf(expected.compression);
  const body = encoding === "" ? sent : await plainBody(admission, sent, encoding, expected, held, caller);
  return { body, sentBytes: sent.length, encoding: encoding === "zstd" ? "zstd" : "" };
}

/**
 * Returns the decompressed body of a write. Throws ApiError when the body is too large. While too many writes wait for
 * a worker thread, only bodies that the main thread can process are accepted.
 */
async function plainBody(
  admission: Admission,
  sent: Uint8Array,
  encoding: Encoding,
  { cap, form }: ExpectedBody,
  held: Reservation,
  caller: { readonly signal: AbortSignal },
): Promise<Uint8Array> {
  const most = Math.min(cap, admission.mostBytes(form));
  try {
    return await decompress(sent, encoding, most, held, caller);
  } catch (error) {
    throw most < cap && error instanceof ApiError && error.code === "agent.bodyTooLarge" ? tooManyWaiting() : error;
  }
}

/**
 * The members of a write request that an input must set when it makes the body itself, as line protocol. All other
 * members have fixed values, which are the same for every such input.
 */
type OwnLines = Pick<WriteRequest, "body" | "category" | "now" | "earlyTags" | "label">;

/** Returns a write request for lines in line protocol that an input has made itself. */
export function ownLines(lines: OwnLines): WriteRequest {
  return {
    ...usualRequest,
    ...lines,
    sentBytes: lines.body.length,
    encoding: "",
    form: "lp",
    conversion: undefined,
  };
}

/**
 * Default values for some members of a write request. Only clients that send line protocol, JSON or protobuf can set
 * these members; writes of all other inputs get these values.
 */
export const usualRequest = {
  precision: "n",
  strict: false,
  echo: undefined,
  dry: false,
  earlyTags: [],
  electionTags: false,
  hostTags: true,
  source: "",
  matchesByName: true,
  storageIndex: undefined,
} as const satisfies Partial<WriteRequest>;
