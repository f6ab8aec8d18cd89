// Compares two texts line by line, for a user who is about to replace one text by the other.

export interface DiffLine {
  readonly kind: "same" | "added" | "removed";
  readonly text: string;
}

/**
 * Largest number of pairs of lines that are compared. When there are more pairs, all old lines count as removed and all
 * new lines as added.
 */
const mostPairs = 4_000_000;

/** Returns the lines of both texts in order. A line that both texts have occurs once in the result. */
export function lineDiff(before: string, after: string): DiffLine[] {
  const old = linesOf(before);
  const next = linesOf(after);
  let start = 0;
  while (start < old.length && start < next.length && old[start] === next[start]) start++;
  let end = 0;
  while (end < Math.min(old.length, next.length) - start && old.at(-1 - end) === next.at(-1 - end)) end++;
  const same = (text: string): DiffLine => ({ kind: "same", text });
  return [
    ...old.slice(0, start).map(same),
    ...middleDiff(old.slice(start, old.length - end), next.slice(start, next.length - end)),
    ...old.slice(old.length - end).map(same),
  ];
}

/**
 * Returns the changed lines, with `around` unchanged lines before and after each change. A null replaces the unchanged
 * lines that are left out.
 */
export function aroundChanges(diff: readonly DiffLine[], around = 3): (DiffLine | null)[] {
  const shown = diff.map((_, at) =>
    diff.slice(Math.max(0, at - around), at + around + 1).some(({ kind }) => kind !== "same"),
  );
  return diff.flatMap((line, at) => (shown[at] ? [line] : at === 0 || shown[at - 1] ? [null] : []));
}

function linesOf(text: string): string[] {
  const lines = text.split("\n");
  if (lines.at(-1) === "") lines.pop();
  return lines;
}

/**
 * Finds the longest common subsequence of two lists of lines. For each pair of a suffix of `old` and a suffix of
 * `next`, a table holds the length of their longest common subsequence.
 */
function middleDiff(old: readonly string[], next: readonly string[]): DiffLine[] {
  const removed = (text: string): DiffLine => ({ kind: "removed", text });
  const added = (text: string): DiffLine => ({ kind: "added", text });
  if (old.length * next.length > mostPairs) return [...old.map(removed), ...next.map(added)];
  const width = next.length + 1;
  const lengths = new Uint32Array((old.length + 1) * width);
  for (let i = old.length - 1; i >= 0; i--) {
    for (let j = next.length - 1; j >= 0; j--) {
      lengths[i * width + j] =
        old[i] === next[j]
          ? lengths[(i + 1) * width + j + 1]! + 1
          : Math.max(lengths[(i + 1) * width + j]!, lengths[i * width + j + 1]!);
    }
  }
  const diff: DiffLine[] = [];
  let [i, j] = [0, 0];
  while (i < old.length && j < next.length) {
    if (old[i] === next[j]) {
      diff.push({ kind: "same", text: old[i]! });
      i++;
      j++;
    } else if (lengths[(i + 1) * width + j]! >= lengths[i * width + j + 1]!) diff.push(removed(old[i++]!));
    else diff.push(added(next[j++]!));
  }
  return [...diff, ...old.slice(i).map(removed), ...next.slice(j).map(added)];
}
