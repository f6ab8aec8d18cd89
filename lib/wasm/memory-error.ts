// The error for the case that the WebAssembly module has no memory left. The module can only report this by a trap; bad
// input never causes a trap.

/** The error for a call that needs more memory than the WebAssembly module can get. */
export class MemoryError extends RangeError {
  override readonly name = "MemoryError";
}

/**
 * Returns the error to throw for a failed call: a MemoryError when the call ended in a trap for lack of memory,
 * otherwise the given error unchanged. `during` completes the message "the module's memory is at its end, ".
 */
export function asMemoryError(error: unknown, during: string): unknown {
  // Each JavaScript engine describes the trap differently: "unreachable", "unreachable executed", "Unreachable code
  // should not be executed". All of them contain the word `unreachable`.
  if (!(error instanceof WebAssembly.RuntimeError) || !/unreachable/i.test(error.message)) return error;
  return new MemoryError(`the module's memory is at its end, ${during}`, { cause: error });
}
