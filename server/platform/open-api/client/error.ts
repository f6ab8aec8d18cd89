// The only error class of the client. A call throws it when the platform's answer is not a success.

export class OpenApiError extends Error {
  /** The HTTP status of the platform's answer. */
  readonly status: number;
  /**
   * A code from the platform's list of errors, or `InvalidResponse` when the answer does not come from the Open API.
   */
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
