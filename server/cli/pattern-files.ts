// Loads the grok patterns of a command: first the files in the folder `patterns` beside the script, where an agent
// would find them too, then those of --patterns.

import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import path from "node:path";
import { ignoredFieldsTexts, loadPatternFiles, type PatternSource, patternProblemText } from "../../lib/grok/index.ts";
import { categories } from "../../lib/point/index.ts";
import type { Config } from "../config/schema.ts";
import { UsageError } from "./usage-error.ts";

/** The options for `parseArgs`. */
export const patternOptions = {
  patterns: { type: "string", multiple: true },
  ecs: { type: "boolean" },
} as const;

export interface PatternChoice {
  readonly patterns?: string[] | undefined;
  /** Whether names of ECS are used; overrides the configuration. */
  readonly ecs?: boolean | undefined;
}

export interface CommandPatterns {
  /** Options for the compiler; empty when only the built-in patterns are used. */
  readonly options: { readonly patterns?: PatternSource };
  /** File, line and reason for each definition that cannot be used. */
  readonly problems: readonly string[];
  /** A warning for each file with definitions that need names of ECS while ECS is off. */
  readonly warnings: readonly string[];
}

/** Loads the patterns for a script in `folder`. Throws UsageError when a named file is missing. */
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

/**
 * Returns the pattern files beside a script. An agent's scripts folder has a folder for each category; these folders
 * share the patterns of the scripts folder.
 */
function filesBeside(folder: string): string[] {
  const resolved = path.resolve(folder);
  const above = categories.some((category) => category === path.basename(resolved))
    ? [path.join(path.dirname(resolved), "patterns")]
    : [];
  const places = [...above, path.join(folder, "patterns")];
  return places.flatMap((place) => (existsSync(place) ? filesIn(place).filter((file) => file.endsWith(".grok")) : []));
}

/**
 * Returns the files of a place that the user named. A named file may have any extension, because Logstash's pattern
 * files have none.
 */
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

/** Returns whether a place is a file; false for a link whose target is gone. */
function isFile(place: string): boolean {
  return statSync(place, { throwIfNoEntry: false })?.isFile() === true;
}
