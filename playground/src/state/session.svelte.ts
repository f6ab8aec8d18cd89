// The state of the page: the project, the answers of the workers, and the result of the last run. The panes of the page
// read this state and call its methods; no other code changes it.

import type { Diagnostic } from "../../../lib/index.ts";
import type { Offline } from "../offline/offline.svelte.ts";
import { t } from "../text/translate.ts";
import { createRunner, createSideWorker, type RunOutcome, startWorker } from "../worker/client.ts";
import type { Conversion } from "../worker/convert/conversion.ts";
import type {
  Job,
  Language,
  OutputForm,
  Place,
  PlaceCount,
  PointRecord,
  Progress,
  Report,
} from "../worker/protocol.ts";
import type { Query } from "../worker/query.ts";
import type { ReadPoints } from "../worker/query-run/asking.ts";
import type { ReadFile, TableFile } from "../worker/refer-tables/table-files.ts";
import type { Routing } from "../worker/sharding/routing.ts";
import { addressText, readAddress } from "./address.ts";
import { Bench } from "./analysis/bench.svelte.ts";
import { ScriptTests } from "./analysis/script-tests.svelte.ts";
import { Stepper } from "./analysis/stepper.svelte.ts";
import { firstExample } from "./example.ts";
import { download, editableText, fileName, formOf, longestText } from "./files.ts";
import { emptyProject, type ModeInput, type Project, parseMoment } from "./project.ts";
import { type Notice, noCounts, outcomeNotice, type Result, type RunKind, type Toast } from "./result.ts";
import { Rows } from "./rows.svelte.ts";
import { decidesRun, isSameInput, type RunInput } from "./run-input.ts";
import { DraftKeeper } from "./storage/draft-keeper.svelte.ts";
import type { Draft } from "./storage/drafts.ts";
import { visitTexts } from "./storage/storage.ts";
import { sizeText } from "./text.ts";

const liveBudgetMs = 2000;
/**
 * Largest number of characters of an input that a live run (a run that starts automatically) reads as a whole. A live
 * run reads only a sample of a longer text or of a file.
 */
const liveInputLength = 256 * 1024;
/** Number of points in a sample of the input. */
const samplePoints = 2000;
const liveKey = "millrace-live";
const wrapKey = "millrace-wrap";

export type InputView = "input" | "tables";
export type LowerTab = "fields" | "steps" | "compare" | "tests";

export class Session {
  project = $state.raw<Project>(emptyProject);
  /**
   * Whether the project of this tab is loaded. Before that the page takes no edits, because the loaded project would
   * replace them.
   */
  isOpen = $state(false);
  /** Number of times that the user has opened a row of the pipeline mode in the grok mode. */
  rowsTaken = $state(0);
  /** The points that the query mode reads next, with their time range; null when no other mode has set them. */
  readNext = $state.raw<ReadPoints | null>(null);
  /** Increases whenever another project is opened. The editors then start with an empty undo history. */
  loads = $state(0);
  /** Index of the script that is shown in the editor. */
  shown = $state(0);
  /** A file that is used as input because it is too large for an editor; null otherwise. */
  file = $state.raw<File | null>(null);
  language = $state.raw<Language | null>(null);
  notes = $state.raw<readonly Diagnostic[]>([]);
  live = $state(visitTexts.get(liveKey) !== "off");
  /** Whether long lines of the input are wrapped. */
  wraps = $state(visitTexts.get(wrapKey) === "on");
  running = $state<RunKind | null>(null);
  progress = $state.raw<Progress | null>(null);
  /** Number of bytes of the country database received so far, while the run waits for this database; null otherwise. */
  loading = $state<number | null>(null);
  result = $state.raw<Result | null>(null);
  readonly rows = new Rows(
    () => this.result,
    (query) => void this.search(query),
  );
  /** The reason why the result does not belong to the text on the screen; empty when it does. */
  readonly staleReason = $derived.by(() => {
    const { result } = this;
    if (result === null) return "";
    if (result.of === null) return t("from the run before");
    if (isSameInput(result.of, this.runInput)) return "";
    if (this.notes.some(({ severity }) => severity === "error"))
      return t("from before your last change: the script has an error");
    const isAutomatic = this.live || this.running !== null;
    return t(isAutomatic ? "from before your last change" : "from before your last change: press Run");
  });
  notice = $state.raw<Notice | null>(null);
  /** A notice about an event outside of a run, such as a copied link or a deleted draft. */
  toast = $state.raw<Toast | null>(null);
  /** The part of the page that stores the page for use without a network; null until its code is loaded. */
  offline = $state.raw<Offline | null>(null);
  /** Position to which an editor moves its cursor. Setting a new object moves the cursor, even to the same position. */
  jump = $state.raw<(Place & { readonly pane: "script" | "input" }) | null>(null);
  readonly keeper = new DraftKeeper(() => this.project);

  private readonly runner = createRunner();
  private startedAssistant: ReturnType<typeof startWorker>["api"] | null = null;
  /**
   * A second worker, which runs the tests of scripts, the step-by-step mode, and benchmarks. A script that it runs
   * may take very long or never end, so the worker is replaced when it exceeds a time limit.
   */
  private readonly side = createSideWorker();
  readonly tests = new ScriptTests(this, this.side);
  readonly stepper = new Stepper(this.side, () => this.job());
  readonly bench = new Bench(this.side, () => this.job());
  /** The content of the input pane: the input, or the reference tables. */
  inputView = $state<InputView>("input");
  /** The view that is open below the table of the result. */
  lowerTab = $state<LowerTab>("fields");
  private checks = 0;
  /**
   * The number of the current run. It increases when a run is started or abandoned, and reports of runs with lower
   * numbers are ignored.
   */
  private turn = 0;
  private current: Promise<unknown> = Promise.resolve();
  private timers: Record<"check" | "live" | "toast", ReturnType<typeof setTimeout> | undefined> = {
    check: undefined,
    live: undefined,
    toast: undefined,
  };

  /** Opens the project in the URL, or else the project of this tab or of the last visit. */
  async open(): Promise<void> {
    try {
      await this.openFirst();
    } finally {
      this.isOpen = true;
    }
    await this.keeper.list();
  }

  private async openFirst(): Promise<void> {
    const kept = await this.keeper.open();
    const draft = kept !== null && "project" in kept ? kept : null;
    const project = kept !== null && "project" in kept ? kept.project : kept;
    const shared = await this.fromFragment();
    // When the project in the URL is the same as this tab's draft, the tab made the link itself, so the draft stays
    // open.
    const isOwn = shared !== null && JSON.stringify(shared) === JSON.stringify(project);
    if (shared !== null && !isOwn) await this.startFrom(shared);
    else if (draft !== null) await this.openDraft(draft);
    else await this.startFrom(project ?? firstExample.project);
  }

  /** Opens the project of a link that the user follows while the page is already open. */
  async openFragment(): Promise<void> {
    const shared = await this.fromFragment();
    if (shared !== null) await this.startFrom(shared);
  }

  change(part: Partial<Project>): void {
    this.project = { ...this.project, ...part };
    this.leaveLink();
    if (Object.keys(part).every((key) => key === "view")) this.keeper.viewChanged();
    else this.keeper.changed();
    const readsOther = "scripts" in part || "tables" in part;
    if (readsOther || "category" in part) this.later("check", 150, () => void this.check());
    if (readsOther || "tests" in part) this.tests.changed();
    if (Object.keys(part).some(decidesRun)) this.scheduleLive();
  }

  changeScript(name: string, text: string): void {
    this.change({ scripts: this.project.scripts.map((each) => (each.name === name ? { name, text } : each)) });
  }

  addScript(): void {
    const { scripts } = this.project;
    let number = scripts.length + 1;
    while (scripts.some(({ name }) => name === `script-${number}.p`)) number++;
    this.change({ scripts: [...scripts, { name: `script-${number}.p`, text: "" }] });
    this.shown = scripts.length;
  }

  /** Renames a script. Returns null on success, or the reason why the new name cannot be used. */
  renameScript(index: number, wanted: string): string | null {
    const bare = wanted.trim();
    if (!/^[^/\\]+$/.test(bare) || bare === ".p") return t("A script needs a name without slashes.");
    const name = bare.endsWith(".p") ? bare : `${bare}.p`;
    const { scripts } = this.project;
    if (scripts.some((each, at) => at !== index && each.name === name))
      return t("There is a script {name} already.", { name });
    this.change({ scripts: scripts.map((each, at) => (at === index ? { ...each, name } : each)) });
    return null;
  }

  removeScript(index: number): void {
    const { loads } = this;
    const removed = this.project.scripts[index]!;
    this.shown = Math.max(0, this.shown >= index ? this.shown - 1 : this.shown);
    this.change({ scripts: this.project.scripts.filter((_, at) => at !== index) });
    const undo = () => {
      const { scripts } = this.project;
      // The removal of a script cannot be undone when another project was opened meanwhile, or when another script has
      // taken the name.
      if (loads !== this.loads || scripts.some(({ name }) => name === removed.name)) return;
      const at = Math.min(index, scripts.length);
      this.change({ scripts: [...scripts.slice(0, at), removed, ...scripts.slice(at)] });
      this.shown = at;
    };
    this.say({ tone: "info", text: t("{name} is removed.", { name: removed.name }), undo });
  }

  /** Opens a project. It becomes a new draft when it is edited; until then nothing of it is stored. */
  async startFrom(project: Project): Promise<void> {
    await this.keeper.take(project, null);
    this.load(project);
  }

  async openDraft(draft: Draft): Promise<void> {
    await this.keeper.take(draft.project, draft.id);
    this.load(draft.project);
  }

  async removeDraft(draft: Draft): Promise<void> {
    const undo = await this.keeper.remove(draft);
    const title = draft.project.title || t("Untitled");
    this.say({ tone: "info", text: t("The draft {title} is deleted.", { title }), undo });
  }

  setWraps(wraps: boolean): void {
    this.wraps = wraps;
    visitTexts.set(wrapKey, wraps ? "on" : null);
  }

  setLive(live: boolean): void {
    this.live = live;
    visitTexts.set(liveKey, live ? "on" : "off");
    if (live) this.scheduleLive();
  }

  async takeFile(file: File): Promise<void> {
    const { project } = this;
    this.inputView = "input";
    const form = formOf(file, project.form);
    const text = await editableText(file);
    if (text === null) {
      this.file = file;
      this.change({ form });
    } else if (form === project.form || project.input === "") {
      this.file = null;
      this.change({ form, input: text });
    } else {
      // A file whose format differs from the format of the present input becomes a new draft, whose editor starts with
      // an empty undo history. The old text stays in the old draft.
      await this.startFrom({ ...project, form, input: text });
      this.keeper.changed();
      const { name } = file;
      this.say({
        tone: "info",
        text: t("{name} is of another form: a new draft holds it, the old one is among the drafts.", { name }),
      });
    }
    // The script runs at once over a sample of a large file; the user can start a run over the whole file.
    await this.start(this.isLarge ? "live" : "asked");
  }

  /** Sets the input to the text that the user typed or pasted. A text that is too long for an editor becomes a file. */
  async changeInput(text: string): Promise<void> {
    if (text.length <= longestText) this.change({ input: text });
    else await this.takeFile(new File([text], t("pasted text")));
  }

  closeFile(): void {
    this.file = null;
    this.scheduleLive();
  }

  goTo(place: Place & { readonly pane: "script" | "input" }): void {
    if (place.pane === "script") {
      const index = this.project.scripts.findIndex(({ name }) => name === place.file);
      if (index < 0) return;
      this.shown = index;
    } else this.inputView = "input";
    this.jump = { ...place };
  }

  /**
   * Makes the input of the grok mode from a row and from the expression of a `grok` call that did not match the row.
   * Returns false when this is not possible; a message says why.
   */
  async takeIntoGrok(record: PointRecord, place: PlaceCount): Promise<boolean> {
    const { loads } = this;
    const { scripts, grok: before } = this.project;
    const loaded = await import("./analysis/grok-row.ts").catch(() => null);
    const steps = () => this.stepper.stepsOf(record.number);
    const input =
      loaded === null
        ? t("The page could not load its code for the Grok mode.")
        : await loaded.grokInputOf(record, place, scripts, steps);
    if (loads !== this.loads) return false;
    if (typeof input === "string") {
      this.say({ tone: "error", text: input });
      return false;
    }
    this.change({ grok: input });
    this.rowsTaken++;
    const undo = () => {
      if (loads === this.loads) this.change({ grok: before });
    };
    const had = before.lines.trim() !== "" || before.expression !== "";
    const text = t("Point {n} and the grok of {place} are open in the Grok mode.", {
      ...{ n: record.number, place: `${place.script}:${place.ln}` },
    });
    this.say({ tone: "info", text, ...(had ? { undo } : {}) });
    return true;
  }

  stop(): void {
    this.runner.stop();
  }

  /**
   * Runs the script. Replaces a live run (a run that started automatically) in progress. Does not interrupt a run that
   * the user started.
   */
  async run(kind: "live" | "asked"): Promise<void> {
    if (this.running === null || this.running === "live" || this.running === "search") await this.start(kind);
  }

  /** Runs the script once more over the whole input and saves every resulting point to a file. */
  async saveOutput(form: OutputForm): Promise<void> {
    const { title } = this.project;
    const outcome = await this.execute("file", { ...this.job(), output: form }, (report) => {
      if (report.kind === "progress") this.progress = report.progress;
    });
    if (outcome?.kind !== "ran") {
      if (outcome !== null) this.finish("asked", outcome, this.runInput);
      return;
    }
    const { output, endReason } = outcome.summary;
    if (output === null || endReason !== "done") {
      this.say({ tone: "info", text: t("Stopped: nothing was saved.") });
      return;
    }
    const name = fileName(title, form);
    download(output, name);
    this.say({ tone: "info", text: t("Saved as {name}, {size}.", { name, size: sizeText(output.size) }) });
  }

  /** Searches all rows of the input, because the page itself holds only the first rows. */
  private async search(query: Query): Promise<void> {
    // When a run ends, it starts a search by itself if the query needs one. So this method starts no search while a
    // run is in progress, and none when the input has changed, because another run will follow then.
    if (this.staleReason !== "" || (this.running !== null && this.running !== "search")) return;
    const { summary } = this.result!;
    // The search reads only the points from which the shown result was computed.
    const limit = summary === null || summary.endReason === "done" ? 0 : summary.counts.points;
    this.turn++;
    if (this.running !== null) this.runner.stop();
    const own = this.turn;
    await this.current;
    if (own !== this.turn) return;
    const records: PointRecord[] = [];
    const outcome = await this.execute("search", { ...this.job(), limit, query }, (report) => {
      if (report.kind === "progress") this.progress = report.progress;
      else if (report.kind === "records") records.push(...report.records);
    });
    if (outcome?.kind === "ran") this.rows.found = { query, records, count: outcome.summary.found };
    else if (outcome !== null) this.finish("asked", outcome, this.runInput);
  }

  /**
   * Copies a link that opens this project in the given mode. With null the link names no mode, so it opens the first
   * mode.
   */
  async share(mode: string | null = null): Promise<void> {
    // The code that compresses projects is loaded only when a link is made.
    const { comfortableLength, shareFragment } = await import("./share.ts");
    const fragment = shareFragment(this.project);
    const action = { label: t("Save as zip"), run: () => void this.saveZip() };
    if (fragment === null) {
      const text = t("This project is too large for a link, which holds 2 MB. A zip holds it, or fewer samples fit.");
      this.say({ tone: "error", text, action });
      return;
    }
    history.replaceState(null, "", addressText({ mode, project: fragment }));
    const size = `${(fragment.length / 1024).toFixed(1)} KB`;
    const isLong = fragment.length > comfortableLength;
    const caution = isLong ? ` ${t("Some programs cut links of that length.")}` : "";
    const offer = isLong ? { action } : {};
    try {
      await navigator.clipboard.writeText(location.href);
      const text = t("Link copied, {size}. It holds script and input; no server stores them.", { size });
      this.say({ tone: "info", text: text + caution, ...offer });
    } catch {
      const text = t("The link, {size}, stands in the address bar.", { size });
      this.say({ tone: "info", text: text + caution, ...offer });
    }
  }

  /** Saves a project as a zip with readable files: the project of this tab, unless another project is given. */
  async saveZip(project: Project = this.project): Promise<void> {
    await this.transfer(({ saveZip }) => saveZip(this, project, project === this.project ? this.file : null));
  }

  /** Opens the project of a zip as a new draft. When that is not possible, a message says why. */
  async openZip(file: File): Promise<void> {
    await this.transfer(({ openZip }) => openZip(this, file));
  }

  /** Zips are written and read by code that is loaded only for them. */
  private async transfer(work: (loaded: typeof import("./project-zip/transfer.ts")) => unknown): Promise<void> {
    const loaded = await import("./project-zip/transfer.ts").catch(() => null);
    if (loaded === null) this.say({ tone: "error", text: t("The page could not load its code for zips.") });
    else await work(loaded);
  }

  async copy(text: string, what: string): Promise<void> {
    try {
      await navigator.clipboard.writeText(text);
      this.say({ tone: "info", text: t("{what} copied.", { what }) });
    } catch {
      this.say({ tone: "error", text: t("The browser does not let this page use the clipboard.") });
    }
  }

  say(toast: Toast): void {
    this.toast = toast;
    // A message that is long or has a button is shown for a longer time.
    const isShort = toast.undo === undefined && toast.action === undefined && toast.text.length < 150;
    this.later("toast", isShort ? 5000 : 15_000, () => {
      this.toast = null;
    });
  }

  undo(): void {
    this.toast?.undo?.();
    this.toast = null;
  }

  /** Runs the action that the shown message offers. */
  act(): void {
    const { toast } = this;
    this.toast = null;
    toast?.action?.run();
  }

  private load(project: Project): void {
    this.project = project;
    this.file = null;
    this.shown = 0;
    this.inputView = "input";
    this.loads++;
    this.notes = [];
    this.notice = null;
    this.result = null;
    this.rows.clear();
    this.bench.clear();
    this.tests.changed();
    if (!this.live) this.abandon();
    // While the page opens, a second worker would slow down the editor and the first run. So the second worker
    // starts after the editor and the first run.
    void (this.live ? this.start("live") : this.current).finally(() => this.check());
  }

  /**
   * The worker that answers questions about scripts while another worker runs scripts. It is started at the first
   * question.
   */
  private get assistant(): ReturnType<typeof startWorker>["api"] {
    return (this.startedAssistant ??= startWorker().api);
  }

  /** Ends the run in progress. Reports of this run that arrive later are ignored. */
  private abandon(): void {
    this.turn++;
    clearTimeout(this.timers.live);
    if (this.running !== null) this.runner.stop();
  }

  /** Starts a run. A run in progress is ended first. */
  private async start(kind: "live" | "asked"): Promise<void> {
    this.abandon();
    const own = this.turn;
    await this.current;
    // Another run was started while this run waited for the previous one to end, so this run does not start.
    if (own !== this.turn) return;
    let first = true;
    const of = this.runInput;
    const job =
      kind === "asked" ? this.job() : { ...this.job(), budgetMs: liveBudgetMs, limit: this.isLarge ? samplePoints : 0 };
    const outcome = await this.execute(kind, job, (report) => {
      if (report.kind === "progress") this.progress = report.progress;
      else if (report.kind === "records") {
        this.rows.take(report, first);
        first = false;
      }
      if (!first) this.result = { counts: this.progress?.counts ?? noCounts, summary: null, of };
    });
    if (outcome === null) return;
    if (first && outcome.kind === "ran") this.rows.records = [];
    this.finish(kind, outcome, of);
  }

  /** Runs the script once in the worker. Returns null when the run was abandoned. */
  private async execute(kind: RunKind, job: Job, report: (report: Report) => void): Promise<RunOutcome | null> {
    const own = this.turn;
    this.running = kind;
    this.progress = null;
    const run = this.runner.run(job, (each) => {
      if (own !== this.turn) return;
      this.loading = each.kind === "loading" ? each.bytes : null;
      report(each);
    });
    this.current = run;
    const outcome = await run;
    this.running = null;
    this.loading = null;
    return own === this.turn ? outcome : null;
  }

  /**
   * Removes the project from the address of the page after the user has changed the project, because the address would
   * no longer lead to it. The mode stays in the address.
   */
  private leaveLink(): void {
    const { mode, project } = readAddress(location.hash);
    if (project === null) return;
    history.replaceState(null, "", location.pathname + location.search + addressText({ mode, project: null }));
  }

  private async fromFragment(): Promise<Project | null> {
    const { hash } = location;
    if (readAddress(hash).project === null) return null;
    try {
      return (await import("./share.ts")).readFragment(hash);
    } catch (error) {
      this.say({ tone: "error", text: (error as Error).message });
      return null;
    }
  }

  /** Formats a script. Returns false when the script cannot be parsed because of an error. */
  async formatScript(name: string): Promise<boolean> {
    const text = this.project.scripts.find((each) => each.name === name)?.text ?? "";
    const formatted = await this.assistant.format(text);
    if ("error" in formatted) return false;
    // The formatted text is dropped when the user has changed the script while the worker formatted it.
    const now = this.project.scripts.find((each) => each.name === name)?.text;
    if (now === text && formatted.text !== text) this.changeScript(name, formatted.text);
    return true;
  }

  /**
   * Changes some properties of the user's input in one mode of the page, such as the expression in the grok
   * mode.
   */
  changeMode<Mode extends ModeInput>(mode: Mode, part: Partial<Project[Mode]>): void {
    this.change({ [mode]: { ...this.project[mode], ...part } });
  }

  /**
   * Converts the body of points that the user entered in the converter mode of the page. The result contains
   * the points in every wire form (line protocol, JSON, PBJSON, protobuf).
   */
  convert(): Promise<Conversion> {
    const { convert, now } = this.project;
    const { body, form, category, precision } = convert;
    return this.assistant.convert({
      text: body,
      form: form === "auto" ? null : form,
      category,
      precision,
      now: parseMoment(now),
    });
  }

  /** Opens a query in the query mode, over the given points. */
  openQuery(text: string, points: ReadPoints): void {
    const { text: before } = this.project.query;
    this.changeMode("query", { text });
    this.readNext = points;
    if (before.trim() !== "" && before !== text) {
      const undo = () => this.changeMode("query", { text: before });
      this.say({ tone: "info", text: t("The query is in the editor, in place of the one before."), undo });
    }
    location.hash = addressText({ mode: "query", project: null });
  }

  /** Computes the routes of the points of the sharding mode. */
  route(): Promise<Routing> {
    const { sharding, now } = this.project;
    return this.assistant.route({ ...sharding, now: parseMoment(now) ?? BigInt(Date.now()) * 1_000_000n });
  }

  /** Reads files of reference tables. Returns the tables and errors of each file. */
  readTables(files: readonly TableFile[]): Promise<readonly ReadFile[]> {
    return this.assistant.readTables(files);
  }

  /** Returns whether a text is a valid regular expression. */
  isPattern(text: string): Promise<boolean> {
    return this.assistant.isPattern(text);
  }

  private async check(): Promise<void> {
    const number = ++this.checks;
    const { scripts, tables } = this.project;
    const written = scripts.filter(({ text }) => text.trim() !== "");
    const notes = await this.assistant.check(written, tables);
    if (number === this.checks) this.notes = notes;
    this.language ??= await this.assistant.language();
  }

  private scheduleLive(): void {
    if (!this.live) return;
    this.later("live", 300, () => void this.run("live"));
  }

  get runInput(): RunInput {
    return { project: this.project, file: this.file };
  }

  /** Whether the input is so large that live runs (which start automatically) read only a sample of it. */
  private get isLarge(): boolean {
    return this.file !== null || this.project.input.length > liveInputLength;
  }

  /** The job that runs the scripts over the whole input. */
  job(): Job {
    const { scripts, tables, category, form, input, source, messageStart, timeZone, now, maxSteps } = this.project;
    return {
      scripts,
      tables,
      category,
      form,
      input: this.file ?? input,
      source: source === "" ? "default" : source,
      messageStart,
      timeZone,
      now: parseMoment(now),
      maxSteps,
      budgetMs: 0,
      limit: 0,
      query: null,
      output: null,
    };
  }

  /** Shows how a run has ended. `of`: the input of the run. */
  private finish(kind: "live" | "asked", outcome: RunOutcome, of: RunInput): void {
    this.notice = outcomeNotice(kind, outcome, this.result);
    if (outcome.kind === "ran") {
      const { summary } = outcome;
      this.result = { counts: summary.counts, summary, of };
      this.rows.runEnded(summary);
    } else if (this.result !== null && this.result.summary !== null && isSameInput(this.result.of ?? of, of))
      this.result = { ...this.result, of: null };
  }

  private later(timer: keyof Session["timers"], ms: number, work: () => void): void {
    clearTimeout(this.timers[timer]);
    this.timers[timer] = setTimeout(work, ms);
  }
}
