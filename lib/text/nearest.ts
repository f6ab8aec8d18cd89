// The known name that an author probably meant: of settings, fields, sources, functions, grok patterns and keywords.

/**
 * Returns the known name with the fewest edits, whatever the case of its letters; undefined when none is near enough to be a slip: three
 * edits at most, and no more than a third of the characters. Among equally near names the first by its letters wins.
 *
 * @example nearestName("gork", ["grok", "json"]) // "grok"
 */
export function nearestName(name: string, known: Iterable<string>): string | undefined {
  const most = Math.min(3, Math.floor(name.length / 3));
  const lower = name.toLowerCase();
  let best: { readonly known: string; readonly distance: number } | undefined;
  for (const each of known) {
    if (Math.abs(each.length - name.length) > most) continue;
    const distance = edits(lower, each.toLowerCase());
    if (distance > most || (best !== undefined && distance > best.distance)) continue;
    if (best === undefined || distance < best.distance || each < best.known) best = { known: each, distance };
  }
  return best?.known;
}

/** Counts the characters to insert, remove, replace or swap with their neighbour (Damerau and Levenshtein). */
function edits(a: string, b: string): number {
  let before: number[] = [];
  let row = Array.from({ length: b.length + 1 }, (_, at) => at);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      next[j] = Math.min(row[j]! + 1, next[j - 1]! + 1, row[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1));
      const isSwapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      if (isSwapped) next[j] = Math.min(next[j]!, before[j - 2]! + 1);
    }
    before = row;
    row = next;
  }
  return row[b.length]!;
}
