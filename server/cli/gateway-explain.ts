// `millrace gateway explain --tags`: reads points from standard input. For each point, prints the routing header that
// the rules generate, the reason, and the target to which the gateway would send the point.

import { createMillrace, PointError } from "../../lib/index.ts";
import {
  createGlobalTags,
  explain,
  explainTags,
  explanationText,
  headerName,
  type PlainPoint,
  plainPointOf,
  type SinkRules,
  tagsExplanationText,
} from "../../lib/sharding/index.ts";
import { durationMs } from "../config/go-duration.ts";
import type { Config } from "../config/schema.ts";
import { readTagConfig } from "../gateway/tag-config.ts";
import { openTagFunctions } from "../gateway/tag-functions.ts";
import { categoryNamed } from "./category-option.ts";
import { textOf } from "./read-config.ts";
import { print, printLine } from "./terminal/print.ts";
import { UsageError } from "./usage-error.ts";

export interface ExplainPoints {
  /**
   * The sink rules, which choose a target by the routing header. When undefined, the command prints only the headers.
   */
  readonly rules: SinkRules | undefined;
  readonly tagsFile: string;
  readonly category: string;
  readonly path: string;
  readonly functions: string | undefined;
  readonly config: Config;
}

/** Runs `millrace gateway explain` and returns its exit code, which is 1 when a rule has an error. */
export async function explainPoints(given: ExplainPoints): Promise<number> {
  const { rules, tagsFile, category, path, functions, config } = given;
  let tagRules: unknown;
  try {
    tagRules = readTagConfig(textOf(tagsFile));
  } catch (error) {
    throw new UsageError(`${tagsFile}: ${(error as Error).message}`);
  }
  const modules = openTagFunctions({
    folder: functions ?? (config["sinker.tags.functions_dir"] || `${config.data_dir}/gateway/functions`),
    timeoutMs: durationMs(config["sinker.tags.function_timeout"], 1000),
    memoryMb: config["sinker.tags.function_memory_mb"],
  });
  const extra = config["sinker.tags.extra_fields"];
  const maxIdentifiers = config["sinker.tags.max_identifiers"];
  const say = (line: string) => print(`${line}\n`);
  const tags = createGlobalTags(tagRules, {
    functionOf: modules.of,
    maxIdentifiers,
    report: (severity, message) => printLine(`${severity}: ${message}`),
  });
  for (const { severity, path, message } of tags.problems) {
    printLine(`${severity}: ${tagsFile}${path === "" ? "" : `: ${path}`}: ${message}`);
  }
  try {
    for (const point of await pointsOfInput(category)) {
      say("");
      printLine(`point ${point.measurement}`);
      const header = await tags.headerOf(category, point, extra);
      const why = tagsExplanationText(explainTags(tagRules, category, point, extra, maxIdentifiers));
      if (why !== "") say(why);
      printLine(`${headerName}: ${header}`);
      if (rules !== undefined) say(explanationText(explain(rules, header, path, "all")));
    }
  } finally {
    await modules.close();
  }
  return tags.problems.some(({ severity }) => severity === "error") ? 1 : 0;
}

async function pointsOfInput(category: string): Promise<PlainPoint[]> {
  const chunks: Buffer[] = [];
  for await (const chunk of process.stdin) chunks.push(chunk as Buffer);
  const body = new Uint8Array(Buffer.concat(chunks));
  if (body.length === 0) return [];
  const mill = await createMillrace();
  try {
    const points: PlainPoint[] = [];
    for (const batch of mill.decodeInWindows(body, { category: categoryNamed(category), form: "lp" })) {
      for (let at = 0; at < batch.length; at++) points.push(plainPointOf(batch.at(at)));
    }
    return points;
  } catch (error) {
    if (error instanceof PointError) throw new UsageError(error.message);
    throw error;
  }
}
