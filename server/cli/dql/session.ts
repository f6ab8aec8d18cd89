// The logic of the `millrace dql` prompt without the terminal: takes input lines and returns what to print. A query may
// take several lines. A line that begins with a backslash is a command to the prompt.

import {
  type DqlNames,
  dqlCompletions,
  isUnfinished,
  keyStatements,
  namespaceOf,
  namespaces,
  sourcesStatement,
  splitStatements,
} from "../../../lib/dql/index.ts";
import { escapeJson } from "../../../lib/text/index.ts";
import { UsageError } from "../usage-error.ts";
import { type Entry, entryText, warningLine } from "./answer.ts";
import { entriesOf, failureOf, type SendQuery } from "./client.ts";

export interface AnswerOptions {
  readonly json: boolean;
  readonly csv?: boolean;
  readonly explain: boolean;
}

export interface SessionOptions {
  readonly ask: SendQuery;
  readonly answerOptions: AnswerOptions;
  /** The width of the terminal in columns. When undefined, tables are not cut. */
  readonly width: () => number | undefined;
}

const help = `A statement ends with its line; open brackets and a backslash at the end of a line take it to the next one.
Tab completes, Ctrl+C ends a query that runs or drops what is typed, Ctrl+D leaves.

\\help                 this text
\\json                 answers as JSON, or as tables again
\\csv                  answers as CSV, or as tables again
\\explain              with each answer the plan, and the statement the store ran; or not again
\\sources [NAMESPACE]  measurements, or the sources of another namespace
\\keys NS::SOURCE      tags and fields
\\namespaces           what can stand before ::
\\quit                 leave

Examples:
  M::cpu                                              the newest points of a measurement
  M::cpu:(avg(usage_total)) [1h::5m] BY host          means of 5 minutes, for each host
  L::nginx:(count(*)) {status_code >= 500} [1d::1h]   errors an hour
  L::re(\`.*\`):(message) {message = match('timeout')}  logs that have a word
  M::cpu:(max(usage_total) AS m) BY host SORDER BY m DESC SLIMIT 5
  show_measurement()
`;

export class DqlSession {
  private readonly options: SessionOptions;
  private answerOptions: AnswerOptions;
  /** The earlier lines of a query that the user has not completed yet. */
  private pending = "";
  private readonly stored = new Map<string, Promise<readonly string[]>>();

  constructor(options: SessionOptions) {
    this.options = options;
    this.answerOptions = options.answerOptions;
  }

  get isOpen(): boolean {
    return this.pending !== "";
  }

  /** Discards the lines of a query that is not complete yet. */
  drop(): void {
    this.pending = "";
  }

  /** Handles an input line. Returns what to print, or null when the user leaves the prompt. */
  async take(line: string, signal: AbortSignal): Promise<string | null> {
    if (!this.isOpen && line.startsWith("\\")) return await this.command(line.trim(), signal);
    const goesOn = line.endsWith("\\");
    const text = `${this.pending}${this.isOpen ? "\n" : ""}${goesOn ? line.slice(0, -1) : line}`;
    const statements = splitStatements(text);
    const last = statements[statements.length - 1];
    if (last === undefined && !goesOn) {
      this.pending = "";
      return "";
    }
    // A blank line sends the query, even if the query is incomplete.
    const isEnded = line.trim() === "" || /;\s*$/.test(text);
    if (goesOn || (!isEnded && last !== undefined && isUnfinished(last))) {
      this.pending = text;
      return "";
    }
    this.pending = "";
    const answers: string[] = [];
    for (const statement of statements) answers.push(await this.answer(statement, signal));
    return answers.join("\n");
  }

  /**
   * Completes an input line for Node's readline: returns the possible completions, and the part of the line that they
   * replace.
   */
  async complete(line: string): Promise<[string[], string]> {
    if (!this.isOpen && line.startsWith("\\")) {
      return [commands.filter((each) => each.startsWith(line)).map((each) => each), line];
    }
    const before = `${this.pending}${this.isOpen ? "\n" : ""}`;
    const { from, items } = await dqlCompletions(before + line, this.names());
    return [items.map(({ text }) => text), line.slice(from - before.length)];
  }

  private async answer(statement: string, signal: AbortSignal): Promise<string> {
    try {
      const asked = await this.options.ask(statement, { ...this.answerOptions, signal });
      if (!asked.ok) return `${failureOf(asked)}\n`;
      // The cached names of measurements, tags and fields are dropped after each query, because new points may have
      // brought new names.
      this.stored.clear();
      if (this.answerOptions.json) return `${escapeJson(asked.text)}\n`;
      if (this.answerOptions.csv)
        return entriesOf(asked)
          .map((entry) => `${entry.csv ?? ""}${warningLine(entry)}`)
          .join("\n");
      return entriesOf(asked)
        .map((entry) => entryText(entry, this.options.width()))
        .join("\n");
    } catch (error) {
      if (signal.aborted) return "cancelled\n";
      if (error instanceof UsageError) return `${error.message}\n`;
      throw error;
    }
  }

  private async command(line: string, signal: AbortSignal): Promise<string | null> {
    const [name, ...words] = line.split(/\s+/);
    switch (name) {
      case "\\json":
        this.answerOptions = { ...this.answerOptions, json: !this.answerOptions.json, csv: false };
        return `answers as ${this.answerOptions.json ? "JSON" : "tables"}\n`;
      case "\\csv":
        this.answerOptions = { ...this.answerOptions, csv: this.answerOptions.csv !== true, json: false };
        return `answers as ${this.answerOptions.csv ? "CSV" : "tables"}\n`;
      case "\\explain":
        this.answerOptions = { ...this.answerOptions, explain: !this.answerOptions.explain };
        return `plans are ${this.answerOptions.explain ? "shown" : "not shown"}\n`;
      case "\\namespaces":
        return namespaces.map(({ short, long }) => `${short.padEnd(4)}${long}\n`).join("");
      case "\\sources": {
        const namespace = namespaceOf(words[0] ?? "M");
        if (namespace === undefined) return `unknown namespace "${words[0]}"\n`;
        return await this.answer(sourcesStatement(namespace), signal);
      }
      case "\\keys": {
        const [short, source] = (words.join(" ") || "::").split("::") as [string, string?];
        const namespace = namespaceOf(source === undefined ? "M" : short || "M");
        if (namespace === undefined) return `unknown namespace "${short}"\n`;
        const statements = keyStatements(
          namespace,
          [source ?? short].filter((each) => each !== ""),
        );
        const answers: string[] = [];
        for (const statement of statements) answers.push(await this.answer(statement, signal));
        return answers.join("\n");
      }
      case "\\quit":
      case "\\q":
      case "\\exit":
        return null;
      default:
        return help;
    }
  }

  /**
   * Returns the names of measurements, tags and fields that can complete a line. They are queried once and cached until
   * the next query.
   */
  private names(): DqlNames {
    const once = (key: string, statements: readonly string[]) => {
      let list = this.stored.get(key);
      if (list === undefined) {
        list = this.firstColumns(statements);
        this.stored.set(key, list);
      }
      return list;
    };
    return {
      sources: (namespace) => once(`sources ${namespace.short}`, [sourcesStatement(namespace)]),
      keys: (namespace, sources) =>
        once(`keys ${namespace.short} ${JSON.stringify(sources)}`, keyStatements(namespace, sources)),
    };
  }

  private async firstColumns(statements: readonly string[]): Promise<readonly string[]> {
    const entries: Entry[] = [];
    for (const statement of statements) {
      const asked = await this.options.ask(statement).catch(() => undefined);
      if (asked?.ok === true) entries.push(...entriesOf(asked));
    }
    return entries.flatMap(({ series }) =>
      (series ?? []).flatMap(({ values }) => values.map(([name]) => String(name))),
    );
  }
}

const commands = ["\\help", "\\json", "\\csv", "\\explain", "\\sources", "\\keys", "\\namespaces", "\\quit"];
