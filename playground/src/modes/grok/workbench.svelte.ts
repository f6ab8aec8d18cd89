// The state of the grok mode: after each change, matches the lines of the page's project (scripts, inputs and settings
// of the user), and requests details of the line with the cursor.

import { longestText } from "../../state/files.ts";
import type { GrokInput } from "../../state/project.ts";
import type { Session } from "../../state/session.svelte.ts";
import { t } from "../../text/translate.ts";
import { startGrokWorker } from "../../worker/grok/client.ts";
import {
  type Analysis,
  type Expression,
  type LibraryPattern,
  type LineAnswer,
  lineState,
  type OwnPatterns,
  type Stop,
} from "../../worker/grok/workbench.ts";
import { Latest } from "./latest.ts";
import { statementsFor, withStatements } from "./script-text.ts";
import { Suggester } from "./suggest/suggester.svelte.ts";

/** The lines are matched when the input has not changed for this many milliseconds. */
const pauseMs = 120;
/** When an answer of the worker takes longer than this many milliseconds, the page shows that it is late. */
const lateMs = 500;
/** Largest number of lines for which the position at which they stop matching is requested. */
const mostStops = 200;

export type Filter = "all" | "matched" | "unmatched";
export type Tab = "line" | "table" | "pieces" | "library" | "patterns";

/** A line to which the editor of the lines moves its cursor. */
export interface LineJump {
  /** Index of the line, from 0, in the text of all lines. */
  readonly line: number;
  readonly focus: boolean;
}

export class Workbench {
  readonly session: Session;
  readonly worker = startGrokWorker();
  /** How the expression matches the lines; null before the first answer of the worker. */
  analysis = $state.raw<Analysis | null>(null);
  /** The lines to which the last result of matching (`analysis`) belongs. */
  analysed = $state.raw<readonly string[]>([]);
  /** Whether the lines or the expression have changed since the last result (`analysis`) was computed. */
  isStale = $state(false);
  /** Whether the user has waited for an answer of the worker for longer than usual. */
  isLate = $state(false);
  /** The error message when the worker could not match the lines; else empty. */
  failure = $state("");
  /** Maps the index of each line that does not match to how far the expression matches the line. */
  stops = $state.raw<ReadonlyMap<number, Stop>>(new Map());
  /** Index of the line with the cursor. */
  line = $state(0);
  answer = $state.raw<LineAnswer | null>(null);
  /** Index of the capture that is under the pointer or has the focus; null for none. */
  pointed = $state<number | null>(null);
  filter = $state<Filter>("all");
  /**
   * Index of the line that the user has edited since the filter was chosen; null for none. The filter never hides this
   * line.
   */
  edited = $state<number | null>(null);
  tab = $state<Tab>("line");
  jump = $state.raw<LineJump | null>(null);
  /**
   * A text that the editor inserts into the expression. Afterwards the editor selects the range `select` of this text.
   */
  insertion = $state.raw<{ readonly text: string; readonly select: readonly [number, number] | null } | null>(null);
  library = $state.raw<readonly LibraryPattern[]>([]);
  own = $state.raw<OwnPatterns>({ names: [], notes: [] });

  readonly suggester = new Suggester(this);

  private lateTimer: ReturnType<typeof setTimeout> | undefined;
  private readonly matching = new Latest(pauseMs, () => this.analyse());
  private readonly answering = new Latest(0, () => this.askForLine());
  private readonly reading = new Latest(pauseMs, () => this.readPatterns());
  /**
   * The text of the project's patterns from which the list of patterns in `library` was made; null before that list is
   * first made.
   */
  private read: string | null = null;

  constructor(session: Session) {
    this.session = session;
  }

  get input(): GrokInput {
    return this.session.project.grok;
  }

  get expression(): Expression {
    const { method, expression: text, replacement, trim, patterns } = this.input;
    return { method, text, replacement, trim, patterns };
  }

  private readonly text = $derived.by(() => this.input.lines);
  /**
   * The lines to match. The array stays the same object until the text changes, so that an answer of the worker can be
   * compared with the lines that it belongs to.
   */
  readonly lines: readonly string[] = $derived.by(() => this.text.split("\n"));

  get isEmpty(): boolean {
    return this.input.expression === "" && !this.hasLines;
  }

  get hasLines(): boolean {
    return /\S/.test(this.input.lines);
  }

  /**
   * The filter of the lines that the page applies. When no line passes the filter that the user has chosen, the page
   * applies the filter `all`.
   */
  get filterInForce(): Filter {
    const { analysis, filter } = this;
    if (analysis === null || analysis.isWrong) return "all";
    if (filter === "matched") return analysis.matched > 0 ? filter : "all";
    return filter === "unmatched" && analysis.unmatched > 0 ? filter : "all";
  }

  change(part: Partial<GrokInput>): void {
    this.suggester.inputChanges(part);
    this.session.changeMode("grok", part);
  }

  /** Replaces the lines to match. Refuses a text that is too long for an editor. */
  takeLines(text: string): void {
    if (text.length <= longestText) this.change({ lines: text });
    else
      this.session.say({
        tone: "error",
        text: t("The text is longer than 2 MB. The lines before it are kept; take a part of the text."),
      });
  }

  /** Replaces parts of the input, and offers to undo this unless the input was empty. */
  replace(part: Partial<GrokInput>, text: string): void {
    const { input: before, isEmpty } = this;
    const { suggestion } = this.suggester;
    const { loads } = this.session;
    this.change(part);
    const undo = () => {
      if (loads !== this.session.loads) return;
      this.session.change({ grok: before });
      this.suggester.suggestion = suggestion;
    };
    if (!isEmpty && text !== "") this.session.say({ tone: "info", text, undo });
  }

  /**
   * Starts a match of the lines after a short pause. Every call restarts the pause, so quick changes cause only one
   * match.
   */
  schedule(): void {
    this.isStale = true;
    this.expectAnswer();
    this.matching.ask();
    if (this.read !== this.input.patterns) this.reading.ask();
  }

  /** Starts the timer after which the worker's answer counts as late, unless the timer runs already. */
  private expectAnswer(): void {
    this.lateTimer ??= setTimeout(() => (this.isLate = true), lateMs);
  }

  private answered(): void {
    clearTimeout(this.lateTimer);
    this.lateTimer = undefined;
    this.isLate = false;
  }

  private async analyse(): Promise<void> {
    const { expression, lines } = this;
    try {
      const analysis = await this.worker.analyse(expression, this.input.lines);
      if (this.matching.isAsked) return;
      this.failure = "";
      this.analysed = lines;
      this.stops = new Map();
      this.analysis = analysis;
      this.isStale = false;
      this.answering.ask();
      await this.findStops(expression, lines, analysis);
      await this.suggester.followLines(lines);
    } catch (error) {
      this.answered();
      this.failure = error instanceof Error ? error.message : String(error);
    }
  }

  private async findStops(expression: Expression, lines: readonly string[], analysis: Analysis): Promise<void> {
    const missed = unmatchedLines(analysis).slice(0, mostStops);
    // For `replace`, a line without a match is not an error: the line stays as it is.
    if (missed.length === 0 || expression.method === "replace") return;
    const found = await this.worker.stops(
      expression,
      missed.map((index) => lines[index]!),
      missed,
    );
    if (!this.matching.isAsked) this.stops = new Map(found.map((stop) => [stop.line, stop]));
  }

  /** Makes `line` (an index) the line with the cursor, and requests its details. */
  choose(line: number): void {
    if (line === this.line) return;
    this.line = line;
    this.expectAnswer();
    this.answering.ask();
  }

  private async askForLine(): Promise<void> {
    const { expression, line, lines } = this;
    const text = lines[line] ?? "";
    if (text.trim() === "" || expression.text === "") {
      this.answer = null;
      if (!this.matching.isAsked) this.answered();
      return;
    }
    try {
      const answer = await this.worker.line(expression, text);
      if (this.answering.isAsked || line !== this.line) return;
      this.answer = answer;
      if (!this.matching.isAsked) this.answered();
    } catch (error) {
      this.answered();
      this.failure = error instanceof Error ? error.message : String(error);
    }
  }

  private async readPatterns(): Promise<void> {
    const { patterns } = this.input;
    const [own, library] = await Promise.all([this.worker.checkPatterns(patterns), this.worker.library(patterns)]);
    if (this.reading.isAsked) return;
    this.read = patterns;
    this.own = own;
    this.library = library;
  }

  /** Chooses the filter, which decides which lines are shown. */
  show(filter: Filter): void {
    this.edited = null;
    this.filter = filter;
  }

  /**
   * Moves the cursor to the next line that does not match. After the last line that does not match, it continues with
   * the first one.
   */
  nextUnmatched(): void {
    const { analysis, line } = this;
    const missed = analysis === null ? [] : unmatchedLines(analysis);
    const next = missed.find((index) => index > line) ?? missed[0];
    if (next === undefined) this.session.say({ tone: "info", text: t("Every line matches.") });
    else {
      this.tab = "line";
      this.jump = { line: next, focus: true };
    }
  }

  /** Inserts a reference to a pattern at the cursor of the expression, and selects the name of its field. */
  insert({ name, fields }: LibraryPattern): void {
    if (fields.length > 0) this.insertion = { text: `%{${name}}`, select: null };
    else {
      const field = name.toLowerCase().replace(/\W/g, "_");
      const from = name.length + 3;
      this.insertion = { text: `%{${name}:${field}}`, select: [from, from + field.length] };
    }
  }

  /** Inserts a reference to the pattern of this name, which the library or the project's own patterns contain. */
  async insertNamed(name: string): Promise<void> {
    const library = await this.worker.library(this.input.patterns);
    const pattern = library.find((each) => each.name === name);
    if (pattern === undefined) return;
    if (this.input.method === "grok") this.insert(pattern);
    else this.session.say({ tone: "error", text: t("Patterns work in grok only") });
  }

  /**
   * Inserts a call of the script function (such as `grok`) with the expression into the first script. Returns the
   * script and the line of the call.
   */
  async useInScript(): Promise<{ readonly script: string; readonly line: number }> {
    const script = this.session.project.scripts[0]!;
    const needed = await this.worker.needed(this.expression);
    const { text, line } = withStatements(script.text, statementsFor(this.expression, needed, script.text));
    const before = script.text;
    const { loads } = this.session;
    this.session.changeScript(script.name, text);
    this.session.say({
      tone: "info",
      text: t("{script} calls {method} in line {line} now.", { script: script.name, method: this.input.method, line }),
      undo: () => {
        if (loads === this.session.loads) this.session.changeScript(script.name, before);
      },
    });
    return { script: script.name, line };
  }
}

/** Returns the indexes of the lines that the expression does not match, among the lines that were checked. */
export function unmatchedLines({ states, checked }: Analysis): number[] {
  const indexes: number[] = [];
  for (let line = 0; line < checked; line++) if (states[line] === lineState.unmatched) indexes.push(line);
  return indexes;
}
