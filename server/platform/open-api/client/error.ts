// The only error class of the client: an answer that is not a success.

export class OpenApiError extends Error {
  /** The HTTP status. */
  readonly status: number;
  /** A code of the platform's catalogue, or `InvalidResponse` when the answer is not one of the Open API. */
  readonly errorCode: string;
  /** The id of the request in the platform's log; `""` when the answer has none. */
  readonly traceId: string;

  constructor(status: number, errorCode: string, message: string, traceId: string) {
    super(message);
    this.name = "OpenApiError";
    this.status = status;
    this.errorCode = errorCode;
    this.traceId = traceId;
  }
}
