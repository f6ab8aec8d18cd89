// `millrace pipeline repl`: a script written line by line; after each entry what it changed. Every entry runs the whole
// script again over the point as it came, so that variables, patterns and state are those of one script.

import { createInterface } from "node:readline";
import { parseArgs } from "node:util";
import { createTrace, type Millrace, Point, plErrorText, type Trace } from "../../lib/index.ts";
import { changeText } from "./change-text.ts";
import { logOf } from "./input-points.ts";
import { openMillrace } from "./open-script.ts";
import { replUsage } from "./usage.ts";
import { UsageError } from "./usage-error.ts";

const help = `.input TEXT   take this line as the message, and start anew
.script       the script so far
.point        the point as the script leaves it
.undo         take the last entry back
.reset        forget the script
.exit         end (also Ctrl+D)
`;

/** Gives the exit code. */
export async function pipelineRepl(args: string[]): Promise<number> {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: { help: { type: "boolean", short: "h" } },
  });
  if (values.help) {
    process.stdout.write(replUsage);
    return 0;
  }
  if (positionals.length > 1) throw new UsageError(replUsage);
  const session = new Session(await openMillrace("unanswered"), logOf(positionals[0] ?? ""));
  const lines = createInterface({
    input: process.stdin,
    output: process.stdout,
    terminal: process.stdin.isTTY === true,
  });
  const prompt = () => {
    lines.setPrompt(session.isOpen ? "... " : "> ");
    lines.prompt();
  };
  if (process.stdin.isTTY === true) process.stdout.write(".help lists the commands.\n");
  prompt();
  for await (const line of lines) {
    const answer = await session.take(line);
    if (answer === null) break;
    process.stdout.write(answer);
    prompt();
  }
  process.stdout.write("\n");
  return 0;
}

/** The name under which the value of an entry is looked at. */
const result = "repl_value";

export class Session {
  private readonly mill: Millrace;
  private point: Point;
  private entries: string[] = [];
  /** Lines of an entry that is not complete. */
  private pending = "";

  constructor(mill: Millrace, point: Point) {
    this.mill = mill;
    this.point = point;
  }

  get isOpen(): boolean {
    return this.pending !== "";
  }

  /** What a line is answered; null at the end. */
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
        this.entries = [];
        return "";
      case ".script":
        return this.entries.map((entry) => `${entry}\n`).join("");
      case ".point": {
        const point = Point.copyOf(this.point);
        await this.runOver(point, this.entries);
        const text = new TextDecoder().decode(this.mill.encodePoints([point], "json"));
        return `${text.slice(1, -1)}\n`;
      }
      case ".undo":
        this.entries.pop();
        return "";
      case ".reset":
        this.entries = [];
        return "";
      case ".exit":
        return null;
      default:
        return help;
    }
  }

  private errorOf(entries: readonly string[]): string | null {
    const set = this.mill.compile({ repl: entries.join("\n") }, { category: "logging" });
    set.free();
    const error = set.errors.get("repl");
    return error === undefined ? null : error.error;
  }

  /** What the last entry does, behind all before it. */
  private async run(entry: string): Promise<string> {
    const { trace, error } = await this.runOver(Point.copyOf(this.point), [...this.entries, entry]);
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
    return lines.map((line) => `  ${line}\n`).join("");
  }

  private async runOver(
    point: Point,
    entries: readonly string[],
  ): Promise<{ readonly trace: Trace; readonly error: string | null }> {
    const trace = createTrace();
    if (entries.length === 0) return { trace, error: null };
    const set = this.mill.compile({ repl: entries.join("\n") }, { category: "logging", probes: true });
    const { error } = await this.mill.runWaiting(set.scripts.get("repl")!, point, {
      category: "logging",
      probe: trace,
    });
    set.free();
    return { trace, error: error === null ? null : plErrorText(error) };
  }
}

/** More lines can make it right. */
function isIncomplete(error: string): boolean {
  return (
    error === "unexpected: end of input" || error.startsWith("unclosed left") || error.includes("lexMultilineString")
  );
}
