// Types for the texts of scripts and of grok pattern files, for compile errors, and for the job of choosing the script
// versions that compile.

import type { CategoryName } from "../../../lib/point/index.ts";
import type { Namespace } from "./namespaces.ts";

/** Script texts by category and by file name (`nginx.p`). */
export type ScriptSources = Readonly<Record<string, Readonly<Record<string, string>>>>;

/** Texts of grok pattern files by file name (`httpd.grok`). */
export type PatternTexts = Readonly<Record<string, string>>;

/** The scripts that come from files and are in force. */
export interface LocalScripts {
  readonly scripts: ScriptSources;
  /** Scripts whose files are gone, but which other scripts still run with `use`. */
  readonly helpers: ScriptSources;
  /** Texts of the grok pattern files, whose patterns all scripts can use. */
  readonly patterns: PatternTexts;
}

/**
 * The scripts of all namespaces (gateway and files), the helpers (scripts that only other scripts run with `use`), and
 * the grok pattern files.
 */
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
  /**
   * Positions that a compile error names. The first is the position of the mistake. The others are the calls of `use`
   * that lead to the script with the mistake. Lines and columns count from 1.
   */
  readonly places?: readonly ScriptPlace[];
}

export interface ScriptPlace {
  readonly file: string;
  readonly ln: number;
  readonly col: number;
}

/** A job for a worker: to choose the script versions to put in force after files have changed. */
export interface ChooseVersionsJob {
  readonly files: ScriptSources;
  readonly patterns: PatternTexts;
  readonly before: LocalScripts;
}

export interface ChosenScripts extends LocalScripts {
  /** Scripts whose present files do not compile, including scripts of which an older version is in force. */
  readonly failed: readonly FailedScript[];
  /** Problems of the grok pattern files: file, line and reason for each definition that cannot be used. */
  readonly wrongPatterns: readonly string[];
}
