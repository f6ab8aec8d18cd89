// The end of a turn of the event loop. Callers wait for it, so that the work of all events of the turn is done
// together: the same code several times in a row stays in the processor's cache, and all puts of a turn go into one
// write.

let end: Promise<void> | undefined;
let afterEnd: Promise<void> | undefined;
/** Whether the tasks that waited for the end of this turn are running. */
let isEnding = false;
let reachAfterEnd = () => {};

/**
 * Resolves when the events of this turn have been handled. When called by a task that waited for the end of a turn,
 * resolves when all such tasks have paused.
 */
export function endOfTick(): Promise<void> {
  if (isEnding) {
    return (afterEnd ??= new Promise((resolve) => {
      reachAfterEnd = resolve;
    }));
  }
  return (end ??= new Promise((resolve) => {
    setImmediate(() => {
      end = undefined;
      isEnding = true;
      resolve();
      // Node runs ticks before the promises that were just resolved, unless a microtask asks for the tick.
      queueMicrotask(() => process.nextTick(finish));
    });
  }));
}

function finish(): void {
  isEnding = false;
  afterEnd = undefined;
  reachAfterEnd();
}
