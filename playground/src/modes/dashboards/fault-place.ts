// Finds the part of a query to which an error message of the platform refers. Such a message begins with the position,
// as `1:9 parse error: …` does.

export interface FaultPlace {
  readonly from: number;
  readonly to: number;
}

/**
 * Returns the part of the query at the line and column (in bytes) with which the message begins. Returns the whole
 * query when the message begins with no position.
 */
export function placeOfFault(message: string, query: string): FaultPlace {
  const found = /^(\d+):(\d+)\b/.exec(message);
  if (found === null) return { from: 0, to: query.length };
  const lines = query.split("\n");
  const line = Math.min(Number(found[1]), lines.length) - 1;
  const before = lines.slice(0, line).reduce((sum, text) => sum + text.length + 1, 0);
  const bytes = new TextEncoder().encode(lines[line]).slice(0, Number(found[2]) - 1);
  const from = Math.min(before + new TextDecoder().decode(bytes).length, query.length);
  const word = /^[\w.`'"]+/.exec(query.slice(from));
  return { from, to: Math.min(query.length, from + Math.max(1, word?.[0].length ?? 1)) };
}
