// Decides whether a word that is equal in all lines is literal text of the log format or a value to capture.

import type { Column } from "./align.ts";
import type { Token } from "./tokens.ts";

/**
 * Returns whether a column should be captured as a field although all lines have the same word there. This is
 * the case for the host after the date of a syslog line, and for the program after the host or before `[123]`.
 */
export function isHead(columns: readonly Column[], at: number): boolean {
  const tokenAt = (index: number) => columns[index]?.find((token) => token !== null);
  const isHost = (index: number) =>
    tokenAt(index - 1)?.layout === "MMM dd HH:mm:ss" && tokenAt(index)?.kind !== "fixed";
  const [next, behind] = [tokenAt(at + 1)?.text, tokenAt(at + 2)?.kind];
  return isHost(at) || (isHost(at - 1) && next === ":") || (next === "[" && behind === "int");
}

/**
 * Returns whether a text that is equal in all lines belongs to the log format as literal text. A text with digits, dots
 * or dashes is more likely a value, such as a host name.
 */
export function isPlain({ kind, text }: Token): boolean {
  if (!/[\p{L}\p{N}]/u.test(text)) return true;
  return (kind === "word" || kind === "token") && /^(?:[^\d._-]+|[A-Za-z]\w*)$/.test(text);
}
