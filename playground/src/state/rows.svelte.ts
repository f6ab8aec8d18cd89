// The rows of the result that the page shows, with their order and columns. The page itself searches and sorts a small
// result. The page holds only the first rows of a large result, so a run in the worker searches all rows.

import type { Counts, PlaceCount, PointRecord, Report, Summary } from "../worker/protocol.ts";
import { compareRows, isFound, isWhole, placeIndex, type Query, wholeQuery } from "../worker/query.ts";
import { compareRuns, type KeptRun } from "./analysis/comparison.ts";
import type { Result } from "./result.ts";

/** The rows that a run in the worker found for a query. */
export interface Found {
  readonly query: Query;
  readonly records: readonly PointRecord[];
  readonly count: number;
}

export class Rows {
  /**
   * The rows that the page holds: the first rows of the last run, and some later rows with errors or without a match of
   * `grok`.
   */
  records = $state.raw<readonly PointRecord[]>([]);
  /**
   * The statements and `grok` calls of the scripts, to which the rows in `records` refer by index. Each has the number
   * of points that reached it, among the first `points` points of the run.
   */
  places = $state.raw<readonly PlaceCount[]>([]);
  points = $state(0);
  query = $state.raw<Query>(wholeQuery);
  found = $state.raw<Found | null>(null);
  hiddenColumns = $state.raw<ReadonlySet<string>>(new Set());

  /** The run that the user keeps to compare it with the present one; null for none. */
  kept = $state.raw<KeptRun | null>(null);
  /**
   * Whether the table shows only the rows that differ from the kept run (the run that the user keeps for comparison).
   */
  onlyDifferent = $state(false);

  private readonly result: () => Result | null;
  private readonly search: (query: Query) => void;

  readonly comparison = $derived.by(() => (this.kept === null ? null : compareRuns(this.kept.records, this.records)));

  /** The rows that the table shows, in the order of the table. */
  readonly shown = $derived.by(() => {
    const rows = this.asked;
    const { comparison } = this;
    return comparison === null || !this.onlyDifferent ? rows : rows.filter((record) => comparison.rows.has(record));
  });

  /**
   * The rows that match the query: the rows that a run in the worker has found for the query, or, without such a
   * run, the matching rows among those that the page holds.
   */
  private readonly asked = $derived.by(() => {
    const { query, found } = this;
    return found !== null && found.query === query ? found.records : this.held;
  });

  /** The rows that match the query, among the rows that the page holds. */
  private readonly held = $derived.by(() => {
    const { query, records } = this;
    if (isWhole(query)) return records;
    const place = placeIndex(query.place, this.places);
    const matching = records.filter((record) => isFound(record, query, place));
    const { sort } = query;
    return sort === null ? matching : matching.sort((a, b) => compareRows(a, b, sort));
  });

  /** Number of rows that match the query among all rows of the run; null while it is unknown. */
  readonly count = $derived.by(() => {
    const { query, found } = this;
    if (isWhole(query)) return this.total;
    if (this.isComplete || this.holdsAll) return this.asked.length;
    return found !== null && found.query === query ? found.count : null;
  });

  readonly total = $derived.by(() => totalOf(this.result()?.counts));
  /** Whether the page holds every row of the run. */
  readonly isComplete = $derived(this.records.length >= this.total);

  /**
   * Whether the page holds every row that matches the query, although it may hold only a part of all rows. This is
   * often the case for rows with errors and rows without a match of `grok`, because a run sends more of these rows
   * to the page than of other rows.
   */
  private readonly holdsAll = $derived.by(() => {
    const { filter, text, place } = this.query;
    const counts = this.result()?.counts;
    if (counts === undefined || text !== "" || (place !== null && filter !== "all")) return false;
    if (place === null) return filter !== "all" && countOf(counts, filter) <= this.held.length;
    const found = this.places[placeIndex(place, this.places)];
    if (found === undefined) return false;
    return (place.wants === "missed" ? found.points - found.matched : found.points) <= this.held.length;
  });

  /** `search` starts a run that searches all rows of the input. */
  constructor(result: () => Result | null, search: (query: Query) => void) {
    this.result = result;
    this.search = search;
  }

  ask(part: Partial<Query>): void {
    this.query = { ...this.query, ...part };
    this.searchIfNeeded();
  }

  /** Sorts by a column; a second call reverses the order, and a third call restores the order of the input. */
  sortBy(column: string): void {
    const { sort } = this.query;
    const isSame = sort?.column === column;
    this.ask({ sort: isSame && sort!.descending ? null : { column, descending: isSame } });
  }

  toggleColumn(key: string): void {
    const hidden = new Set(this.hiddenColumns);
    if (!hidden.delete(key)) hidden.add(key);
    this.hiddenColumns = hidden;
  }

  /** Removes the rows and resets the query, because another project is opened. */
  clear(): void {
    this.records = [];
    this.places = [];
    this.points = 0;
    this.query = wholeQuery;
    this.found = null;
    this.hiddenColumns = new Set();
    this.keep(null);
  }

  /** Keeps the present run for comparison with later runs; null removes the kept run. */
  keep(run: Pick<KeptRun, "time" | "scripts"> | null): void {
    this.kept = run === null ? null : { ...run, records: this.records, places: this.places };
    this.onlyDifferent = false;
  }

  /** Adds rows that a run has sent. With `isFirst`, they replace the rows of the previous run. */
  take(report: Extract<Report, { kind: "records" }>, isFirst: boolean): void {
    this.records = isFirst ? report.records : [...this.records, ...report.records];
    this.places = report.places;
    this.points = report.points;
  }

  /**
   * Called when a run has ended. Removes a filter that no row meets any more, and applies the query to the new rows.
   */
  runEnded({ places, counts: { points } }: Summary): void {
    this.found = null;
    this.places = places;
    this.points = points;
    const { query } = this;
    const counts = this.result()?.counts;
    const filter = counts === undefined || countOf(counts, query.filter) > 0 ? query.filter : "all";
    const place = this.placeNow();
    if (filter !== query.filter || place !== query.place) this.query = { ...query, filter, place };
    this.searchIfNeeded();
  }

  private searchIfNeeded(): void {
    if (isWhole(this.query) || this.isComplete || this.holdsAll || this.result()?.summary == null) return;
    this.search(this.query);
  }

  /**
   * Returns the place (statement or call of `grok`) of the filter, with its offset in the present script. When an edit
   * has moved the place, returns the nearest place with the same text; null when no row meets the filter any more.
   */
  private placeNow(): Query["place"] {
    const { place } = this.query;
    if (place === null) return null;
    const alike = this.places.filter(
      ({ script, kind, text }) => script === place.script && kind === place.kind && text === place.text,
    );
    const [nearest] = alike.sort((a, b) => Math.abs(a.at - place.at) - Math.abs(b.at - place.at));
    if (nearest === undefined) return null;
    const rows = place.wants === "missed" ? nearest.points - nearest.matched : nearest.points;
    if (rows === 0) return null;
    return nearest.at === place.at ? place : { ...place, at: nearest.at };
  }
}

function totalOf(counts: Counts | undefined): number {
  return counts === undefined ? 0 : counts.points + counts.created + counts.refused;
}

/** Returns the number of rows that meet a filter. */
export function countOf(counts: Counts, filter: Query["filter"]): number {
  switch (filter) {
    case "all":
      return totalOf(counts);
    case "errors":
      return counts.errors + counts.refused;
    default:
      return counts[filter];
  }
}
