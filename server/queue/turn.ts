// The end of a turn of the event loop, where what its events brought is worked on together: one kind of work several times in a row
// finds its code in the processor's cache, and what is put into a queue is written in one go.

let end: Promise<void> | undefined;
let afterEnd: Promise<void> | undefined;
/** What waited for the end of this turn is under way. */
let isEnding = false;
let reachAfterEnd = () => {};

/** Resolves when this turn's events have been handled. At the end of the turn: when all that waited for it rests. */
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
      // Ticks come before what has just been resolved, unless they are asked for from there.
      queueMicrotask(() => process.nextTick(finish));
    });
  }));
}

function finish(): void {
  isEnding = false;
  afterEnd = undefined;
  reachAfterEnd();
}
