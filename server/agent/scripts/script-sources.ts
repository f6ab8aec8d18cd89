// The texts of scripts and pattern files, and which versions of them compile.

import type { CategoryName } from "../../../lib/point/category.ts";
import type { Namespace } from "./namespaces.ts";

/** Script text by category, then by file name (`nginx.p`). */
export type ScriptSources = Readonly<Record<string, Readonly<Record<string, string>>>>;

/** Texts of pattern files by file name (`httpd.grok`). */
export type PatternTexts = Readonly<Record<string, string>>;

/** The scripts of the files that are in force. */
export interface LocalScripts {
  readonly scripts: ScriptSources;
  /** Scripts whose files are gone, which some of the others run. */
  readonly helpers: ScriptSources;
  /** Grok patterns that all scripts see. */
  readonly patterns: PatternTexts;
}

/** With the helpers of the files' scripts and the pattern files. */
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

/** Files have changed: which versions of their scripts are to be in force. */
export interface ChooseVersionsJob {
  readonly files: ScriptSources;
  readonly patterns: PatternTexts;
  readonly before: LocalScripts;
}

export interface ChosenScripts extends LocalScripts {
  /** Of the files as they are, whether another version runs or none. */
  readonly failed: readonly FailedScript[];
  /** Of each definition of the pattern files that cannot be used: file, line and reason. */
  readonly wrongPatterns: readonly string[];
}
