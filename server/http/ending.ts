// How a request tells its work that nobody waits for the answer any more. An AbortController costs more than a small write
// does: it is made when somebody asks for the signal, and aborted only when the request ends before its answer.

export interface Ending {
  /** The request was answered 408, or the client went away. */
  readonly wasEarly: boolean;
  /** The request was answered 408: nothing of it is kept any more. */
  readonly isLate: boolean;
  /** Aborted when the request ends early. */
  readonly signal: AbortSignal;
  /** Says that the client went away. */
  early(): void;
  /** Says that the request is answered 408. */
  late(): void;
}

export function createEnding(): Ending {
  return new LazyEnding();
}

class LazyEnding implements Ending {
  wasEarly = false;
  isLate = false;
  private controller: AbortController | undefined;

  get signal(): AbortSignal {
    if (this.controller === undefined) {
      this.controller = new AbortController();
      if (this.wasEarly) this.controller.abort();
    }
    return this.controller.signal;
  }

  late(): void {
    this.isLate = true;
    this.early();
  }

  early(): void {
    this.wasEarly = true;
    this.controller?.abort();
  }
}
