// The state of the explore mode: what the user has chosen, the query for it, and the numbers of points of measurements
// and keys.

import type { AnswerHost } from "../../panes/answers/answer-host.ts";
import { Asker } from "../../panes/answers/asker.svelte.ts";
import type { Picked } from "../../panes/answers/cell-text.ts";
import type { ChartStyle } from "../../panes/charts/chart-lines.ts";
import type { Session } from "../../state/session.svelte.ts";
import type { Answered, HeldSource, Survey, Wish } from "../../worker/query-run/asking.ts";
import type {
  Condition,
  CountJob,
  Drawn,
  ExploreChoice,
  KeyCount,
  KeyValues,
} from "../../worker/query-run/exploring.ts";
import { drawnField, firstDrawn, hasLines, searchKeyOf } from "./choices.ts";
import { treeOf } from "./tree.ts";

export type View = "logs" | "chart";

/** The user's choice in the explore mode, and the query that asks for its points. */
interface Written {
  readonly text: string;
  readonly choice: ExploreChoice;
}

/**
 * An answer, the query that it answers, and the user's choice in the explore mode for which this query was
 * written.
 */
export interface ShownAnswer extends Written {
  readonly answer: Answered;
  /**
   * The time range of the answer in milliseconds since 1970; null when the answer covers the time range of the points
   * themselves.
   */
  readonly span: { readonly from: number; readonly to: number } | null;
}

/**
 * The values of a key are requested when the user has not changed the source, the filters or the time range for
 * this many milliseconds.
 */
const pauseMs = 250;

export class Explorer implements AnswerHost {
  readonly session: Session;
  readonly asker: Asker;
  readonly isLive = false;
  picked = $state.raw<Picked | null>(null);
  selected = $state.raw<HeldSource | null>(null);
  view = $state<View>("logs");
  style = $state<ChartStyle>("lines");
  searchText = $state("");
  conditions = $state.raw<readonly Condition[]>([]);
  drawn = $state.raw<Drawn>({ fn: "count", field: null, by: null });
  /**
   * Number of points of each measurement. The keys of the map are the texts that name the measurements in queries, such
   * as `L::nginx`.
   */
  counts = $state.raw<ReadonlyMap<string, number>>(new Map());
  /** The keys of the selected measurement. Their numbers of points arrive later than the keys. */
  keys = $state.raw<readonly KeyCount[]>([]);
  /** The key whose values are listed; null for none. */
  openKey = $state<string | null>(null);
  valueSearch = $state("");
  /** The values of the open key; null while they are requested, and when the request failed. */
  values = $state.raw<KeyValues | null>(null);
  isFinding = $state(false);
  written = $state.raw<Written | null>(null);
  /** The last answer to a query of the explore mode. */
  shown = $state.raw<ShownAnswer | null>(null);
  private turns = { write: 0, sources: 0, keys: 0, values: 0 };
  private timer: ReturnType<typeof setTimeout> | undefined;

  readonly choice = $derived.by((): ExploreChoice | null => {
    const { selected, view, drawn, conditions } = this;
    if (selected === null) return null;
    const { category, text, name } = selected;
    const key = searchKeyOf(category, this.keys);
    const search = key === null || this.searchText.trim() === "" ? null : { key, text: this.searchText };
    return { source: { category, text, name }, search, conditions, drawn: view === "chart" ? drawn : null };
  });

  constructor(session: Session) {
    this.session = session;
    this.asker = new Asker(session, () => this.written?.text ?? "");
  }

  get answer(): Answered | null {
    return this.asker.answer;
  }

  get isStale(): boolean {
    return this.asker.isStale;
  }

  private get job(): CountJob {
    return { range: this.asker.range };
  }

  /**
   * Lets the worker write the query for the user's choice, because the worker has the rules for writing names and
   * values in a query.
   */
  async write(): Promise<void> {
    const own = ++this.turns.write;
    const { choice } = this;
    const text = choice === null ? null : await this.asker.call((api) => api.exploreQuery(choice));
    // When the text of the query has not changed, the query is not run again.
    if (own !== this.turns.write || text === (this.written?.text ?? null)) return;
    this.written = choice === null || text === null ? null : { text, choice };
  }

  /** Stores the answer that has just arrived, with the user's choice that its query was written for. */
  takeAnswer(): void {
    const { asker, written } = this;
    const { answer, range } = asker;
    if (answer === null || written === null || asker.answeredText !== written.text) return;
    const now = Date.now();
    const span = range === null ? null : "lastMs" in range ? { from: now - range.lastMs, to: now } : range;
    this.shown = { ...written, answer, span };
  }

  /**
   * Selects a measurement when the worker has described new points: the measurement that was selected before, or else
   * the first one.
   */
  takeHolding(): void {
    const sources = treeOf(this.asker.holding?.sources ?? []).flatMap((branch) => branch.sources);
    const { selected } = this;
    const same = sources.find(({ text, category }) => text === selected?.text && category === selected.category);
    if (same === undefined) this.select(sources[0] ?? null);
    else {
      this.selected = same;
      void this.countKeys();
      void this.findValues();
    }
    void this.countSources();
  }

  select(source: HeldSource | null): void {
    this.selected = source;
    this.keys = (source?.keys ?? []).map((each) => ({ ...each, points: null }));
    this.openKey = null;
    this.values = null;
    this.valueSearch = "";
    this.searchText = "";
    this.conditions = [];
    this.picked = null;
    if (source === null) return;
    this.view = hasLines(source.category) ? "logs" : "chart";
    this.drawn = firstDrawn(source.category, source.keys);
    this.style = hasLines(source.category) ? "stacked" : "lines";
    void this.countKeys();
  }

  /** Counts the points again, because the time range has changed. */
  recount(): void {
    void this.countSources();
    void this.countKeys();
    void this.findValues();
  }

  private async countSources(): Promise<void> {
    const own = ++this.turns.sources;
    const { job } = this;
    const sources = this.asker.holding?.sources ?? [];
    const known = new Map(sources.flatMap(({ text, points }) => (points === null ? [] : [[text, points] as const])));
    // Without a time range, the numbers of points are known already when the worker holds the points in memory.
    if (job.range === null && known.size === sources.length) {
      this.counts = known;
      return;
    }
    const counted = await this.asker.call((api) => api.countSources({ sources, job }));
    if (own !== this.turns.sources || counted === null) return;
    this.counts = new Map(
      sources.flatMap(({ text }, at) => (counted[at] == null ? [] : [[text, counted[at]] as const])),
    );
  }

  private async countKeys(): Promise<void> {
    const own = ++this.turns.keys;
    const { selected: source, job } = this;
    if (source === null) return;
    const keys = await this.asker.call((api) => api.countKeys({ source, job }));
    if (own !== this.turns.keys || keys === null) return;
    const hadNone = this.keys.length === 0;
    this.keys = keys;
    if (hadNone) this.drawn = firstDrawn(source.category, keys);
  }

  /** Lists the values of a key. When they are listed already, closes their list. */
  toggleKey(key: string): void {
    this.openKey = this.openKey === key ? null : key;
    this.values = null;
    this.valueSearch = "";
    void this.findValues();
  }

  /** Lists the values of the open key again after a short pause. */
  findValuesSoon(): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => void this.findValues(), pauseMs);
  }

  private async findValues(): Promise<void> {
    const own = ++this.turns.values;
    const { choice, openKey: key, keys, valueSearch: search, job } = this;
    this.isFinding = false;
    if (choice === null || key === null || !this.hasValues(key)) return;
    this.isFinding = true;
    const found = await this.asker.call((api) => api.keyValues({ choice, key, keys, search, job }));
    if (own !== this.turns.values) return;
    this.isFinding = false;
    this.values = found;
  }

  /**
   * Returns whether the page can list the values of a key. Points cannot be grouped by fields of metrics, so the values
   * of such fields cannot be listed.
   */
  hasValues(key: string): boolean {
    const { selected } = this;
    return (
      selected !== null &&
      (hasLines(selected.category) || this.keys.some((each) => each.key === key && each.kind === "tag"))
    );
  }

  /** Chooses the field that the chart draws; null draws the number of points. */
  drawField(field: string | null): void {
    this.drawn = drawnField(this.drawn, field, this.keys);
    this.view = "chart";
  }

  drawBy(by: string | null): void {
    this.drawn = { ...this.drawn, by };
    this.view = "chart";
  }

  survey(keys: readonly string[], group: string): Promise<Survey | null> {
    return this.asker.survey(keys, group);
  }

  zoom(from: number, to: number): Promise<void> {
    return this.asker.zoom(from, to);
  }

  async filter({ key, cell }: Picked, wish: Wish): Promise<void> {
    this.picked = null;
    if (key === null) return;
    if (wish === "group") return this.drawBy(key);
    const isSame = (each: Condition) =>
      each.key === key && each.cell.text === cell.text && each.cell.kind === cell.kind;
    this.conditions = [...this.conditions.filter((each) => !isSame(each)), { key, cell, wish }];
  }

  removeCondition(condition: Condition): void {
    this.conditions = this.conditions.filter((each) => each !== condition);
  }

  clear(): void {
    this.conditions = [];
    this.searchText = "";
  }

  /** Opens the current query in the query mode, over the same points and the same time range. */
  openAsDql(): void {
    const { source, file, category, range } = this.asker;
    if (this.written !== null) this.session.openQuery(this.written.text, { source, file, category, range });
  }
}
