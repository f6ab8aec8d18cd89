// The state of the grok mode: matches the lines of the session's project after each change, and requests details of the
// line with the cursor.

import { longestText } from "../../state/files.ts";
import type { GrokInput } from "../../state/project.ts";
import type { Session } from "../../state/session.svelte.ts";
import { pluralText } from "../../state/text.ts";
import { startGrokWorker } from "../../worker/grok/client.ts";
import {
  type Analysis,
  type Expression,
  type LibraryPattern,
  type LineAnswer,
  lineState,
  type OwnPatterns,
  type PieceChoice,
  type Stop,
  type Suggestion,
} from "../../worker/grok/workbench.ts";
import { Latest } from "./latest.ts";
import { statementsFor, withStatements } from "./script-text.ts";

/** The lines are matched when the input has not changed for this many milliseconds. */
const pauseMs = 120;
/** Largest number of lines for which the position at which they stop matching is requested. */
const mostStops = 200;
/** Largest number of lines that a suggestion reads (`suggestLimits.lines` of the library). */
const mostSuggested = 1000;

export type Filter = "all" | "matched" | "unmatched";
export type Tab = "line" | "table" | "pieces" | "library" | "patterns";

/** A line to which the editor moves its cursor. */
export interface LineJump {
  /** Index of the line. */
  readonly line: number;
  readonly focus: boolean;
}

export class Workbench {
  readonly session: Session;
  readonly worker = startGrokWorker();
  /** How the expression matches the lines; null before the first answer of the worker. */
  analysis = $state.raw<Analysis | null>(null);
  /** The lines for which `analysis` was computed. */
  analysed = $state.raw<readonly string[]>([]);
  /** Whether the lines or the expression have changed since `analysis` was computed. */
  isStale = $state(false);
  /** The error message when the worker could not match the lines; else empty. */
  failure = $state("");
  /** For each line that does not match, by its index: how far the expression matches the line. */
  stops = $state.raw<ReadonlyMap<number, Stop>>(new Map());
  /** Index of the line with the cursor. */
  line = $state(0);
  answer = $state.raw<LineAnswer | null>(null);
  /** The suggestion from which the expression was taken; null when the expression has been changed since. */
  suggestion = $state.raw<Suggestion | null>(null);
  isSuggesting = $state(false);
  /**
   * Index of the piece (part of the suggested expression) that the user has chosen. Each new object chooses the piece
   * again.
   */
  piece = $state.raw<{ readonly index: number } | null>(null);
  /** Index of the capture that is under the pointer or has the focus; null for none. */
  pointed = $state<number | null>(null);
  filter = $state<Filter>("all");
  /**
   * Index of the line that was edited after the filter was chosen, so that the filter does not hide it; null for none.
   */
  edited = $state<number | null>(null);
  tab = $state<Tab>("line");
  jump = $state.raw<LineJump | null>(null);
  /** Text to insert into the expression; the range `select` of this text is selected afterwards. */
  insertion = $state.raw<{ readonly text: string; readonly select: readonly [number, number] | null } | null>(null);
  library = $state.raw<readonly LibraryPattern[]>([]);
  own = $state.raw<OwnPatterns>({ names: [], notes: [] });

  private readonly matching = new Latest(pauseMs, () => this.analyse());
  private readonly answering = new Latest(0, () => this.askForLine());
  private readonly reading = new Latest(pauseMs, () => this.readPatterns());
  /** The lines to which the ranges in `suggestion` refer. */
  private suggestedFor: readonly string[] = [];
  /** The text of the project's patterns from which `library` was read; null before the first reading. */
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

  readonly lines: readonly string[] = $derived.by(() => this.input.lines.split("\n"));

  get isEmpty(): boolean {
    return this.input.expression === "" && !this.hasLines;
  }

  get hasLines(): boolean {
    return /\S/.test(this.input.lines);
  }

  /** The filter that is applied: all lines when the chosen filter would show no line. */
  get filterInForce(): Filter {
    const { analysis, filter } = this;
    if (analysis === null || analysis.isWrong) return "all";
    if (filter === "matched") return analysis.matched > 0 ? filter : "all";
    return filter === "unmatched" && analysis.unmatched > 0 ? filter : "all";
  }

  change(part: Partial<GrokInput>): void {
    if ("expression" in part && part.expression !== this.suggestion?.expression) this.suggestion = null;
    if ("method" in part && part.method !== "grok") this.suggestion = null;
    this.session.change({ grok: { ...this.input, ...part } });
  }

  /** Replaces the lines to match. Refuses a text that is too long for an editor. */
  takeLines(text: string): void {
    if (text.length <= longestText) this.change({ lines: text });
    else
      this.session.say({
        tone: "error",
        text: "The text is longer than 2 MB. The lines before it are kept; take a part of the text.",
      });
  }

  /** Replaces parts of the input, and offers to undo this unless the input was empty. */
  replace(part: Partial<GrokInput>, text: string): void {
    const { input: before, suggestion, isEmpty } = this;
    const { loads } = this.session;
    this.change(part);
    const undo = () => {
      if (loads !== this.session.loads) return;
      this.session.change({ grok: before });
      this.suggestion = suggestion;
    };
    if (!isEmpty && text !== "") this.session.say({ tone: "info", text, undo });
  }

  /**
   * Starts a match of the lines after a short pause. Every call restarts the pause, so quick changes cause only one
   * match.
   */
  schedule(): void {
    this.isStale = true;
    this.matching.ask();
    if (this.read !== this.input.patterns) this.reading.ask();
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
      if (this.suggestedFor !== lines) await this.findPieces(lines);
    } catch (error) {
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

  /** Finds the ranges of the suggestion's pieces (parts) again when the lines have changed since it was made. */
  private async findPieces(lines: readonly string[]): Promise<void> {
    const { suggestion } = this;
    if (suggestion === null || suggestion.pieces.length === 0) return;
    const found = await this.worker.changePiece(
      lines.slice(0, mostSuggested),
      choicesOf(suggestion),
      { piece: 0 },
      this.input.patterns,
    );
    if (suggestion !== this.suggestion || lines !== this.lines) return;
    this.suggestion = found;
    this.suggestedFor = lines;
  }

  /** Chooses the piece of the suggestion that contains index `at` of a line. Returns whether there is one. */
  choosePiece(line: number, at: number): boolean {
    const { suggestion } = this;
    if (suggestion === null || this.suggestedFor !== this.lines) return false;
    const index = suggestion.pieces.findIndex(({ spans }) => {
      const span = spans[line];
      return span != null && span[0] <= at && at < span[1];
    });
    if (index < 0) return false;
    this.tab = "pieces";
    this.piece = { index };
    return true;
  }

  /** Makes `line` (an index) the line with the cursor, and requests its details. */
  choose(line: number): void {
    if (line === this.line) return;
    this.line = line;
    this.answering.ask();
  }

  private async askForLine(): Promise<void> {
    const { expression, line, lines } = this;
    const text = lines[line] ?? "";
    if (text.trim() === "" || expression.text === "") {
      this.answer = null;
      return;
    }
    try {
      const answer = await this.worker.line(expression, text);
      if (!this.answering.isAsked && line === this.line) this.answer = answer;
    } catch (error) {
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

  /** Moves the cursor to the next line that does not match. After the last such line it continues with the first. */
  nextUnmatched(): void {
    const { analysis, line } = this;
    const missed = analysis === null ? [] : unmatchedLines(analysis);
    const next = missed.find((index) => index > line) ?? missed[0];
    if (next === undefined) this.session.say({ tone: "info", text: "Every line matches." });
    else {
      this.tab = "line";
      this.jump = { line: next, focus: true };
    }
  }

  /** Proposes an expression for the lines, and puts it into the editor. */
  async suggest(): Promise<void> {
    const { lines } = this;
    this.isSuggesting = true;
    try {
      const suggestion = await this.worker.suggest(lines.slice(0, mostSuggested), this.input.patterns);
      if (lines !== this.lines) return;
      if (suggestion === null) {
        this.session.say({ tone: "info", text: "There is no line yet: paste one or more." });
        return;
      }
      const had = this.input.expression;
      const { input: before } = this;
      this.take(suggestion);
      this.tab = "pieces";
      const undo = () => this.change({ expression: had, method: before.method });
      const text = `An expression for ${pluralText(suggestion.lines - suggestion.unmatched.length, "line")} is suggested.`;
      this.session.say({ tone: "info", text, ...(had === "" ? {} : { undo }) });
    } catch (error) {
      this.session.say({ tone: "error", text: `No suggestion: ${(error as Error).message}` });
    } finally {
      this.isSuggesting = false;
    }
  }

  private take(suggestion: Suggestion): void {
    this.suggestion = suggestion;
    this.suggestedFor = this.lines;
    this.change({ expression: suggestion.expression, method: "grok" });
  }

  /**
   * Changes the kind or the field name of one piece of the suggestion. Returns the reason why the change is refused;
   * empty on success.
   */
  async changePiece(
    piece: number,
    change: { readonly choice?: number; readonly name?: string | null },
  ): Promise<string> {
    const { suggestion } = this;
    if (suggestion === null) return "";
    const name = change.name;
    if (typeof name === "string" && !/^\w{1,100}$/.test(name)) return "A name has letters, digits and _.";
    if (name != null && suggestion.pieces.some((each, at) => at !== piece && each.name === name))
      return `Another piece is named ${name} already.`;
    const changed = await this.worker.changePiece(
      this.lines.slice(0, mostSuggested),
      choicesOf(suggestion),
      { piece, ...change },
      this.input.patterns,
    );
    if (suggestion === this.suggestion) this.take(changed);
    return "";
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

  /** Inserts the call of the expression into the first script. Returns the script and the line of the call. */
  async useInScript(): Promise<{ readonly script: string; readonly line: number }> {
    const script = this.session.project.scripts[0]!;
    const needed = await this.worker.needed(this.expression);
    const { text, line } = withStatements(script.text, statementsFor(this.expression, needed, script.text));
    const before = script.text;
    const { loads } = this.session;
    this.session.changeScript(script.name, text);
    this.session.say({
      tone: "info",
      text: `${script.name} calls ${this.input.method} in line ${line} now.`,
      undo: () => {
        if (loads === this.session.loads) this.session.changeScript(script.name, before);
      },
    });
    return { script: script.name, line };
  }
}

function choicesOf({ pieces }: Suggestion): PieceChoice[] {
  return pieces.map(({ spans: _, ...choice }) => choice);
}

/** Returns the indexes of the lines that do not match. */
export function unmatchedLines({ states, checked }: Analysis): number[] {
  const indexes: number[] = [];
  for (let line = 0; line < checked; line++) if (states[line] === lineState.unmatched) indexes.push(line);
  return indexes;
}
