/// <reference lib="esnext.disposable" preserve="true" />
// The symbol by which `using` releases a resource.

/** The symbol `Symbol.dispose`; in hosts without it, the symbol that compilers use instead. */
export const disposeSymbol: typeof Symbol.dispose =
  Symbol.dispose ?? (Symbol.for("Symbol.dispose") as typeof Symbol.dispose);
