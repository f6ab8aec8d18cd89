// Tells the code that handles a request that nobody waits for the answer any more. An AbortController costs more than a
// small write, so it is created only when a caller asks for the signal, and aborted only when the request ends before
// its answer.

export interface RequestAbort {
  /**
   * Whether the request ended before its answer: it was answered with the status 408 (timeout), or the client
   * disconnected.
   */
  readonly wasEarly: boolean;
  /** A signal that aborts when the request ends before its answer. */
  readonly signal: AbortSignal;
  /** Records that the client has disconnected. */
  early(): void;
  /**
   * Records that the request is about to be answered with the status 408 (timeout). Returns false when its points are
   * already on their way to the disk; the result of storing them is then the answer, and no 408 may be sent.
   */
  late(): boolean;
  /**
   * Records that the points of the request go to the disk now, so that no 408 (timeout) is sent any more. Returns false
   * when the request was already answered with the status 408; then no point may be written.
   */
  keep(): boolean;
}

export function createRequestAbort(): RequestAbort {
  return new LazyRequestAbort();
}

class LazyRequestAbort implements RequestAbort {
  wasEarly = false;
  private isLate = false;
  private isKept = false;
  private controller: AbortController | undefined;

  get signal(): AbortSignal {
    if (this.controller === undefined) {
      this.controller = new AbortController();
      if (this.wasEarly) this.controller.abort();
    }
    return this.controller.signal;
  }

  late(): boolean {
    if (this.isKept) return false;
    this.isLate = true;
    this.early();
    return true;
  }

  keep(): boolean {
    this.isKept = !this.isLate;
    return this.isKept;
  }

  early(): void {
    this.wasEarly = true;
    this.controller?.abort();
  }
}
