// The open dashboard: its content, its time range and variables, and the changes that are not saved.

import { type Api, ApiFault } from "../../panes/dashboards/api.ts";
import { type Place, placeChart, placeEarlier } from "../../panes/dashboards/layout.ts";
import {
  type Chart,
  chartsOf,
  mainOf,
  moveCharts,
  type Template,
  titleOf,
  variablesOf,
} from "../../panes/dashboards/template.ts";
import { exactText } from "../../state/exact-json.ts";
import type { ChartAsker } from "./chart-asker.svelte.ts";
import { collapseGroup, type Section, sectionsOf } from "./groups/template-groups.ts";
import { type Span, spanOf, type TimeRange } from "./time-range.ts";
import { fillQuery } from "./variables/fill-query.ts";
import { all, readVariable, type Variable, valuesOf } from "./variables.ts";

export interface Choice {
  readonly variable: Variable;
  /** The values from which the user can choose one for the variable. */
  readonly values: readonly string[];
  /** The reason why the values could not be found; empty when they were found. */
  readonly problem: string;
}

/** A chart that is on the page, with its answers. */
export interface Drawn {
  readonly name: string;
  readonly asker: ChartAsker;
}

export class Board {
  readonly uuid: string;
  readonly api: Api;
  /** The template of the dashboard (its content as JSON) as the platform has stored it. */
  saved = $state.raw<Template>({});
  /**
   * The template of the dashboard (its content as JSON) with the user's unsaved changes; null while the user does not
   * edit the dashboard.
   */
  draft = $state.raw<Template | null>(null);
  /**
   * The template of the dashboard (its content as JSON) before each change, the newest one last, so that the user can
   * undo changes.
   */
  past = $state.raw<readonly Template[]>([]);
  /** The positions and sizes of all charts while the user drags one of them; null otherwise. */
  dragged = $state.raw<readonly Place[] | null>(null);
  range = $state.raw<TimeRange>({ last: 60 * 60_000 });
  /** Seconds between two refreshes; 0 when the dashboard is not refreshed. */
  every = $state(0);
  span = $state.raw<Span>({ from: 0, to: 0 });
  choices = $state.raw<readonly Choice[]>([]);
  /** The values of variables that the user has chosen, by the code of the variable (its name in queries). */
  chosen = $state.raw<Readonly<Record<string, string>>>({});
  busy = $state(false);
  /** The reason why the dashboard could not be opened or saved; empty when it could. */
  fault = $state("");
  /**
   * Whether someone else changed the dashboard since it was opened here, so that saving would overwrite that change.
   */
  isChanged = $state(false);
  isOpen = $state(false);
  /** Maps the name of each group that the user has opened or closed to whether its charts are hidden. */
  folds = $state.raw<Readonly<Record<string, boolean>>>({});
  /** The charts that are on the page at the moment, with their answers. */
  drawn = $state.raw<readonly Drawn[]>([]);
  private version = "";
  private asking = new AbortController();

  readonly template = $derived(this.draft ?? this.saved);
  readonly title = $derived(titleOf(this.template));
  readonly charts = $derived.by((): readonly Chart[] => {
    const charts = chartsOf(this.template);
    const { dragged } = this;
    return dragged === null ? charts : charts.map((each, at) => ({ ...each, place: dragged[at]! }));
  });
  /** The charts of the dashboard, divided by their groups. */
  readonly sections = $derived(sectionsOf(this.template, this.charts));
  readonly isDirty = $derived(this.draft !== null && this.draft !== this.saved);
  /** Maps the code of each variable (its name in queries) to the value that replaces the variable in queries. */
  readonly values = $derived.by((): Readonly<Record<string, string>> => {
    const pairs = this.choices.map(({ variable, values }): [string, string] => {
      const first = variable.first ?? (variable.hasAll ? all : (values[0] ?? ""));
      return [variable.code, this.chosen[variable.code] ?? first];
    });
    return Object.fromEntries(pairs.filter(([, value]) => value !== ""));
  });

  constructor(api: Api, uuid: string) {
    this.api = api;
    this.uuid = uuid;
  }

  async open(): Promise<void> {
    await this.whileBusy(async () => {
      const { template, version } = await this.api.open(this.uuid);
      this.saved = template;
      this.version = version;
      this.isChanged = false;
      // The queries of the charts contain the values of the variables, so the values are found before the charts send
      // their queries.
      await this.findValues();
      this.refresh();
      this.isOpen = true;
    });
  }

  /** Moves the time range so that it ends now. The charts then send their queries again. */
  refresh(): void {
    this.span = spanOf(this.range, Date.now());
  }

  setRange(range: TimeRange): void {
    this.range = range;
    this.refresh();
    void this.findValues();
  }

  choose(code: string, value: string): void {
    this.chosen = { ...this.chosen, [code]: value };
    void this.findValues();
  }

  /** When a variable gets another name in queries, keeps the value that the user has chosen for it. */
  carryChoice(from: string, to: string): void {
    const value = this.chosen[from];
    if (value !== undefined) this.chosen = { ...this.chosen, [to]: value };
  }

  close(): void {
    this.asking.abort();
  }

  /**
   * Adds a chart to the list of charts that are on the page. Returns a function that removes the chart from this list.
   */
  draw(one: Drawn): () => void {
    this.drawn = [...this.drawn, one];
    return () => {
      this.drawn = this.drawn.filter((each) => each !== one);
    };
  }

  /**
   * Finds the values of the variables one after the other, because the query of a variable may name an earlier
   * variable.
   */
  private async findValues(): Promise<void> {
    this.asking.abort();
    const { signal } = (this.asking = new AbortController());
    const variables = variablesOf(this.template).flatMap((raw) => readVariable(raw) ?? []);
    const choices: Choice[] = [];
    const known: Record<string, string> = {};
    for (const variable of variables) {
      const choice = await this.choiceOf(variable, known, signal);
      if (signal.aborted) return;
      choices.push(choice);
      const first = variable.first ?? (variable.hasAll ? all : (choice.values[0] ?? ""));
      known[variable.code] = this.chosen[variable.code] ?? first;
    }
    if (choices.length > 0 || this.choices.length > 0) this.choices = choices;
  }

  private async choiceOf(
    variable: Variable,
    known: Readonly<Record<string, string>>,
    signal: AbortSignal,
  ): Promise<Choice> {
    const { query, values, problem } = variable;
    if (query === "") return { variable, values, problem };
    try {
      const { from, to } = spanOf(this.range, Date.now());
      const question = { query: fillQuery(query, known), time_range: [Math.floor(from), Math.ceil(to)] as const };
      const [answer] = await this.api.ask([question], signal);
      return { variable, values: valuesOf(answer?.series ?? []), problem: "" };
    } catch (error) {
      return { variable, values: [], problem: (error as Error).message };
    }
  }

  edit(): void {
    this.take(this.saved);
    this.past = [];
    this.fault = "";
  }

  discard(): void {
    this.take(null);
    this.past = [];
    this.fault = "";
    this.isChanged = false;
  }

  change(template: Template): void {
    if (this.draft === null) return;
    this.past = [...this.past, this.draft].slice(-200);
    this.take(template);
  }

  undo(): void {
    const before = this.past.at(-1);
    if (before === undefined || this.draft === null) return;
    this.past = this.past.slice(0, -1);
    this.take(before);
  }

  /**
   * Replaces the user's unsaved content of the dashboard. With null, drops the unsaved content, so that the stored
   * content is shown. Finds the values of the variables again when the variables have changed.
   */
  private take(draft: Template | null): void {
    const before = mainOf(this.template).vars;
    this.draft = draft;
    if (mainOf(this.template).vars !== before) void this.findValues();
  }

  /** Returns whether the charts of a group are hidden. */
  isCollapsed({ name, isCollapsed }: Section): boolean {
    return name !== null && (this.folds[name] ?? isCollapsed);
  }

  /**
   * Hides or shows the charts of a group. In the edit mode the dashboard stores this choice; otherwise the choice lasts
   * only for this visit.
   */
  fold(name: string, isCollapsed: boolean): void {
    if (this.draft === null) this.folds = { ...this.folds, [name]: isCollapsed };
    else {
      const { [name]: _, ...others } = this.folds;
      this.folds = others;
      this.change(collapseGroup(this.template, name, isCollapsed));
    }
  }

  /**
   * Puts a chart at a place in the grid of its group. While the user still drags the chart, `isLast` is false, and the
   * content of the dashboard is not changed yet.
   */
  place(index: number, place: Place, isLast: boolean): void {
    this.arrange(index, (places, at) => placeChart(places, at, place), isLast);
  }

  /** Moves a chart before the previous chart of its group (-1), or behind the next one (1). */
  reorder(index: number, by: -1 | 1): void {
    const moved = by < 0 ? index : this.neighbour(index, 1);
    if (moved !== null) this.arrange(moved, placeEarlier, true);
  }

  /** Returns the index of the previous (-1) or the next (1) chart in the group of a chart; null when there is none. */
  neighbour(index: number, by: -1 | 1): number | null {
    const charts = chartsOf(this.template);
    const order = charts
      .filter(({ group }) => group === charts[index]!.group)
      .sort((a, b) => a.place.y - b.place.y || a.place.x - b.place.x)
      .map((each) => each.index);
    return order[order.indexOf(index) + by] ?? null;
  }

  /**
   * Moves all charts in the group of one chart. The function `work` takes the present positions and sizes of the charts
   * and returns the new ones.
   */
  private arrange(
    index: number,
    work: (places: readonly Place[], at: number) => readonly Place[],
    isLast: boolean,
  ): void {
    const charts = chartsOf(this.template);
    const members = charts.filter(({ group }) => group === charts[index]!.group);
    const arranged = work(
      members.map(({ place }) => place),
      members.findIndex((each) => each.index === index),
    );
    const places = charts.map(({ place }) => place);
    for (const [at, member] of members.entries()) places[member.index] = arranged[at]!;
    this.dragged = isLast ? null : places;
    if (!isLast) return;
    const next = moveCharts(this.template, places);
    if (exactText(next) !== exactText(this.template)) this.change(next);
  }

  /**
   * Moves or resizes a chart by the given number of columns and rows. When a chart is to move down and another
   * chart is in the way below it, it moves to the place below that other chart.
   */
  step(index: number, { x = 0, y = 0, w = 0, h = 0 }: Partial<Place>): void {
    const charts = chartsOf(this.template);
    const members = charts.filter(({ group }) => group === charts[index]!.group);
    const before = members.map(({ place }) => place);
    const at = members.findIndex((each) => each.index === index);
    const own = before[at]!;
    for (let times = 1; times <= (y > 0 ? 80 : 1); times++) {
      const wanted = { x: own.x + x, y: own.y + y * times, w: own.w + w, h: own.h + h };
      const next = placeChart(before, at, wanted)[at]!;
      if (y > 0 && next.y <= own.y) continue;
      this.place(index, wanted, true);
      return;
    }
  }

  /**
   * Saves the changes. `isSure`: saves even when someone else changed the dashboard meanwhile. Returns whether the
   * changes are saved.
   */
  async save(isSure: boolean): Promise<boolean> {
    const { draft } = this;
    if (draft === null) return false;
    return await this.whileBusy(async () => {
      const changed = (await this.api.version(this.uuid)) !== this.version;
      this.isChanged = changed && !isSure;
      if (this.isChanged) return;
      try {
        await this.api.replace(this.uuid, draft, isSure ? null : this.version);
      } catch (error) {
        // The dashboard had the expected version when this function asked for it, but someone else changed the
        // dashboard before its content could be replaced.
        this.isChanged = error instanceof ApiFault && error.code === "VersionConflict";
        if (this.isChanged) return;
        throw error;
      }
      const title = titleOf(draft);
      if (title !== titleOf(this.saved) && title !== "") await this.api.rename(this.uuid, title);
      const { template, version } = await this.api.open(this.uuid);
      this.saved = template;
      this.version = version;
      this.draft = null;
      this.past = [];
    });
  }

  /**
   * Runs `work`. Returns true on success; on failure returns false and stores the reason in `fault`, which the page
   * shows.
   */
  private async whileBusy(work: () => Promise<void>): Promise<boolean> {
    this.busy = true;
    this.fault = "";
    try {
      await work();
    } catch (error) {
      this.fault = error instanceof ApiFault ? error.message : String(error);
    }
    this.busy = false;
    return this.fault === "" && !this.isChanged;
  }
}
