// Compares two runs over the same input row by row: the kept run, which the user keeps for comparison, and the present
// run.

import type { PlaceCount, PointRecord, ScriptText } from "../../worker/protocol.ts";

/** A run that the user keeps for comparison. */
export interface KeptRun {
  /** Time of the run in milliseconds since 1970. */
  readonly time: number;
  readonly scripts: readonly ScriptText[];
  readonly records: readonly PointRecord[];
  readonly places: readonly PlaceCount[];
}

/** How a row of the present run differs from the row of the kept run (the run that the user keeps for comparison). */
export interface RowDifference {
  /**
   * The row for the same point in the kept run (the run that the user keeps for comparison); null when the kept run has
   * no such row.
   */
  readonly was: PointRecord | null;
  /** Names of the parts that differ: `outcome`, `name`, `time`, and `key ` with a tag or field. */
  readonly parts: ReadonlySet<string>;
}

export interface Comparison {
  /** The rows for which the two runs differ. */
  readonly rows: ReadonlyMap<PointRecord, RowDifference>;
  /** Rows of the kept run (the run that the user keeps for comparison) that the present run does not have. */
  readonly gone: readonly PointRecord[];
  /**
   * The parts of points that differ between the runs, such as tags and fields, each with the number of rows in
   * which it differs. The part that differs in the most rows comes first.
   */
  readonly keys: readonly (readonly [key: string, count: number])[];
}

/**
 * Compares the rows of both runs. Compares only the rows that the page holds. Two rows belong together when they
 * come from the same input point.
 */
export function compareRuns(kept: readonly PointRecord[], now: readonly PointRecord[]): Comparison {
  const old = identified(kept);
  const rows = new Map<PointRecord, RowDifference>();
  const counts = new Map<string, number>();
  for (const [id, record] of identified(now)) {
    const was = old.get(id) ?? null;
    old.delete(id);
    const parts = was === null ? new Set<string>() : differingParts(was, record);
    if (was !== null && parts.size === 0) continue;
    rows.set(record, { was, parts });
    for (const part of parts) counts.set(part, (counts.get(part) ?? 0) + 1);
  }
  const keys = [...counts].sort(([a, left], [b, right]) => right - left || (a < b ? -1 : 1));
  return { rows, gone: [...old.values()], keys };
}

/**
 * Returns a map from ids to the rows of a run. A row has the same id in every run over the same input. The id
 * contains the number of the row's input point; for a point that the script created, the number of the last
 * input point before it. When several rows would have the same id, a further number is added to the id of each
 * row except the first.
 */
function identified(records: readonly PointRecord[]): Map<string, PointRecord> {
  const found = new Map<string, PointRecord>();
  for (const record of records) {
    const { number, line, before, outcome } = record;
    const origin = outcome === "refused" ? `refused ${line}` : before === null ? `made ${number}` : `point ${number}`;
    let id = origin;
    for (let more = 2; found.has(id); more++) id = `${origin} ${more}`;
    found.set(id, record);
  }
  return found;
}

/**
 * Returns whether the script left the time of the point unchanged. Such a time may be the time of the run, so it may
 * differ between two runs over the same input, and this does not count as a difference.
 */
function hasInputTime({ before, after }: PointRecord): boolean {
  return before === null || before.time === after?.time;
}

function differingParts(was: PointRecord, is: PointRecord): Set<string> {
  const parts = new Set<string>();
  if (was.outcome !== is.outcome || was.error?.error !== is.error?.error || was.unmatched !== is.unmatched)
    parts.add("outcome");
  if (was.after?.name !== is.after?.name) parts.add("name");
  if (was.after?.time !== is.after?.time && !(hasInputTime(was) && hasInputTime(is))) parts.add("time");
  const old = new Map((was.after?.entries ?? []).map((entry) => [entry.key, entry]));
  for (const { key, kind, isTag, text } of is.after?.entries ?? []) {
    const entry = old.get(key);
    old.delete(key);
    if (entry?.text !== text || entry.kind !== kind || entry.isTag !== isTag) parts.add(`key ${key}`);
  }
  for (const key of old.keys()) parts.add(`key ${key}`);
  return parts;
}
