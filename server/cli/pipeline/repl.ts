// `millrace pipeline repl`: the terminal for a script that the user writes line by line (repl-session.ts).

import { createInterface } from "node:readline";
import { parseArgs } from "node:util";
import { escapeLines } from "../../../lib/text/index.ts";
import { commandConfig } from "../read-config.ts";
import { print } from "../terminal/print.ts";
import { replUsage } from "../usage/pipeline.ts";
import { UsageError } from "../usage-error.ts";
import { logOf } from "./input-points.ts";
import { openMillrace } from "./open-script.ts";
import { Session } from "./repl-session.ts";

/** Runs the prompt of `millrace pipeline repl` and returns the exit code. */
export async function pipelineRepl(args: string[]): Promise<number> {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: { config: { type: "string" }, help: { type: "boolean", short: "h" } },
  });
  if (values.help) {
    print(replUsage);
    return 0;
  }
  if (positionals.length > 1) throw new UsageError(replUsage);
  const opened = await openMillrace("unanswered", commandConfig(values.config));
  const session = new Session(opened, logOf(positionals[0] ?? ""));
  const { stdin: input, stdout: output } = process;
  await runPrompt(session, { input, output, terminal: input.isTTY === true });
  return 0;
}

export interface Terminal {
  readonly input: NodeJS.ReadableStream;
  readonly output: NodeJS.WritableStream;
  /** Whether the input is a terminal that sends each key: Tab completes, Ctrl+C discards the current line. */
  readonly terminal: boolean;
}

export async function runPrompt(session: Session, { input, output, terminal }: Terminal): Promise<void> {
  const lines = createInterface({ input, output, terminal, completer: (line: string) => session.complete(line) });
  const prompt = () => {
    lines.setPrompt(session.isOpen ? "... " : "> ");
    lines.prompt();
  };
  if (terminal) output.write("Tab completes, .help lists the commands.\n");
  lines.on("SIGINT", () => {
    if (lines.line === "" && !session.isOpen) {
      lines.close();
      return;
    }
    session.abandon();
    output.write("\n");
    lines.setPrompt("");
    // The key codes Ctrl+E and Ctrl+U make Node's readline delete the line that is being typed.
    lines.write(null, { ctrl: true, name: "e" });
    lines.write(null, { ctrl: true, name: "u" });
    prompt();
  });
  prompt();
  for await (const line of lines) {
    const answer = await session.take(line);
    if (answer === null) break;
    output.write(escapeLines(answer));
    prompt();
  }
  lines.close();
  output.write("\n");
}
