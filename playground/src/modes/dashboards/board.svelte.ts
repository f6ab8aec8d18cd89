// The open dashboard: its content, its time and variables, and the changes that are not saved.

import { type Api, ApiFault } from "./api.ts";
import { type Place, placeChart } from "./layout.ts";
import { type Chart, chartsOf, moveCharts, type Template, titleOf, variablesOf } from "./template.ts";
import { type Span, spanOf, type TimeRange } from "./time-range.ts";
import { all, fillQuery, readVariable, type Variable, valuesOf } from "./variables.ts";

export interface Choice {
  readonly variable: Variable;
  /** Values to choose from. */
  readonly values: readonly string[];
  /** Why the values cannot be had; empty when they can. */
  readonly problem: string;
}

export class Board {
  readonly uuid: string;
  readonly api: Api;
  /** The content as the platform has it. */
  saved = $state.raw<Template>({});
  /** The content that is edited; null when the dashboard is not edited. */
  draft = $state.raw<Template | null>(null);
  /** The contents before each change, the last one at the end. */
  past = $state.raw<readonly Template[]>([]);
  /** Places that are shown while a chart is dragged; null otherwise. */
  dragged = $state.raw<readonly Place[] | null>(null);
  range = $state.raw<TimeRange>({ last: 60 * 60_000 });
  /** Seconds between two refreshes; 0 for none. */
  every = $state(0);
  span = $state.raw<Span>({ from: 0, to: 0 });
  choices = $state.raw<readonly Choice[]>([]);
  /** The values of the variables that the user chose, by code. */
  chosen = $state.raw<Readonly<Record<string, string>>>({});
  busy = $state(false);
  /** Why the dashboard could not be opened or saved; empty for no reason. */
  fault = $state("");
  /** Whether someone else changed the dashboard since it was opened, so that saving would lose their change. */
  isChanged = $state(false);
  isOpen = $state(false);
  private version = "";
  private asking = new AbortController();

  readonly template = $derived(this.draft ?? this.saved);
  readonly title = $derived(titleOf(this.template));
  readonly charts = $derived.by((): readonly Chart[] => {
    const charts = chartsOf(this.template);
    const { dragged } = this;
    return dragged === null ? charts : charts.map((each, at) => ({ ...each, place: dragged[at]! }));
  });
  readonly isDirty = $derived(this.draft !== null && this.draft !== this.saved);
  /** The value of each variable in the queries. */
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
      // The charts are asked after the variables have their values.
      await this.findValues();
      this.refresh();
      this.isOpen = true;
    });
  }

  /** Asks the queries again, up to now. */
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

  close(): void {
    this.asking.abort();
  }

  /** Finds the values of the variables, one after the other, as a query may name a variable before it. */
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
    this.draft = this.saved;
    this.past = [];
    this.fault = "";
  }

  discard(): void {
    this.draft = null;
    this.past = [];
    this.fault = "";
    this.isChanged = false;
  }

  change(template: Template): void {
    if (this.draft === null) return;
    this.past = [...this.past, this.draft].slice(-200);
    this.draft = template;
  }

  undo(): void {
    const before = this.past.at(-1);
    if (before === undefined || this.draft === null) return;
    this.past = this.past.slice(0, -1);
    this.draft = before;
  }

  /** Puts a chart at a place. While it is dragged, `isLast` is false, and nothing is changed yet. */
  place(index: number, place: Place, isLast: boolean): void {
    const places = placeChart(
      chartsOf(this.template).map((each) => each.place),
      index,
      place,
    );
    this.dragged = isLast ? null : places;
    if (!isLast) return;
    const next = moveCharts(this.template, places);
    if (JSON.stringify(next) !== JSON.stringify(this.template)) this.change(next);
  }

  /** Moves or resizes a chart by one step. A step down goes on until the chart has passed the one below. */
  step(index: number, { x = 0, y = 0, w = 0, h = 0 }: Partial<Place>): void {
    const before = chartsOf(this.template).map((each) => each.place);
    const own = before[index]!;
    for (let times = 1; times <= (y > 0 ? 80 : 1); times++) {
      const wanted = { x: own.x + x, y: own.y + y * times, w: own.w + w, h: own.h + h };
      const next = placeChart(before, index, wanted)[index]!;
      if (y > 0 && next.y <= own.y) continue;
      this.place(index, wanted, true);
      return;
    }
  }

  /** Saves the changes. `isSure`: also when someone else changed the dashboard meanwhile. Returns whether they are saved. */
  async save(isSure: boolean): Promise<boolean> {
    const { draft } = this;
    if (draft === null) return false;
    return await this.whileBusy(async () => {
      const changed = (await this.api.version(this.uuid)) !== this.version;
      this.isChanged = changed && !isSure;
      if (this.isChanged) return;
      await this.api.replace(this.uuid, draft);
      const title = titleOf(draft);
      if (title !== titleOf(this.saved) && title !== "") await this.api.rename(this.uuid, title);
      const { template, version } = await this.api.open(this.uuid);
      this.saved = template;
      this.version = version;
      this.draft = null;
      this.past = [];
    });
  }

  /** Does work that may fail. Returns whether it was done, and keeps the reason when it was not. */
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
