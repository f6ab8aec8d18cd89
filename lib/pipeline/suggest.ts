// Names that were probably meant: of functions, grok patterns and keywords.

/** The known name that is nearest to `name`, by at most a third of its characters; undefined when none is near. */
export function nearestName(name: string, known: Iterable<string>): string | undefined {
  const lower = name.toLowerCase();
  let most = Math.max(1, Math.min(3, Math.floor(name.length / 3)));
  let best: string | undefined;
  for (const each of known) {
    if (Math.abs(each.length - name.length) > most) continue;
    const distance = edits(lower, each.toLowerCase());
    if (distance > most || (distance === most && best !== undefined)) continue;
    best = each;
    most = distance;
  }
  return best;
}

/** Characters to insert, remove, replace or swap with their neighbour (Damerau and Levenshtein). */
function edits(a: string, b: string): number {
  let before: number[] = [];
  let row = Array.from({ length: b.length + 1 }, (_, at) => at);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      next[j] = Math.min(row[j]! + 1, next[j - 1]! + 1, row[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1));
      const swapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      if (swapped) next[j] = Math.min(next[j]!, before[j - 2]! + 1);
    }
    before = row;
    row = next;
  }
  return row[b.length]!;
}
