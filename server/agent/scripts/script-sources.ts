// The texts of scripts and pattern files, and the versions of them that compile.

import type { CategoryName } from "../../../lib/point/index.ts";
import type { Namespace } from "./namespaces.ts";

/** Script texts by category and by file name (`nginx.p`). */
export type ScriptSources = Readonly<Record<string, Readonly<Record<string, string>>>>;

/** Texts of pattern files by file name (`httpd.grok`). */
export type PatternTexts = Readonly<Record<string, string>>;

/** The scripts of the files that are in force. */
export interface LocalScripts {
  readonly scripts: ScriptSources;
  /** Scripts whose files are gone, but which other scripts still run. */
  readonly helpers: ScriptSources;
  /** Grok patterns that all scripts can use. */
  readonly patterns: PatternTexts;
}

/** The scripts of all namespaces, with the helpers of the files' scripts and the pattern files. */
export type ScriptLayers = Readonly<Record<Namespace, ScriptSources>> & Pick<LocalScripts, "helpers" | "patterns">;

export interface ScriptName {
  readonly category: CategoryName;
  readonly name: string;
  readonly namespace: Namespace;
}

export interface FailedScript {
  readonly category: CategoryName;
  readonly name: string;
  readonly error: string;
}

/** The job of choosing the script versions to put in force after files have changed. */
export interface ChooseVersionsJob {
  readonly files: ScriptSources;
  readonly patterns: PatternTexts;
  readonly before: LocalScripts;
}

export interface ChosenScripts extends LocalScripts {
  /** Files that do not compile, whether or not an older version of the script runs. */
  readonly failed: readonly FailedScript[];
  /** Problems of the pattern files: file, line and reason of each definition that cannot be used. */
  readonly wrongPatterns: readonly string[];
}
