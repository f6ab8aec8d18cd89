// `millrace pipeline run SCRIPT.p`: runs one script over the points of standard input and prints one resulting point
// per line.

import { parseArgs } from "node:util";
import { type CategoryName, correct, type Form, type Millrace, type Point } from "../../../lib/index.ts";
import type { Regex } from "../../../lib/regex/index.ts";
import { wallClock } from "../../agent/engine.ts";
import { categoryNamed } from "../category-option.ts";
import { patternOptions } from "../pattern-files.ts";
import { commandConfig } from "../read-config.ts";
import { print, printData, printError, printJson } from "../terminal/print.ts";
import { runUsage } from "../usage/pipeline.ts";
import { UsageError } from "../usage-error.ts";
import { firstLineOf, inputPoints } from "./input-points.ts";
import { decodeWith, type OpenScript, openScript } from "./open-script.ts";
import { scriptErrorText } from "./script-error.ts";

/** Runs `millrace pipeline run` and returns its exit code. */
export async function pipelineRun(args: string[]): Promise<number> {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      category: { type: "string", default: "logging" },
      format: { type: "string", default: "json" },
      config: { type: "string" },
      multiline: { type: "string" },
      ...patternOptions,
      help: { type: "boolean", short: "h" },
    },
  });
  if (values.help) {
    print(runUsage);
    return 0;
  }
  const [file, ...rest] = positionals;
  if (file === undefined || rest.length > 0) throw new UsageError(runUsage);
  const category = categoryNamed(values.category);
  const form = values.format;
  if (form !== "json" && form !== "lp" && form !== "pbjson")
    throw new UsageError(`unknown format: ${form}; json, lp or pbjson`);

  const firstLine = firstLineOf(values.multiline);
  const opened = await openScript(file, category, {
    requests: "answered",
    config: commandConfig(values.config),
    choice: values,
  });
  return await runOver(opened, category, form, firstLine);
}

async function runOver(
  { mill, script, sources }: OpenScript,
  category: CategoryName,
  form: Form,
  firstLine: Regex | undefined,
): Promise<number> {
  let failed = false;
  for await (const point of inputPoints(category, decodeWith(mill), firstLine)) {
    const { error, dropped, created, window } = await mill.runWaiting(script, point, { category });
    if (error !== null) {
      failed = true;
      printError(`${scriptErrorText(error, sources)}\n`);
    }
    if (!dropped) await printPoint(mill, point, category, form);
    for (const each of window) await printPoint(mill, each, category, form);
    for (const each of created) if (each.dropped !== true) await printPoint(mill, each.point, each.category, form);
    for (const each of script.takeAggregated(wallClock())) await printPoint(mill, each.point, each.category, form);
  }
  for (const each of script.close(wallClock())) await printPoint(mill, each.point, each.category, form);
  return failed ? 1 : 0;
}

async function printPoint(mill: Millrace, point: Point, category: CategoryName, form: Form): Promise<void> {
  correct(point, category);
  const text = Buffer.from(mill.encodePoints([point], form)).toString("utf8");
  const line = form === "lp" ? text : text.slice(1, -1);
  if (line !== "") await (form === "lp" ? printData : printJson)(`${line}\n`);
}
