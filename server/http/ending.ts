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
  let wasEarly = false;
  let controller: AbortController | undefined;
  return {
    get wasEarly() {
      return wasEarly;
    },
    get signal() {
      if (controller === undefined) {
        controller = new AbortController();
        if (wasEarly) controller.abort();
      }
      return controller.signal;
    },
    early: () => {
      wasEarly = true;
      controller?.abort();
    },
  };
}
