// Loads the grok patterns (named regular expressions) for a command. First come the files in the folder `patterns`
// beside the script, where an agent would find them too, then the files of the option --patterns.

import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import path from "node:path";
import { ignoredFieldsTexts, loadPatternFiles, type PatternSource, patternProblemText } from "../../lib/grok/index.ts";
import { categories } from "../../lib/point/index.ts";
import type { Config } from "../config/schema.ts";
import { UsageError } from "./usage-error.ts";

/** The command-line options for grok patterns, in the form that Node's `parseArgs` takes. */
export const patternOptions = {
  patterns: { type: "string", multiple: true },
  ecs: { type: "boolean" },
} as const;

export interface PatternChoice {
  readonly patterns?: string[] | undefined;
  /**
   * Whether grok patterns use the field names of ECS (Elastic Common Schema). This option overrides the configuration.
   */
  readonly ecs?: boolean | undefined;
}

export interface CommandPatterns {
  /** Options for the script compiler; empty when only the built-in patterns are used. */
  readonly options: { readonly patterns?: PatternSource };
  /** A message for each definition of a grok pattern that cannot be used: its file, its line and the reason. */
  readonly problems: readonly string[];
  /**
   * A warning for each file whose definitions use field names of ECS (Elastic Common Schema) although ECS is switched
   * off.
   */
  readonly warnings: readonly string[];
}

/**
 * Loads the grok patterns for a script in `folder`. Throws UsageError when a pattern file named on the command line is
 * missing.
 */
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
 * Returns the grok pattern files for the scripts in `folder`: the files of its subfolder `patterns`. When `folder` is
 * named after a category, as in the scripts folder of an agent, the files of the folder `patterns` beside `folder` come
 * first.
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
 * Returns the pattern files for a path on the command line: the file itself, or the files in the folder. A file may
 * have any extension, because Logstash's pattern files have none.
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

/** Returns whether a path names a file; false for a symbolic link whose target is missing. */
function isFile(place: string): boolean {
  return statSync(place, { throwIfNoEntry: false })?.isFile() === true;
}
