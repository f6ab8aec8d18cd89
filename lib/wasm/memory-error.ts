// The error for the end of the module's memory. The module can only trap; bad input never makes it trap.

/** The error for a call that needs more memory than the module can get. */
export class MemoryError extends RangeError {
  override readonly name = "MemoryError";
}

/**
 * Returns the error of a call, with a trap for lack of memory turned into a MemoryError; `during` completes the message
 * "... is at its end, ".
 */
export function asMemoryError(error: unknown, during: string): unknown {
  // Each engine words the trap differently: "unreachable", "unreachable executed", "Unreachable code should not be
  // executed".
  if (!(error instanceof WebAssembly.RuntimeError) || !/unreachable/i.test(error.message)) return error;
  return new MemoryError(`the module's memory is at its end, ${during}`, { cause: error });
}
