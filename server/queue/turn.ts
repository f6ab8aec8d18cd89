// Lets callers wait for the end of an event-loop turn (the handling of all events that have already come). Work that
// several events of the turn cause is then done together: code that runs several times in a row stays in the
// processor's cache, and all puts of a turn go into one write.

let end: Promise<void> | undefined;
let afterEnd: Promise<void> | undefined;
/** Whether the tasks that waited for the end of the current event-loop turn are running. */
let isEnding = false;
let reachAfterEnd = () => {};

/**
 * Resolves when all events of the current event-loop turn have been handled. When a task that has waited for the end of
 * the turn calls this function again, the promise resolves after all such tasks have paused.
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
      // The callback must run after the promises that were just resolved. Node would run a `nextTick` callback before
      // them, so a microtask asks for the callback.
      queueMicrotask(() => process.nextTick(finish));
    });
  }));
}

function finish(): void {
  isEnding = false;
  afterEnd = undefined;
  reachAfterEnd();
}
