// The state of the connect mode: the agent's last report about itself and its scripts, the selected script, the script
// that is about to be saved, and the comparison.

import type { CategoryName } from "../../../../lib/index.ts";
import type { Session } from "../../state/session.svelte.ts";
import { t } from "../../text/translate.ts";
import {
  AgentError,
  type AgentScript,
  type AgentState,
  checkScript,
  debugOnAgent,
  fetchState,
  goBack,
  type SaveAnswer,
  saveScript,
  useAgent,
} from "./agent-client.ts";
import type { Compared } from "./compare.ts";
import type { SamplePoints } from "./page-run.ts";

/** While the connect mode is shown, the page asks the agent for its scripts at this interval in milliseconds. */
const refreshMs = 5000;
/**
 * The agent notices a changed file within about two seconds. After a save, the page asks for the scripts after each of
 * these times in milliseconds.
 */
const afterSaveMs = [400, 1200, 2200, 3500];

export interface Comparison extends Compared {
  readonly isCut: boolean;
  /** Name of the script that page and agent both ran for the comparison. */
  readonly script: string;
}

/**
 * A script of the project that is about to be saved to the agent, with the name and the category under which the
 * agent will store it.
 */
export interface Target {
  readonly from: string;
  readonly name: string;
  readonly category: CategoryName;
}

export class Connection {
  readonly session: Session;
  /** Origin (scheme, host and port) of the agent that is shown; empty for the agent that serves the page. */
  origin = $state("");
  /** Origins (scheme, host and port) of the further agents that the page may connect to. */
  agents = $state.raw<readonly string[]>([]);
  /** The last answer of the agent; null before the first one. */
  state = $state.raw<AgentState | null>(null);
  /** The reason why the agent did not answer the last request; empty when it answered. */
  failure = $state("");
  /** Category and name of the selected script, joined by `/`; empty when no script is selected. */
  selectedId = $state("");
  readonly selected = $derived(this.state?.scripts.find((script) => idOf(script) === this.selectedId));
  target = $state.raw<Target | null>(null);
  /**
   * The agent's answer to the last check of the script that is about to be saved; null while the check runs and when
   * there is nothing to check.
   */
  checked = $state.raw<SaveAnswer | null>(null);
  /** The reason why the last check, save or restore failed; empty when it succeeded. */
  saveFailure = $state("");
  isSaving = $state(false);
  /** A sentence about the last save or restore; empty before the first one. */
  savedText = $state("");
  comparison = $state.raw<Comparison | null>(null);
  compareFailure = $state("");
  isComparing = $state(false);
  private turn = 0;
  private checks = 0;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private stopComparing = new AbortController();

  constructor(session: Session) {
    this.session = session;
  }

  /** Asks the agent for its report about itself and its scripts at a fixed interval, until `stop` is called. */
  start(): void {
    this.stop();
    void this.refreshAgain();
  }

  /** Shows another agent. `origin` is its address; empty for the agent that serves the page. */
  choose(origin: string): void {
    useAgent(origin);
    this.origin = origin;
    this.state = null;
    this.failure = "";
    this.selectedId = "";
    this.comparison = null;
    this.checked = null;
    this.savedText = "";
    this.saveFailure = "";
    this.stopComparing.abort();
    this.isComparing = false;
    this.start();
  }

  stop(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
  }

  private async refreshAgain(): Promise<void> {
    await this.refresh();
    this.stop();
    this.timer = setTimeout(() => void this.refreshAgain(), refreshMs);
  }

  async refresh(): Promise<void> {
    const own = ++this.turn;
    try {
      const state = await fetchState();
      if (own !== this.turn) return;
      // When the agent's answer has not changed, the page keeps the old object. Then Svelte draws nothing anew, and the
      // page keeps its focus and its scroll position.
      if (JSON.stringify(state) !== JSON.stringify(this.state)) this.state = state;
      if (this.origin === "") this.agents = state.agents;
      this.failure = "";
      if (this.selectedId === "") this.selectedId = idOf(firstOf(state.scripts) ?? { category: "", name: "" });
    } catch (error) {
      if (own === this.turn) this.failure = messageOf(error);
    }
  }

  /**
   * Copies the selected script of the agent into the project as the first script, because the pipeline mode runs the
   * first script.
   */
  openInPipeline({ name, content, category }: AgentScript): void {
    const { session } = this;
    const { scripts, category: categoryBefore } = session.project;
    const { loads, shown } = session;
    session.change({
      scripts: [{ name, text: content }, ...scripts.filter((each) => each.name !== name && each.text.trim() !== "")],
      category,
    });
    session.shown = 0;
    session.say({
      tone: "info",
      text: t("{script} of the agent is the first script of the project now.", { script: name }),
      undo: () => {
        if (loads !== session.loads) return;
        session.change({ scripts, category: categoryBefore });
        session.shown = Math.min(shown, scripts.length - 1);
      },
    });
  }

  /** The text of the project's script that the user is about to save to the agent; empty for none. */
  get targetText(): string {
    return this.session.project.scripts.find(({ name }) => name === this.target?.from)?.text ?? "";
  }

  /**
   * The script of the agent that the save will replace, because it has the same category and name; undefined when there
   * is none. A script from the gateway is not replaced.
   */
  get replaced(): AgentScript | undefined {
    const { target } = this;
    if (target === null) return undefined;
    return this.state?.scripts.find((each) => idOf(each) === idOf(target) && each.origin !== "gateway");
  }

  /** Prepares to save a script of the project: the script that `from` names, or else the first one. */
  prepare(part: Partial<Target> = {}): void {
    const { project } = this.session;
    const from = part.from ?? this.target?.from ?? project.scripts[0]!.name;
    const known = project.scripts.some(({ name }) => name === from) ? from : project.scripts[0]!.name;
    const isNew = part.from !== undefined || this.target === null;
    this.target = {
      from: known,
      name: part.name ?? (isNew ? known : this.target!.name),
      category: part.category ?? this.target?.category ?? project.category,
    };
    this.savedText = "";
    void this.check();
  }

  /** Lets the agent compile the script that the user is about to save, without saving it. */
  async check(): Promise<void> {
    const own = ++this.checks;
    const { target, targetText: content } = this;
    this.checked = null;
    this.saveFailure = "";
    if (target === null) return;
    try {
      const { name, category } = target;
      const answer = await checkScript({ name, category, content, present: null });
      if (own === this.checks) this.checked = answer;
    } catch (error) {
      if (own === this.checks) this.saveFailure = messageOf(error);
    }
  }

  async save(): Promise<void> {
    const { target, targetText: content } = this;
    if (target === null) return;
    await this.change(async () => {
      const answer = await saveScript({ ...target, content, present: this.presentFile });
      this.checked = answer;
      if (answer.saved)
        this.savedText = t("{script} is saved. The agent takes it within two seconds.", { script: idOf(target) });
    });
    this.selectedId = idOf(target);
  }

  async goBack(script: Pick<AgentScript, "category" | "name">): Promise<void> {
    const present = fileOf(this.state, script);
    await this.change(async () => {
      await goBack({ category: script.category, name: script.name, present });
      this.savedText = t("{script} is the version before again. The agent takes it within two seconds.", {
        script: idOf(script),
      });
    });
  }

  /**
   * The text of the agent's file that the save will replace, as the page shows it; null when the agent has no such
   * file.
   */
  private get presentFile(): string | null {
    return this.target === null ? null : fileOf(this.state, this.target);
  }

  private async change(work: () => Promise<void>): Promise<void> {
    this.isSaving = true;
    this.saveFailure = "";
    this.savedText = "";
    try {
      await work();
    } catch (error) {
      this.saveFailure = messageOf(error);
    } finally {
      this.isSaving = false;
    }
    await this.refresh();
    for (const ms of afterSaveMs) setTimeout(() => void this.refresh(), ms);
  }

  /** Sends the project's input through the page's engine and through the agent, and compares the answers. */
  async compare(): Promise<void> {
    const { session } = this;
    this.stopComparing.abort();
    const own = new AbortController();
    this.stopComparing = own;
    this.isComparing = true;
    this.compareFailure = "";
    try {
      const job = session.job();
      const { category } = job;
      const scripts = job.scripts.filter(({ text }) => text.trim() !== "");
      if (scripts.length === 0) throw new Error(t("The project has no script. Write one in the Pipeline mode."));
      const { samplePoints, runOverPoints } = await import("./page-run.ts");
      const points: SamplePoints = await samplePoints(job);
      const records = await runOverPoints(job, category, scripts, points);
      const text = await debugOnAgent(category, scripts, points.text, own.signal);
      const [{ readAnswer }, { compareAnswers }] = await Promise.all([
        import("./agent-answer.ts"),
        import("./compare.ts"),
      ]);
      const answer = readAnswer(text);
      if (answer.scriptError !== "")
        throw new Error(t("The agent does not compile the script: {message}", { message: answer.scriptError }));
      if (own.signal.aborted) return;
      this.comparison = {
        ...compareAnswers(category, records, answer),
        isCut: points.isCut,
        script: scripts[0]!.name,
      };
    } catch (error) {
      if (own.signal.aborted) return;
      this.comparison = null;
      this.compareFailure = messageOf(error);
    } finally {
      if (this.stopComparing === own) this.isComparing = false;
    }
  }
}

export function idOf({ category, name }: { readonly category: string; readonly name: string }): string {
  return `${category}/${name}`;
}

/** Returns the script that is selected at first: one with an error, else one that has run, else the first one. */
function firstOf(scripts: readonly AgentScript[]): AgentScript | undefined {
  return (
    scripts.find(({ errors }) => errors.length > 0) ??
    scripts.find(({ points }) => points > 0) ??
    scripts.find(({ origin }) => origin !== "ready") ??
    scripts[0]
  );
}

/** Returns the text of the file with the given name in the agent's data folder; null when there is none. */
function fileOf(state: AgentState | null, script: { readonly category: string; readonly name: string }): string | null {
  return state?.scripts.find((each) => each.origin === "local" && idOf(each) === idOf(script))?.content ?? null;
}

export function messageOf(error: unknown): string {
  if (error instanceof AgentError) return error.message;
  return error instanceof Error ? error.message : String(error);
}
