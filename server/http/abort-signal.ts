// Tells the handler of a request that nobody waits for the answer any more. For a small write request, creating
// an AbortController would take longer than all other work. So the controller is created only when the handler
// asks for the signal, and it is aborted only when the request ends without a normal answer.

export class RequestAbort {
  /**
   * Whether the request ended before its handler answered it, because the service answered with the status 408
   * (timeout) or because the client disconnected.
   */
  wasEarly = false;
  private isLate = false;
  private isKept = false;
  private controller: AbortController | undefined;

  /** A signal that aborts when the request ends before its handler has answered it. */
  get signal(): AbortSignal {
    if (this.controller === undefined) {
      this.controller = new AbortController();
      if (this.wasEarly) this.controller.abort();
    }
    return this.controller.signal;
  }

  /**
   * Must be called before the service answers with the status 408 (timeout). Returns false when the points of the
   * request are already being written to the disk. The caller must then not send the 408; the answer will report
   * the result of writing the points.
   */
  late(): boolean {
    if (this.isKept) return false;
    this.isLate = true;
    this.early();
    return true;
  }

  /**
   * Must be called before the points of the request are written to the disk; prevents a later answer 408
   * (timeout). Returns false when the service has already answered with 408. The caller must then not write the
   * points.
   */
  keep(): boolean {
    this.isKept = !this.isLate;
    return this.isKept;
  }

  /** Records that the client has disconnected. */
  early(): void {
    this.wasEarly = true;
    this.controller?.abort();
  }
}
