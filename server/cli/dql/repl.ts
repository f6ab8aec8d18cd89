// The prompt of `millrace dql`: reads lines from a terminal or a pipe, and stores a history in a file of the data
// folder.

import { createInterface, type Interface } from "node:readline";
import type { Readable, Writable } from "node:stream";
import { escapeLines } from "../../../lib/text/index.ts";
import type { SendQuery } from "./client.ts";
import { DqlHistory } from "./history.ts";
import { type AnswerOptions, DqlSession } from "./session.ts";

export interface ReplOptions {
  readonly ask: SendQuery;
  readonly dataDir: string;
  readonly answerOptions: AnswerOptions;
  readonly input?: Readable & { readonly isTTY?: boolean };
  readonly output?: Writable & { readonly columns?: number };
}

/** Runs the prompt of `millrace dql` and returns the exit code. */
export async function dqlRepl(options: ReplOptions): Promise<number> {
  const { ask, dataDir, answerOptions, input = process.stdin, output = process.stdout } = options;
  const isTerminal = input.isTTY === true;
  const session = new DqlSession({ ask, answerOptions, width: () => (isTerminal ? output.columns : undefined) });
  const history = isTerminal ? DqlHistory.open(dataDir) : null;
  const lines = createInterface({
    input,
    output,
    terminal: isTerminal,
    historySize: 1000,
    removeHistoryDuplicates: true,
    history: [...(history?.newestFirst ?? [])],
    completer: (line: string, done: (error: Error | null, found: [string[], string]) => void) => {
      session.complete(line).then(
        (found) => done(null, found),
        () => done(null, [[], line]),
      );
    },
  });
  if (isTerminal) output.write("\\help tells what can be asked, Tab completes.\n");
  const dialogue = new Dialogue(session, lines, output, history, isTerminal);
  await dialogue.end;
  if (isTerminal) output.write("\n");
  return 0;
}

class Dialogue {
  readonly end: Promise<void>;
  private readonly session: DqlSession;
  private readonly lines: Interface;
  private readonly output: Writable;
  private readonly history: DqlHistory | null;
  private readonly isTerminal: boolean;
  /** Typed lines that have not been executed yet. */
  private readonly waiting: string[] = [];
  /** The lines of the query that is being typed, which may take several lines. */
  private entry: string[] = [];
  private running: AbortController | null = null;
  private isClosed = false;

  constructor(
    session: DqlSession,
    lines: Interface,
    output: Writable,
    history: DqlHistory | null,
    isTerminal: boolean,
  ) {
    this.session = session;
    this.lines = lines;
    this.output = output;
    this.history = history;
    this.isTerminal = isTerminal;
    this.end = new Promise((resolve, reject) => {
      lines.on("line", (line) => {
        this.waiting.push(line);
        if (this.running === null) this.answerAll().then((goesOn) => goesOn || lines.close(), reject);
      });
      lines.on("close", () => {
        this.isClosed = true;
        if (this.running === null) resolve();
        else if (this.isTerminal) this.running.abort();
        this.ended = resolve;
      });
      lines.on("history", (list: string[]) => {
        this.known = list;
      });
      lines.on("SIGINT", () => this.interrupt());
    });
    this.prompt();
  }

  private ended: () => void = () => {};
  /** The earlier inputs that the arrow keys recall, newest first. Node's readline creates this list and reads it. */
  private known: string[] = [];

  private prompt(): void {
    if (!this.isTerminal || this.isClosed) return;
    this.lines.setPrompt(this.session.isOpen ? "...> " : "dql> ");
    this.lines.prompt();
  }

  /** Executes the waiting input lines. Returns false when the user has left the prompt. */
  private async answerAll(): Promise<boolean> {
    for (let line = this.waiting.shift(); line !== undefined; line = this.waiting.shift()) {
      this.running = new AbortController();
      this.entry.push(line);
      const answer = await this.session.take(line, this.running.signal);
      this.running = null;
      if (answer === null) return false;
      if (!this.session.isOpen) this.remember();
      if (answer !== "") this.output.write(escapeLines(answer));
      this.prompt();
    }
    if (this.isClosed) this.ended();
    return true;
  }

  /** Adds the typed query to the history, as one line even if it was typed on several lines. */
  private remember(): void {
    const entry = this.entry.map(withoutEnd).join(" ").trim();
    if (this.entry.length > 1) {
      const lines = new Set(this.entry.map((line) => line.trim()));
      while (this.known.length > 0 && lines.has(this.known[0]!.trim())) this.known.shift();
      if (entry !== "") this.known.unshift(entry);
    }
    if (entry !== "") this.history?.add(entry);
    this.entry = [];
  }

  private interrupt(): void {
    if (this.running !== null) {
      this.running.abort();
      return;
    }
    const isEmpty = this.lines.line === "" && !this.session.isOpen;
    this.session.drop();
    this.entry = [];
    this.output.write(isEmpty ? "\n(Ctrl+D or \\quit leaves)\n" : "^C\n");
    // Deletes the line that is being typed: Node's readline does this for the key codes Ctrl+E (go to the end) and
    // Ctrl+U (delete to the start).
    this.lines.write(null, { ctrl: true, name: "e" });
    this.lines.write(null, { ctrl: true, name: "u" });
    this.prompt();
  }
}

/**
 * Returns an input line without its comment, and without a backslash at its end, which continues the query on the next
 * line.
 */
function withoutEnd(line: string): string {
  const bare = line.replace(/\\$/, "");
  const read = /^(?:"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|`[^`]*`|[^"'`#])*/.exec(bare)![0];
  return (bare[read.length] === "#" ? read : bare).trim();
}
