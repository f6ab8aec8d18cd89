// `millrace pipeline trace SCRIPT.p`: runs a script over standard input and prints every executed statement with the
// changes that it makes.

import { parseArgs } from "node:util";
import { createTrace, type Trace, type TraceStep } from "../../../lib/index.ts";
import { escapeControls } from "../../../lib/text/index.ts";
import { categoryNamed } from "../category-option.ts";
import { patternOptions } from "../pattern-files.ts";
import { commandConfig } from "../read-config.ts";
import { print, printError } from "../terminal/print.ts";
import { traceUsage } from "../usage/pipeline.ts";
import { UsageError } from "../usage-error.ts";
import { changeText, createdText, unmatchedText } from "./change-text.ts";
import { inputPoints } from "./input-points.ts";
import { decodeWith, openScript } from "./open-script.ts";
import { scriptErrorText } from "./script-error.ts";

/** Runs the command and returns its exit code. */
export async function pipelineTrace(args: string[]): Promise<number> {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      category: { type: "string", default: "logging" },
      config: { type: "string" },
      ...patternOptions,
      help: { type: "boolean", short: "h" },
    },
  });
  if (values.help) {
    print(traceUsage);
    return 0;
  }
  const [file, ...rest] = positionals;
  if (file === undefined || rest.length > 0) throw new UsageError(traceUsage);
  const category = categoryNamed(values.category);
  const { mill, script, sources } = await openScript(file, category, {
    requests: "answered",
    config: commandConfig(values.config),
    probes: true,
    choice: values,
  });
  let number = 0;
  let failed = false;
  for await (const point of inputPoints(category, decodeWith(mill))) {
    const trace = createTrace();
    const { error, dropped } = await mill.runWaiting(script, point, { category, probe: trace });
    print(`--- point ${++number}\n${traceText(trace)}${dropped ? "dropped\n" : ""}`);
    if (error !== null) {
      failed = true;
      printError(`${scriptErrorText(error, sources)}\n`);
    }
  }
  return failed ? 1 : 0;
}

/**
 * Returns the trace as text: one line for each executed statement, one line for each change that the statement
 * made, and last the changes that take effect only after the script has ended.
 */
export function traceText({ steps, after, truncated }: Trace): string {
  const lines = steps.flatMap((step) => [
    `${`${step.script}:${step.ln}:${step.col}`.padEnd(20)} ${"  ".repeat(step.depth)}${step.text}`,
    ...effectsOf(step).map((effect) => `${" ".repeat(25)}${"  ".repeat(step.depth)}${effect}`),
  ]);
  if (truncated) lines.push("... more statements than are shown");
  if (after.length > 0) lines.push("at the end", ...after.map((change) => `${" ".repeat(25)}${changeText(change)}`));
  return lines.map((line) => `${escapeControls(line)}\n`).join("");
}

function effectsOf(step: TraceStep): string[] {
  const { kind, changes, variables, branch, dropped, error } = step;
  return [
    ...step.unmatched.map(unmatchedText),
    ...step.created.map(createdText),
    ...changes.map(changeText),
    ...variables.map(({ name, value }) => `variable ${name} = ${value}`),
    ...(kind === "If" && error === null ? [branch === null ? "no branch" : `branch ${branch + 1}`] : []),
    ...(dropped ? ["the point is dropped"] : []),
    ...(error === null ? [] : [`error: ${error}`]),
  ];
}
