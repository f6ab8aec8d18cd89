/// <reference lib="esnext.disposable" preserve="true" />
// The symbol by which `using` releases a resource.

/** `Symbol.dispose`, or where the host has none the symbol that compilers use in its place. */
export const disposeSymbol: typeof Symbol.dispose =
  Symbol.dispose ?? (Symbol.for("Symbol.dispose") as typeof Symbol.dispose);
