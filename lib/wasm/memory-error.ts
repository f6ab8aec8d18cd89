// What is thrown when the module's memory is at its end. The module itself can only trap; bad input never makes it.

export class MemoryError extends RangeError {
  override readonly name = "MemoryError";
}

/** What a call threw, a trap for want of memory as a MemoryError; `during` completes "... is at its end, ". */
export function asMemoryError(error: unknown, during: string): unknown {
  // Each engine has its own words: "unreachable", "unreachable executed", "Unreachable code should not be executed".
  if (!(error instanceof WebAssembly.RuntimeError) || !/unreachable/i.test(error.message)) return error;
  return new MemoryError(`the module's memory is at its end, ${during}`, { cause: error });
}
