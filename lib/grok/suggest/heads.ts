// Decides about words that all lines have alike: a word of the layout stays as it is, a value is captured.

import type { Column } from "./align.ts";
import type { Token } from "./tokens.ts";

/**
 * Returns whether a column is a field also when all lines have the same word there: the host behind the date of syslog,
 * and the program before `[123]` or behind the host.
 */
export function isHead(columns: readonly Column[], at: number): boolean {
  const tokenAt = (index: number) => columns[index]?.find((token) => token !== null);
  const isHost = (index: number) =>
    tokenAt(index - 1)?.layout === "MMM dd HH:mm:ss" && tokenAt(index)?.kind !== "fixed";
  const [next, behind] = [tokenAt(at + 1)?.text, tokenAt(at + 2)?.kind];
  return isHost(at) || (isHost(at - 1) && next === ":") || (next === "[" && behind === "int");
}

/** Returns whether a text that all lines have is a word of the layout; a text with dots or dashes is a value. */
export function isPlain({ kind, text }: Token): boolean {
  if (!/[\p{L}\p{N}]/u.test(text)) return true;
  return (kind === "word" || kind === "token") && /^(?:[^\d._-]+|[A-Za-z]\w*)$/.test(text);
}
