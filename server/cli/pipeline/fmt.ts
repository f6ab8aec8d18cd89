// `millrace pipeline fmt FILE...`: formats scripts. Prints the result, compares it with the file (`--check`) or writes
// it to the file (`--write`).

import { readFileSync, writeFileSync } from "node:fs";
import { text as readAll } from "node:stream/consumers";
import { parseArgs } from "node:util";
import { format } from "../../../lib/index.ts";
import { filesNamed } from "../script-files.ts";
import { print, printData, printError, printLine } from "../terminal/print.ts";
import { fmtUsage } from "../usage/pipeline.ts";
import { UsageError } from "../usage-error.ts";
import { scriptErrorText } from "./script-error.ts";

/** Runs `millrace pipeline fmt` and returns its exit code. */
export async function pipelineFmt(args: string[]): Promise<number> {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      check: { type: "boolean", default: false },
      write: { type: "boolean", default: false },
      help: { type: "boolean", short: "h" },
    },
  });
  if (values.help) {
    print(fmtUsage);
    return 0;
  }
  if (positionals.length === 0 || (values.check && values.write)) throw new UsageError(fmtUsage);
  let failed = false;
  const stdin = positionals.length === 1 && positionals[0] === "-";
  if (stdin && values.write) throw new UsageError("standard input cannot be written; leave out --write");
  for (const file of stdin ? ["-"] : filesNamed(positionals, (name) => name.endsWith(".p"))) {
    const text = stdin ? await readAll(process.stdin) : readFileSync(file, "utf8");
    const formatted = format(text, file);
    if ("error" in formatted) {
      failed = true;
      printError(`${scriptErrorText(formatted.error, { [file]: text })}\n`);
      continue;
    }
    const differs = formatted.text !== text;
    if (!values.check && !values.write) await printData(formatted.text);
    else if (differs) {
      printLine(file);
      if (values.write) writeFileSync(file, formatted.text);
      else failed = true;
    }
  }
  return failed ? 1 : 0;
}
