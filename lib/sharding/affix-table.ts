// Finds all prefixes (or suffixes) of a text in a table of n strings, with about log2(n) comparisons of strings.
// The strings in the table are sorted, and each string has a link to the longest other string in the table that
// is a prefix of it. A binary search finds the last string that does not sort after the text. From there, the
// links lead to every prefix of the text, because a prefix of the text is also a prefix of all strings that sort
// between this prefix and the text.

/** Compares two texts from the start; the result is below, equal to or above 0. */
function compare(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0;
}

/** Compares two texts as `compare` does, but from the last character to the first. */
function compareFromEnd(one: string, other: string): number {
  const most = Math.min(one.length, other.length);
  for (let back = 1; back <= most; back++) {
    const difference = one.charCodeAt(one.length - back) - other.charCodeAt(other.length - back);
    if (difference !== 0) return difference;
  }
  return one.length - other.length;
}

export class AffixTable {
  private readonly order: (one: string, other: string) => number;
  private readonly isFromEnd: boolean;
  private readonly affixes: readonly string[];
  private readonly values: readonly (readonly number[])[];
  /**
   * For each prefix in the table, the index of the longest other entry that is a prefix of it; -1 when there is no such
   * entry. In a table of suffixes, the index of the longest other entry that is a suffix.
   */
  private readonly parents: Int32Array;

  /**
   * Makes the table from a map of affixes to their values. The affixes are prefixes, or suffixes when `isFromEnd` is
   * true.
   */
  constructor(groups: ReadonlyMap<string, readonly number[]>, isFromEnd: boolean) {
    this.isFromEnd = isFromEnd;
    this.order = isFromEnd ? compareFromEnd : compare;
    this.affixes = [...groups.keys()].sort(this.order);
    this.values = this.affixes.map((affix) => groups.get(affix)!);
    this.parents = new Int32Array(this.affixes.length);
    let last = -1;
    for (const [at, affix] of this.affixes.entries()) {
      while (last >= 0 && !this.fits(affix, last)) last = this.parents[last]!;
      this.parents[at] = last;
      last = at;
    }
  }

  /**
   * Finds all strings of the table that are prefixes of `text` (suffixes in a table of suffixes). Calls `take` once for
   * each of these strings, with the string's values; the longest string comes first.
   */
  visit(text: string, take: (values: readonly number[]) => void): void {
    let low = 0;
    let high = this.affixes.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.order(this.affixes[middle]!, text) <= 0) low = middle + 1;
      else high = middle;
    }
    let at = low - 1;
    while (at >= 0 && !this.fits(text, at)) at = this.parents[at]!;
    for (; at >= 0; at = this.parents[at]!) take(this.values[at]!);
  }

  private fits(text: string, at: number): boolean {
    const affix = this.affixes[at]!;
    return this.isFromEnd ? text.endsWith(affix) : text.startsWith(affix);
  }
}
