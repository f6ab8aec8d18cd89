// The one error of the client: an answer that is not a success.

export class OpenApiError extends Error {
  /** The HTTP status. */
  readonly status: number;
  /** As of the platform's catalogue; `InvalidResponse`: what came is no answer of the Open API. */
  readonly errorCode: string;
  /** Names the request in the platform's log; `""` when the answer has none. */
  readonly traceId: string;

  constructor(status: number, errorCode: string, message: string, traceId: string) {
    super(message);
    this.name = "OpenApiError";
    this.status = status;
    this.errorCode = errorCode;
    this.traceId = traceId;
  }
}
