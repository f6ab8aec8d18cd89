// The grok patterns of a command line: the files in `patterns` beside the script, as an agent has them, then those of --patterns.

import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import path from "node:path";
import { ignoredFieldsTexts, loadPatternFiles, type PatternSource, patternProblemText } from "../../lib/grok/index.ts";
import { categories } from "../../lib/point/category.ts";
import type { Config } from "../config/schema.ts";
import { UsageError } from "./usage-error.ts";

/** For `parseArgs`. */
export const patternOptions = {
  patterns: { type: "string", multiple: true },
  ecs: { type: "boolean" },
} as const;

export interface PatternChoice {
  readonly patterns?: string[] | undefined;
  /** Wins over the configuration. */
  readonly ecs?: boolean | undefined;
}

export interface CommandPatterns {
  /** For the compiler; nothing when there are only the built-in ones. */
  readonly options: { readonly patterns?: PatternSource };
  /** Of each definition that cannot be used: file, line and reason. */
  readonly problems: readonly string[];
  /** Of each file with definitions that need names of ECS, where these are not asked for. */
  readonly warnings: readonly string[];
}

/** `folder` is that of the script. Throws UsageError when there is no such file. */
export function patternsFor(folder: string, choice: PatternChoice, config?: Config): CommandPatterns {
  const ecs = choice.ecs ?? config?.["pipeline.ecs_patterns"] ?? false;
  const files = [...filesBeside(folder), ...(choice.patterns ?? []).flatMap(filesOf)];
  if (files.length === 0 && !ecs) return { options: {}, problems: [], warnings: [] };
  const texts = Object.fromEntries(files.map((file) => [file, readFileSync(file, "utf8")]));
  const loaded = loadPatternFiles(texts, { ecs });
  return {
    options: { patterns: loaded.patterns },
    problems: loaded.problems.map(patternProblemText),
    warnings: ignoredFieldsTexts(loaded),
  };
}

/** An agent's folder of scripts has folders of categories in it, which share its patterns. */
function filesBeside(folder: string): string[] {
  const resolved = path.resolve(folder);
  const above = categories.some((category) => category === path.basename(resolved))
    ? [path.join(path.dirname(resolved), "patterns")]
    : [];
  const places = [...above, path.join(folder, "patterns")];
  return places.flatMap((place) => (existsSync(place) ? filesIn(place).filter((file) => file.endsWith(".grok")) : []));
}

/** Logstash's own pattern files have no ending. */
function filesOf(place: string): string[] {
  if (!existsSync(place)) throw new UsageError(`there is no file ${place}`);
  return statSync(place).isDirectory() ? filesIn(place) : [place];
}

function filesIn(folder: string): string[] {
  return readdirSync(folder)
    .sort()
    .map((name) => path.join(folder, name))
    .filter((file) => isFile(file));
}

/** A link whose target is gone is none. */
function isFile(place: string): boolean {
  return statSync(place, { throwIfNoEntry: false })?.isFile() === true;
}
