// The name that was probably meant.

/** The known name with the fewest edits, when it is close enough to be a slip. */
export function nearest(name: string, names: Iterable<string>): string | undefined {
  const most = Math.min(3, Math.floor(name.length / 3));
  let best: { known: string; distance: number } | undefined;
  for (const known of names) {
    if (Math.abs(known.length - name.length) > most) continue;
    const distance = edits(name, known);
    if (distance > most || (best !== undefined && distance > best.distance)) continue;
    // Of several the first by its letters, in whatever order they come.
    if (best === undefined || distance < best.distance || known < best.known) best = { known, distance };
  }
  return best?.known;
}

/** Characters that are added, left out, replaced, or exchanged with their neighbour. */
function edits(a: string, b: string): number {
  let before: number[] = [];
  let row = Array.from({ length: b.length + 1 }, (_, at) => at);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      next[j] = Math.min(row[j]! + 1, next[j - 1]! + 1, row[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1));
      const isExchange = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      if (isExchange) next[j] = Math.min(next[j]!, before[j - 2]! + 1);
    }
    before = row;
    row = next;
  }
  return row[b.length]!;
}
