// Tells the work of a request that nobody waits for the answer any more. An AbortController costs more than a small
// write, so it is made only when a caller asks for the signal, and aborted only when the request ends before its
// answer.

export interface RequestAbort {
  /** Whether the request was answered 408 or the client went away. */
  readonly wasEarly: boolean;
  /** Signal that is aborted when the request ends early. */
  readonly signal: AbortSignal;
  /** Notes that the client went away. */
  early(): void;
  /**
   * Notes that the request is to be answered 408. Returns false when its points are already on their way to the disk:
   * then the result of that write is the answer.
   */
  late(): boolean;
  /**
   * Notes that the points go to the disk now, so that no 408 is sent any more. Returns false when the request was
   * already answered 408: then no point may be written.
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
