// The status codes of gRPC (https://grpc.github.io/grpc/core/md_doc_statuscodes.html), and the code for each kind of
// refused request.

import { ApiError } from "../../../http/errors.ts";

export const grpcStatus = {
  ok: 0,
  invalidArgument: 3,
  deadlineExceeded: 4,
  permissionDenied: 7,
  resourceExhausted: 8,
  unimplemented: 12,
  internal: 13,
  unavailable: 14,
  unauthenticated: 16,
} as const;

/** Thrown to refuse a gRPC request. Holds the gRPC status of the answer. */
export class GrpcError extends Error {
  readonly status: number;
  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

/** gRPC statuses by HTTP status. Exporters send a request again after `unavailable` and `deadlineExceeded`. */
const byHttpStatus: ReadonlyMap<number, number> = new Map([
  [400, grpcStatus.invalidArgument],
  [403, grpcStatus.permissionDenied],
  [408, grpcStatus.deadlineExceeded],
  [413, grpcStatus.resourceExhausted],
  [429, grpcStatus.unavailable],
  [503, grpcStatus.unavailable],
  [507, grpcStatus.unavailable],
]);

/** Converts an error to a refusal of the request; returns undefined for an unexpected error. */
export function grpcErrorOf(error: unknown): GrpcError | undefined {
  if (error instanceof GrpcError) return error;
  if (!(error instanceof ApiError)) return undefined;
  const status = byHttpStatus.get(error.status) ?? grpcStatus.internal;
  return new GrpcError(status, error.message === "" ? error.code : `${error.code}: ${error.message}`);
}

/** Returns a message for the trailer grpc-message, with all characters except printable ASCII percent-encoded. */
export function trailerText(message: string): string {
  return message.replace(/[^\x20-\x24\x26-\x7e]+/gu, (text) =>
    Array.from(Buffer.from(text), (byte) => `%${byte.toString(16).toUpperCase().padStart(2, "0")}`).join(""),
  );
}
