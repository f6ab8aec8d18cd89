// How a request tells its work that nobody waits for the answer any more. An AbortController costs more than a small write
// does: it is made when somebody asks for the signal, and aborted only when the request ends before its answer.

export interface RequestAbort {
  /** The request was answered 408, or the client went away. */
  readonly wasEarly: boolean;
  /** Aborted when the request ends early. */
  readonly signal: AbortSignal;
  /** Says that the client went away. */
  early(): void;
  /** Asks to answer 408; false when the points are on their way to the disk, then the request is answered as that ends. */
  late(): boolean;
  /** Says that the points go to the disk now: no 408 comes any more. False when the request was answered 408, then none of them may. */
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
