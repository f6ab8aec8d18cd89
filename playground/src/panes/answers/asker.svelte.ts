// The state of a query and of its answer. A worker holds the points, and the query runs again after each change
// of its text.

import type { CategoryName } from "../../../../lib/index.ts";
import { download, formOf, longestText } from "../../state/files.ts";
import { isSameInput, type RunInput } from "../../state/run-input.ts";
import type { Session } from "../../state/session.svelte.ts";
import { t } from "../../text/translate.ts";
import { startWorker } from "../../worker/client.ts";
import type { Job } from "../../worker/protocol.ts";
import type {
  Answered,
  AskedRange,
  Holding,
  NoPoints,
  PointSource,
  QueryAnswer,
  QueryFault,
  QueryItems,
  QueryJob,
  QueryWord,
  ReadPoints,
  Survey,
  Wish,
} from "../../worker/query-run/asking.ts";
import { zoneChoice } from "../time/zone-choice.svelte.ts";
import type { Picked } from "./cell-text.ts";
import { rememberQuery } from "./history.ts";

/** The query runs when the user has not changed its text for this many milliseconds. */
const pauseMs = 250;
/** A query is added to the history when its answer has been on the page for this many milliseconds. */
const readMs = 1500;

/** In live mode, the time in milliseconds between an answer and the next query. */
const liveMs = 2000;

type Started = ReturnType<typeof startWorker>;
/** Describes where the points in the worker come from: a run of the scripts, a file, or the platform. */
type Loaded =
  | { readonly source: "platform" }
  | { readonly source: "run"; readonly of: RunInput }
  | { readonly source: "file"; readonly file: File; readonly category: CategoryName };

export class Asker {
  readonly session: Session;
  source = $state<PointSource>("run");
  file = $state.raw<File | null>(null);
  /** Category (such as metrics or logs) of the points in the file that the user has opened. */
  category = $state<CategoryName>("metric");
  /**
   * For each source of points, the time range for queries that do not contain a time range; null means all points.
   * For the points of a run and of a file the time range is null at first, because these points may be old.
   */
  private ranges = $state.raw<Readonly<Record<PointSource, AskedRange | null>>>({
    run: null,
    file: null,
    platform: { lastMs: 3_600_000 },
  });
  /** Whether live mode is on, which runs the query again and again. */
  isLive = $state(false);
  /**
   * Whether live mode is paused, because the user has scrolled down in the answer or has opened another mode of
   * the page.
   */
  isHeld = false;
  /** Describes the points that the worker holds; null while the worker loads points, and when it holds no points. */
  holding = $state.raw<Holding | null>(null);
  /**
   * The last answer that was computed without an error. The page shows this answer even while the changed query
   * has an error.
   */
  answer = $state.raw<Answered | null>(null);
  /** The text of the query whose answer the page shows. */
  answeredText = $state("");
  fault = $state.raw<QueryFault | null>(null);
  /**
   * The reason why the query could not be run, for example because there are no points. Empty when the query ran; an
   * error in the text of the query is in `fault`.
   */
  notice = $state("");
  doing = $state<"loading" | "asking" | null>(null);
  /** Whether the query, or the points that it reads, have changed since the answer arrived. */
  isStale = $state(false);
  words = $state.raw<readonly QueryWord[]>([]);
  history = $state.raw<readonly string[]>(rememberQuery(null));
  picked = $state.raw<Picked | null>(null);
  /**
   * Number of times that the user has run the query, for example with a button. It does not count the runs that happen
   * while the user types.
   */
  asked = $state(0);
  private started: Started | null = null;
  private loaded: Loaded | null = null;
  private turn = 0;
  private isWorking = false;
  private abort: (reason: string) => void = () => {};
  private timer: ReturnType<typeof setTimeout> | undefined;
  private reading: ReturnType<typeof setTimeout> | undefined;
  private readonly ownText: (() => string) | null;

  /**
   * `ownText` returns the query to run. The explore mode passes this function, because this mode itself writes its
   * queries. Without `ownText`, the query of the query mode is run. Only the query of the query mode is stored in
   * the project and in the history.
   */
  constructor(session: Session, ownText: (() => string) | null = null) {
    this.session = session;
    this.ownText = ownText;
  }

  get text(): string {
    return this.ownText === null ? this.session.project.query.text : this.ownText();
  }

  get range(): AskedRange | null {
    return this.ranges[this.source];
  }

  set range(range: AskedRange | null) {
    this.ranges = { ...this.ranges, [this.source]: range };
  }

  private get queryJob(): QueryJob {
    return { text: this.text, timeZone: zoneChoice.name, range: this.range };
  }

  /** Turns live mode on or off. Live mode repeats the query every few seconds. */
  setLive(isLive: boolean): void {
    this.isLive = isLive;
    if (isLive) this.schedule(0);
  }

  private askAgain(): void {
    if (!this.isLive || this.source !== "platform") return;
    if (!this.isHeld && this.fault === null && this.text.trim() !== "") {
      this.turn++;
      void this.work();
    } else this.timer = setTimeout(() => this.askAgain(), liveMs);
  }

  /** Runs the query after a short pause. Every call restarts the pause. */
  schedule(pause = pauseMs): void {
    this.turn++;
    this.isStale = true;
    this.picked = null;
    clearTimeout(this.reading);
    clearTimeout(this.timer);
    // A change, for example of the script, can make the points useless that the worker is loading. In this case the
    // worker stops loading them.
    if (this.doing === "loading" && !this.isLoading()) void this.started?.api.stop();
    this.timer = setTimeout(() => void this.work(), pause);
  }

  /**
   * Runs the query at once, and adds it to the history. For the points of the platform, also asks the platform again
   * which sources it has, because they may have changed.
   */
  run(): void {
    if (this.source === "platform") this.loaded = null;
    this.asked++;
    this.schedule(0);
    if (this.text.trim() !== "") this.remember(this.text);
  }

  /**
   * Stops the worker. A worker that is loading points keeps the points loaded so far. A running query cannot be
   * interrupted, so the page terminates the worker; the next query starts a new worker, which loads the points
   * again.
   */
  stop(): void {
    if (this.doing === "loading") void this.started?.api.stop();
    else if (this.doing === "asking") this.end(t("Stopped. The last answer is still shown."));
  }

  private end(reason: string): void {
    this.started?.worker.terminate();
    this.started = null;
    this.loaded = null;
    this.loading = null;
    this.abort(reason);
  }

  private async work(): Promise<void> {
    if (this.isWorking) return;
    this.isWorking = true;
    for (let own = -1; own !== this.turn; ) {
      own = this.turn;
      this.notice = "";
      try {
        await this.once(own);
      } catch (error) {
        this.notice = error instanceof Error ? error.message : String(error);
      }
      this.doing = null;
    }
    this.isWorking = false;
  }

  private async once(own: number): Promise<void> {
    const api = this.startedWorker().api;
    if (this.words.length === 0) this.words = await this.ending(api.queryWords());
    if (!this.isLoaded()) await this.load();
    if (own !== this.turn) return;
    if (this.missing !== "") throw new Error(this.missing);
    if (this.text.trim() === "" || this.holding === null) {
      this.answer = null;
      this.fault = null;
      this.isStale = false;
      return;
    }
    this.doing = "asking";
    const job = this.queryJob;
    const answer = await this.ending<QueryAnswer>(api.ask(job));
    if (own !== this.turn) return;
    if (answer.kind === "fault") {
      this.fault = answer;
      return;
    }
    this.fault = null;
    this.answer = answer;
    this.answeredText = job.text;
    this.isStale = false;
    if (this.isLive) this.timer = setTimeout(() => this.askAgain(), liveMs);
    this.reading = setTimeout(() => this.remember(job.text), readMs);
  }

  private remember(text: string): void {
    if (this.ownText === null) this.history = rememberQuery(text);
  }

  private loading: Loaded | null = null;
  /** The reason why the query has no points to read; empty when it has points. */
  private missing = "";

  private async load(): Promise<void> {
    const wanted = this.wanted();
    this.loaded = null;
    if (wanted === null) {
      this.holding = null;
      throw new Error(t("Choose a file of points, or drop one."));
    }
    this.doing = "loading";
    this.loading = wanted;
    const { api } = this.startedWorker();
    const found = await this.ending<Holding | NoPoints>(
      wanted.source === "platform" ? api.openPlatform() : api.holdPoints(this.jobOf(wanted)),
    );
    this.loading = null;
    this.loaded = wanted;
    this.missing = "reason" in found ? found.reason : "";
    this.holding = "reason" in found ? null : found;
  }

  private wanted(): Loaded | null {
    if (this.source === "platform") return { source: "platform" };
    if (this.source === "run") return { source: "run", of: this.session.runInput };
    return this.file === null ? null : { source: "file", file: this.file, category: this.category };
  }

  private isLoaded(): boolean {
    return isSame(this.loaded, this.wanted());
  }

  private isLoading(): boolean {
    return isSame(this.loading, this.wanted());
  }

  private jobOf(wanted: Exclude<Loaded, { readonly source: "platform" }>): Job {
    const job = this.session.job();
    if (wanted.source === "run") return job;
    const { file, category } = wanted;
    return { ...job, scripts: [], input: file, form: formOf(file, "lp"), category };
  }

  private startedWorker(): Started {
    if (this.started === null) {
      this.started = startWorker();
      this.started.worker.onerror = (event) => {
        event.preventDefault();
        const reason = event.message || t("it could not be started");
        this.end(t("The worker ended: {reason}. The last answer is still shown.", { reason }));
      };
    }
    return this.started;
  }

  /** Waits for an answer of the worker. Throws when the worker is ended before it answers. */
  private ending<T>(answer: Promise<T>): Promise<T> {
    const ended = new Promise<never>((_, reject) => {
      this.abort = (reason) => reject(new Error(reason));
    });
    return Promise.race([answer, ended]);
  }

  /** Sets the query to the text that the user typed. Refuses a text that is too long. */
  write(text: string): void {
    if (text.length <= longestText / 10) this.session.changeMode("query", { text });
    else this.session.say({ tone: "error", text: t("A query has at most 200 kB. The query before it is kept.") });
  }

  /** Puts a query into the editor. When it replaces another query, the page offers to undo this. */
  replace(text: string, what: string): void {
    const { text: before } = this;
    if (before === text) return;
    this.write(text);
    if (before.trim() !== "")
      this.session.say({ tone: "info", text: what, undo: () => this.session.changeMode("query", { text: before }) });
  }

  takeFile(file: File): void {
    this.file = file;
    this.source = "file";
  }

  /**
   * Makes the query read the points that another mode has passed on, in the time range that was passed on with them.
   */
  takePoints({ source, file, category, range }: ReadPoints): void {
    this.source = source;
    this.file = file;
    this.category = category;
    this.range = range;
  }

  /** Stores the query in the project under a name. Replaces a query of the same name. */
  save(name: string): void {
    const { saved, text } = this.session.project.query;
    this.session.changeMode("query", { saved: [...saved.filter((each) => each.name !== name), { name, text }] });
  }

  removeSaved(name: string): void {
    const { saved } = this.session.project.query;
    this.session.changeMode("query", { saved: saved.filter((each) => each.name !== name) });
    this.session.say({
      tone: "info",
      text: t("The query “{name}” is removed.", { name }),
      undo: () => this.session.changeMode("query", { saved }),
    });
  }

  /**
   * Sets the time range in which the query reads points. Changes the text of the query when the text contains a
   * time range, and otherwise the time picker of the page.
   */
  async zoom(from: number, to: number): Promise<void> {
    const { text, range, source } = this;
    const edited = await this.startedWorker().api.editRange(text, { from, to });
    if (this.text !== text || this.source !== source) return;
    if (edited !== null) return this.replace(edited, t("The query has the time range of the chart."));
    this.range = { from, to };
    const undo = () => {
      this.ranges = { ...this.ranges, [source]: range };
    };
    this.session.say({ tone: "info", text: t("The time range is set."), undo });
  }

  /**
   * Counts the points that the query returns; null for a query that groups or computes instead of returning points, and
   * when counting fails.
   */
  async survey(keys: readonly string[], group: string): Promise<Survey | null> {
    const job = { ...this.queryJob, text: this.answeredText };
    try {
      return await this.startedWorker().api.survey({ job, keys, group });
    } catch {
      return null;
    }
  }

  /** Adds a filter for the clicked value to the query, or groups the query by the value's key. */
  async filter({ key, cell }: Picked, wish: Wish): Promise<void> {
    const { text } = this;
    this.picked = null;
    const edited = key === null ? null : await this.startedWorker().api.editFilter({ text, key, cell, wish });
    if (edited === null)
      this.session.say({ tone: "error", text: t("The query cannot be changed with this value. Nothing was changed.") });
    else if (this.text === text)
      this.replace(edited, t(wish === "group" ? "The query counts by this key." : "The query has one condition more."));
  }

  async saveCsv(): Promise<void> {
    const csv = await this.startedWorker().api.askCsv({ ...this.queryJob, text: this.answeredText });
    if (typeof csv !== "string") return this.session.say({ tone: "error", text: csv.message });
    download(new Blob([csv], { type: "text/csv" }), "answer.csv");
    this.session.say({ tone: "info", text: t("Saved as answer.csv.") });
  }

  items(before: string): Promise<QueryItems> {
    return this.startedWorker().api.queryItems(before);
  }

  /** Calls the worker that holds the points. The promise stays pending when the worker is ended meanwhile. */
  call<T>(work: (api: Started["api"]) => Promise<T>): Promise<T> {
    return work(this.startedWorker().api);
  }
}

function isSame(a: Loaded | null, b: Loaded | null): boolean {
  if (a === null || b === null) return false;
  if (a.source === "platform") return b.source === "platform";
  if (a.source === "run") return b.source === "run" && isSameInput(a.of, b.of);
  return b.source === "file" && a.file === b.file && a.category === b.category;
}
