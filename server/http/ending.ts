// How a request tells its work that nobody waits for the answer any more. An AbortController costs more than a small write
// does: it is made when somebody asks for the signal, and aborted only when the request ends before its answer.

export interface Ending {
  /** The request was answered 408, or the client went away. */
  readonly wasEarly: boolean;
  /** Aborted then. */
  readonly signal: AbortSignal;
  /** Says so. */
  early(): void;
}

export function createEnding(): Ending {
  return new LazyEnding();
}

class LazyEnding implements Ending {
  wasEarly = false;
  private controller: AbortController | undefined;

  get signal(): AbortSignal {
    if (this.controller === undefined) {
      this.controller = new AbortController();
      if (this.wasEarly) this.controller.abort();
    }
    return this.controller.signal;
  }

  early(): void {
    this.wasEarly = true;
    this.controller?.abort();
  }
}
