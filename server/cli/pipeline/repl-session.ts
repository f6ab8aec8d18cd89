// A script that the user writes line by line at a prompt. Shows the changes that each input makes, and completes lines.
// For every input the whole script runs again over the original point, as if all inputs were one script.

import {
  type AssistFacts,
  completions,
  createTrace,
  functionDocs,
  grokDefinitions,
  type KeyFact,
  kindOf,
  Point,
  plErrorText,
  shownValue,
  type Trace,
} from "../../../lib/index.ts";
import { escapeControls, escapeJson } from "../../../lib/text/index.ts";
import { changeText } from "./change-text.ts";
import { logOf } from "./input-points.ts";
import type { OpenMillrace } from "./open-script.ts";

const help = `.input TEXT   take this line as the message, and start anew
.script       the script so far
.point        the point as the script leaves it
.undo         take the last entry back
.reset        forget the script
.exit         end (also Ctrl+D)
`;

const commands = [...help.matchAll(/^\.\w+/gm)].map(([name]) => name);
const patterns = new Map(grokDefinitions);

/** The name of the variable to which the value of an input expression is assigned, so that the value can be shown. */
const result = "repl_value";

export class Session {
  private readonly opened: OpenMillrace;
  private point: Point;
  private entries: string[] = [];
  /** The previous lines of a script statement that is not complete yet. */
  private pending = "";
  /** The keys (tags and fields) that the point has after the last input. */
  private keys: ReadonlyMap<string, KeyFact>;

  constructor(opened: OpenMillrace, point: Point) {
    this.opened = opened;
    this.point = point;
    this.keys = factsOf(point);
  }

  private get mill() {
    return this.opened.mill;
  }

  get isOpen(): boolean {
    return this.pending !== "";
  }

  /** Discards the lines of a script statement that is not complete yet. */
  abandon(): void {
    this.pending = "";
  }

  /** Returns the strings that can complete an input line, and the part of the line that they replace. */
  complete(line: string): [hits: string[], typed: string] {
    if (!this.isOpen && line.startsWith(".")) return [commands.filter((each) => each.startsWith(line)), line];
    const before = [...this.entries, ...(this.isOpen ? [this.pending] : []), line].join("\n");
    const facts: AssistFacts = { functions: functionDocs(), keys: this.keys, scripts: [], patterns };
    const found = completions(before, before.length, facts);
    if (found === null) return [[], line];
    const typed = before.slice(found.from);
    // For an empty input, only keys of the point and names of parameters are offered. A list of all functions would be
    // too long to help.
    const fitting = found.items.filter(({ kind, label }) =>
      typed === "" && !found.eager ? kind === "key" || kind === "parameter" : label.startsWith(typed),
    );
    return [[...new Set(fitting.map(({ insert }) => insert))], typed];
  }

  /** Handles an input line. Returns what to print, or null when the user leaves the prompt. */
  async take(line: string): Promise<string | null> {
    if (!this.isOpen && line.startsWith(".")) return await this.command(line.trim());
    const entry = this.isOpen ? `${this.pending}\n${line}` : line;
    this.pending = "";
    if (entry.trim() === "") return "";
    const error = this.errorOf([...this.entries, entry]);
    if (error !== null && line.trim() !== "" && isIncomplete(error)) {
      this.pending = entry;
      return "";
    }
    if (error !== null) return `${error}\n`;
    const valued = `${result} = (${entry}\n)`;
    const shows = this.errorOf([...this.entries, valued]) === null;
    const answer = await this.run(shows ? valued : entry);
    this.entries.push(entry);
    return answer;
  }

  private async command(line: string): Promise<string | null> {
    const [name, ...words] = line.split(" ");
    switch (name) {
      case ".input":
        this.point = logOf(words.join(" "));
        this.forget();
        return "";
      case ".script":
        return this.entries.map((entry) => `${entry}\n`).join("");
      case ".point": {
        const point = Point.copyOf(this.point);
        await this.runOver(point, this.entries);
        const text = new TextDecoder().decode(this.mill.encodePoints([point], "json"));
        return `${escapeJson(text.slice(1, -1))}\n`;
      }
      case ".undo":
        this.entries.pop();
        return "";
      case ".reset":
        this.forget();
        return "";
      case ".exit":
        return null;
      default:
        return help;
    }
  }

  private forget(): void {
    this.entries = [];
    this.keys = factsOf(this.point);
  }

  private errorOf(entries: readonly string[]): string | null {
    const set = this.mill.compile({ repl: entries.join("\n") }, { category: "logging" });
    set.free();
    const error = set.errors.get("repl");
    return error === undefined ? null : error.error;
  }

  /** Runs the whole script with the new input at its end. Returns the effects of the new input. */
  private async run(entry: string): Promise<string> {
    const point = Point.copyOf(this.point);
    const { trace, error } = await this.runOver(point, [...this.entries, entry]);
    this.keys = factsOf(point);
    const first = this.entries.join("\n").split("\n").length + (this.entries.length === 0 ? 0 : 1);
    const lines = trace.steps
      .filter(({ ln }) => ln >= first)
      .flatMap(({ changes, variables, dropped }) => [
        ...changes.map(changeText),
        ...variables.flatMap(({ name, value }) =>
          name === result ? (value === "nil" ? [] : [value]) : [`variable ${name} = ${value}`],
        ),
        ...(dropped ? ["the point is dropped"] : []),
      ]);
    if (error !== null) lines.push(error);
    return lines.map((line) => `  ${escapeControls(line)}\n`).join("");
  }

  private async runOver(
    point: Point,
    entries: readonly string[],
  ): Promise<{ readonly trace: Trace; readonly error: string | null }> {
    const trace = createTrace();
    if (entries.length === 0) return { trace, error: null };
    const set = this.mill.compile({ repl: entries.join("\n") }, { category: "logging", probes: true });
    const script = set.scripts.get("repl")!;
    await this.opened.ready(script);
    const { error } = await this.mill.runWaiting(script, point, { category: "logging", probe: trace });
    set.free();
    return { trace, error: error === null ? null : plErrorText(error) };
  }
}

function factsOf(point: Point): ReadonlyMap<string, KeyFact> {
  return new Map(
    Array.from(point.entries(), ({ key, value, isTag }) => [
      key,
      { kind: kindOf(value), isTag, sample: shownValue(value) },
    ]),
  );
}

/** Returns whether the error means that the statement is incomplete, so that the next line may complete it. */
function isIncomplete(error: string): boolean {
  return (
    error === "unexpected: end of input" || error.startsWith("unclosed left") || error.includes("lexMultilineString")
  );
}
