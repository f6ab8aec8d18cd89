// Suggests a grok expression for the lines: the worker makes the suggestion, and the user can change its parts.

import type { GrokInput } from "../../../state/project.ts";
import { pluralText } from "../../../state/text.ts";
import { t } from "../../../text/translate.ts";
import type { PieceChoice, Suggestion } from "../../../worker/grok/workbench.ts";
import type { Workbench } from "../workbench.svelte.ts";

/** Largest number of lines that a suggestion reads (`suggestLimits.lines` of the library). */
const mostSuggested = 1000;

export class Suggester {
  /** The suggestion from which the expression was taken; null when the expression has been changed since. */
  suggestion = $state.raw<Suggestion | null>(null);
  isSuggesting = $state(false);
  /**
   * Index of the piece (part of the suggested expression) that the user has chosen. Setting a new object scrolls to the
   * piece and gives it the focus, even when the index is the same.
   */
  piece = $state.raw<{ readonly index: number } | null>(null);

  private readonly bench: Workbench;
  /** The lines of the editor for which the ranges in `suggestion` were computed. */
  private suggestedFor: readonly string[] = [];

  constructor(bench: Workbench) {
    this.bench = bench;
  }

  /** Drops the suggestion when the user changes the expression or chooses another function than grok. */
  inputChanges(part: Partial<GrokInput>): void {
    if ("expression" in part && part.expression !== this.suggestion?.expression) this.suggestion = null;
    if ("method" in part && part.method !== "grok") this.suggestion = null;
  }

  /**
   * Computes the ranges of the suggestion's pieces (parts) in new lines. Does nothing when the lines have not changed.
   */
  async followLines(lines: readonly string[]): Promise<void> {
    const { suggestion } = this;
    if (lines === this.suggestedFor || suggestion === null || suggestion.pieces.length === 0) return;
    const found = await this.bench.worker.changePiece(
      lines.slice(0, mostSuggested),
      choicesOf(suggestion),
      { piece: 0 },
      this.bench.input.patterns,
    );
    if (suggestion !== this.suggestion || lines !== this.bench.lines) return;
    this.suggestion = found;
    this.suggestedFor = lines;
  }

  /** Chooses the piece of the suggestion whose range in `line` contains index `at`. Returns false if there is none. */
  choosePiece(line: number, at: number): boolean {
    const { suggestion } = this;
    if (suggestion === null || this.suggestedFor !== this.bench.lines) return false;
    const index = suggestion.pieces.findIndex(({ spans }) => {
      const span = spans[line];
      return span != null && span[0] <= at && at < span[1];
    });
    if (index < 0) return false;
    this.bench.tab = "pieces";
    this.piece = { index };
    return true;
  }

  /** Proposes an expression for the lines, and puts it into the editor. */
  async suggest(): Promise<void> {
    if (this.isSuggesting) return;
    const { lines } = this.bench;
    this.isSuggesting = true;
    try {
      const suggestion = await this.bench.worker.suggest(lines.slice(0, mostSuggested), this.bench.input.patterns);
      if (lines !== this.bench.lines) return;
      if (suggestion === null) {
        this.bench.session.say({ tone: "info", text: t("There is no line yet: paste one or more.") });
        return;
      }
      const had = this.bench.input.expression;
      const { input: before } = this.bench;
      this.take(suggestion);
      this.bench.tab = "pieces";
      const undo = () => this.bench.change({ expression: had, method: before.method });
      const matched = pluralText(suggestion.lines - suggestion.unmatched.length, "line");
      const text = t("An expression for {lines} is suggested.", { lines: matched });
      this.bench.session.say({ tone: "info", text, ...(had === "" ? {} : { undo }) });
    } catch (error) {
      this.bench.session.say({
        tone: "error",
        text: t("No suggestion: {reason}", { reason: (error as Error).message }),
      });
    } finally {
      this.isSuggesting = false;
    }
  }

  private take(suggestion: Suggestion): void {
    this.suggestion = suggestion;
    this.suggestedFor = this.bench.lines;
    this.bench.change({ expression: suggestion.expression, method: "grok" });
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
    if (typeof name === "string" && !/^\w{1,100}$/.test(name)) return t("A name has letters, digits and _.");
    if (name != null && suggestion.pieces.some((each, at) => at !== piece && each.name === name))
      return t("Another piece is named {name} already.", { name });
    const changed = await this.bench.worker.changePiece(
      this.bench.lines.slice(0, mostSuggested),
      choicesOf(suggestion),
      { piece, ...change },
      this.bench.input.patterns,
    );
    if (suggestion === this.suggestion) this.take(changed);
    return "";
  }
}

function choicesOf({ pieces }: Suggestion): PieceChoice[] {
  return pieces.map(({ spans: _, ...choice }) => choice);
}
