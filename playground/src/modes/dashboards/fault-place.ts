// Finds the place in a query that an error of the platform names, such as `1:9 parse error: …`.

export interface FaultPlace {
  readonly from: number;
  readonly to: number;
}

/**
 * Returns the place that a message names by line and column, in bytes, at its beginning; the whole query when it names
 * none.
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
