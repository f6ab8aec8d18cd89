// `millrace pipeline check FILE...`: prints all mistakes of all scripts. Each mistake shows its line of the script,
// with a caret under the position.

import { readFileSync } from "node:fs";
import path from "node:path";
import { parseArgs } from "node:util";
import { createMillrace, type Diagnostic, type Position } from "../../../lib/index.ts";
import { compileWasm } from "../../agent/engine.ts";
import { patternOptions, patternsFor } from "../pattern-files.ts";
import { filesNamed, scriptsBeside } from "../script-files.ts";
import { counted } from "../terminal/counted.ts";
import { print } from "../terminal/print.ts";
import { checkUsage } from "../usage/pipeline.ts";
import { UsageError } from "../usage-error.ts";
import { scriptErrorText } from "./script-error.ts";

/** Runs `millrace pipeline check` and returns its exit code. */
export async function pipelineCheck(args: string[]): Promise<number> {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: { central: { type: "boolean" }, ...patternOptions, help: { type: "boolean", short: "h" } },
  });
  if (values.help) {
    print(checkUsage);
    return 0;
  }
  if (positionals.length === 0) throw new UsageError(checkUsage);
  const files = filesNamed(positionals, (name) => name.endsWith(".p"));
  const mill = await createMillrace({ wasm: compileWasm() });
  const found = new Map<string, readonly Diagnostic[]>();
  const wrongPatterns = new Set<string>();
  const patternWarnings = new Set<string>();
  for (const folder of new Set(files.map((file) => path.dirname(file)))) {
    const own = files.filter((file) => path.dirname(file) === folder);
    const sources = Object.assign({}, ...own.map(scriptsBeside)) as Record<string, string>;
    const { options, problems, warnings } = patternsFor(folder, values);
    for (const problem of problems) wrongPatterns.add(problem);
    for (const warning of warnings) patternWarnings.add(warning);
    const all = mill.diagnose(sources, { runsIn: values.central ? "central" : "agent", ...options });
    for (const file of own)
      found.set(
        file,
        all.filter(({ script }) => script === path.basename(file)),
      );
  }
  for (const [file, diagnostics] of found) for (const each of diagnostics) printMistake(file, each);
  for (const problem of wrongPatterns) print(`${problem}\n`);
  for (const warning of patternWarnings) print(`warning: ${warning}\n`);
  const counts = { error: wrongPatterns.size, warning: patternWarnings.size };
  for (const { severity } of [...found.values()].flat()) counts[severity]++;
  print(`${counted(files.length, "file")}, ${counted(counts.error, "error")}, ${counted(counts.warning, "warning")}\n`);
  return counts.error === 0 ? 0 : 1;
}

/** Prints a mistake. The position names the file by a path that the user can open. */
function printMistake(file: string, { severity, error }: Diagnostic): void {
  const folder = path.dirname(file);
  const opened = (position: Position) => ({ ...position, file: path.join(folder, position.file) });
  const chain = error.pos_chain.map(opened);
  const at = error.at === undefined ? {} : { at: opened(error.at) };
  const { file: shown } = at.at ?? chain[0]!;
  const text = scriptErrorText(
    { ...error, ...at, pos_chain: chain, error: severity === "error" ? error.error : `warning: ${error.error}` },
    { [shown]: readFileSync(shown, "utf8") },
  );
  print(`${text}\n`);
}
