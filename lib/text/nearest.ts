// Finds the known name that an author probably meant by a misspelled name: a setting, field, source, function, grok
// pattern or keyword.

/**
 * Returns the known name that can be made from `name` with the fewest edits, ignoring case. Returns undefined
 * when every known name needs more than `most` edits. By default, `most` is a third of the number of characters
 * of `name`, but at most three. When several known names need equally few edits, returns the alphabetically
 * first of them.
 *
 * @example nearestName("gork", ["grok", "json"]) // "grok"
 */
export function nearestName(
  name: string,
  known: Iterable<string>,
  most: number = Math.min(3, Math.floor(name.length / 3)),
): string | undefined {
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

/**
 * Returns how many characters have to be inserted, removed, replaced or swapped with their neighbour to turn one name
 * into the other (Damerau-Levenshtein distance).
 */
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
