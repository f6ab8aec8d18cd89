// `millrace pipeline VERB ...`: runs the command that the verb names. The code of a command is loaded only when it is
// used.

import { print } from "../terminal/print.ts";
import { pipelineUsage } from "../usage/pipeline.ts";
import { UsageError } from "../usage-error.ts";

/** A function that runs one command, such as `run` or `check`, and returns the exit code of the command. */
type Verb = (args: string[]) => number | Promise<number>;

const verbs: Readonly<Record<string, () => Promise<Verb>>> = {
  run: async () => (await import("./run.ts")).pipelineRun,
  check: async () => (await import("./check.ts")).pipelineCheck,
  fmt: async () => (await import("./fmt.ts")).pipelineFmt,
  trace: async () => (await import("./trace.ts")).pipelineTrace,
  repl: async () => (await import("./repl.ts")).pipelineRepl,
  bench: async () => (await import("./bench.ts")).pipelineBench,
  docs: async () => (await import("./docs.ts")).pipelineDocs,
  test: async () => (await import("./test.ts")).pipelineTest,
};

/**
 * Runs the command `millrace pipeline` and returns its exit code. `verb`: the name of the subcommand, such as
 * `run`.
 */
export async function pipeline([verb, ...args]: string[]): Promise<number> {
  if (verb === "--help" || verb === "-h") {
    print(pipelineUsage);
    return 0;
  }
  if (verb?.startsWith("-")) return await (await import("./once.ts")).pipelineOnce([verb, ...args]);
  if (verb === undefined) throw new UsageError(pipelineUsage);
  if (!Object.hasOwn(verbs, verb))
    throw new UsageError(`unknown command pipeline ${verb}; one of ${Object.keys(verbs).join(", ")}`);
  return await (await verbs[verb]!())(args);
}
