// Compares a point before and after a script: the entries (tags and fields) of the input point and of the result, side
// by side.

import type { EntryText, PointText } from "../worker/protocol.ts";

export type ChangeKind = "added" | "changed" | "removed" | "same";

export interface Change {
  readonly kind: ChangeKind;
  readonly key: string;
  /** The tag or field of the input point; null when the script added it. */
  readonly before: EntryText | null;
  /** The tag or field of the result; null when the script removed it. */
  readonly after: EntryText | null;
}

/** Returns the entries (tags and fields) in the order of the result, followed by the removed entries. */
export function changesOf(before: PointText | null, after: PointText | null): Change[] {
  const old = new Map((before?.entries ?? []).map((entry) => [entry.key, entry]));
  const changes: Change[] = (after?.entries ?? []).map((entry) => {
    const was = old.get(entry.key) ?? null;
    old.delete(entry.key);
    const kind = before === null ? "same" : was === null ? "added" : isSame(was, entry) ? "same" : "changed";
    return { kind, key: entry.key, before: was, after: entry };
  });
  for (const entry of old.values()) changes.push({ kind: "removed", key: entry.key, before: entry, after: null });
  return changes;
}

function isSame(a: EntryText, b: EntryText): boolean {
  return a.kind === b.kind && a.isTag === b.isTag && a.text === b.text && a.length === b.length;
}
