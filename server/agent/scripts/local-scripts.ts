// Loads the scripts from files again each time the files change. When a script no longer compiles, its last version
// that compiled stays in use. Shows the compile error of a file in /metrics until the file compiles or is gone.

import type { CategoryName } from "../../../lib/point/index.ts";
import type { Log } from "../../telemetry/log.ts";
import type { Metrics } from "../../telemetry/metrics.ts";
import { JobAborted } from "../thread-pool.ts";
import type { ShowScriptErrors } from "./script-errors.ts";
import type { ChooseVersionsJob, ChosenScripts, FailedScript, LocalScripts, ScriptSources } from "./script-sources.ts";
import type { ScriptFiles } from "./scripts.ts";

/** The scripts in force from one folder. The agent keeps this state when it reloads its configuration. */
export interface KeptScripts {
  inForce: LocalScripts;
  /** The versions of scripts that are in force, by category and name. */
  versions: ReadonlyMap<string, Version>;
  /** Problems of the grok pattern files, one text for each definition that cannot be used. */
  wrongPatterns: readonly string[];
}

export function noKeptScripts(): KeptScripts {
  return { inForce: { scripts: {}, helpers: {}, patterns: {} }, versions: new Map(), wrongPatterns: [] };
}

export interface LocalScriptsOptions {
  readonly kept: KeptScripts;
  readonly chooseVersions: (job: ChooseVersionsJob) => Promise<ChosenScripts>;
  readonly onChange: (scripts: LocalScripts) => void;
  readonly showErrors: ShowScriptErrors;
  readonly log: Log;
  readonly metrics: Metrics;
}

interface Version {
  readonly text: string;
  /** Time when this version of the script came into force, in seconds since 1970. */
  readonly since: number;
}

/**
 * Puts those scripts of the given files in force that compile. When the function is called again while an
 * earlier call is in progress, only the files of the last call count. Resolves when the scripts of the last call
 * are in force.
 */
export type TakeFiles = (files: ScriptFiles) => Promise<void>;

const attempts = 2;

export function createLocalScripts(options: LocalScriptsOptions): TakeFiles {
  let latest: ScriptFiles;
  let taking: Promise<void> | undefined;

  const takeLatest = async (): Promise<void> => {
    for (let taken: ScriptFiles | undefined; taken !== latest; ) {
      taken = latest;
      await take(options, taken);
    }
  };

  return (files) => {
    latest = files;
    taking ??= takeLatest().finally(() => {
      taking = undefined;
    });
    return taking;
  };
}

/** Loads the scripts from files. Logs compile errors that are new, and errors that are solved. */
async function take(options: LocalScriptsOptions, files: ScriptFiles): Promise<void> {
  const { kept, onChange, showErrors, log, metrics } = options;
  const chosen = await chooseAll(options, files);
  if (chosen === undefined) return;
  const failed = [...chosen.failed, ...files.unreadable];
  kept.inForce = { scripts: chosen.scripts, helpers: chosen.helpers, patterns: chosen.patterns };
  const before = kept.versions;
  kept.versions = versionsOf(chosen.scripts, before);
  showVersions(kept.versions, before, metrics);
  onChange(kept.inForce);
  for (const each of chosen.wrongPatterns) if (!kept.wrongPatterns.includes(each)) log.error(each);
  kept.wrongPatterns = chosen.wrongPatterns;
  const { added, gone } = showErrors(failed);
  for (const each of added) log.error(messageOf(each, kept.versions));
  for (const id of gone.map(idOf)) if (kept.versions.has(id)) log.info(`script ${id} compiles again`);
}

/** Returns the scripts to put in force; undefined when the agent stops before they are compiled. */
async function chooseAll(
  { kept, chooseVersions }: LocalScriptsOptions,
  { sources, unreadable, patterns, areBundled }: ScriptFiles,
): Promise<ChosenScripts | undefined> {
  if (areBundled === true && unreadable.length === 0)
    return { scripts: sources, helpers: {}, patterns, failed: [], wrongPatterns: [] };
  const files: Record<string, Record<string, string>> = {};
  for (const [category, texts] of Object.entries(sources)) files[category] = { ...texts };
  // When the file of a script cannot be read, the script is assumed to be unchanged.
  for (const { category, name } of unreadable) {
    const text = kept.inForce.scripts[category]?.[name];
    if (text !== undefined) (files[category] ??= {})[name] = text;
  }
  for (let attempt = 1; ; attempt++) {
    try {
      return await chooseVersions({ files, patterns, before: kept.inForce });
    } catch (error) {
      if (error instanceof JobAborted) return undefined;
      if (attempt === attempts) return unchanged(kept, files, `compiling it or another: ${(error as Error).message}`);
    }
  }
}

/**
 * Returns the scripts that are in force. Used when no worker thread could compile the script files. In this case it is
 * unknown whether new and changed files compile.
 */
function unchanged({ inForce, wrongPatterns }: KeptScripts, files: ScriptSources, error: string): ChosenScripts {
  const scripts: Record<string, Record<string, string>> = {};
  const helpers: typeof scripts = {};
  const failed: FailedScript[] = [];
  for (const [category, texts] of Object.entries(files) as [CategoryName, Record<string, string>][]) {
    const before = inForce.scripts[category] ?? {};
    scripts[category] = {};
    helpers[category] = { ...inForce.helpers[category], ...before };
    for (const [name, text] of Object.entries(texts)) {
      if (Object.hasOwn(before, name)) scripts[category][name] = before[name];
      if (before[name] !== text) failed.push({ category, name, error });
    }
  }
  return { scripts, helpers, patterns: inForce.patterns, failed, wrongPatterns };
}

type Versions = ReadonlyMap<string, Version>;

/** Returns the versions of scripts. A script whose text has not changed keeps the time of its previous version. */
function versionsOf(scripts: ScriptSources, before: Versions): Versions {
  const now = Date.now() / 1000;
  const versions = new Map<string, Version>();
  for (const [category, texts] of Object.entries(scripts)) {
    for (const [name, text] of Object.entries(texts)) {
      const id = idOf({ category, name });
      const known = before.get(id);
      versions.set(id, known?.text === text ? known : { text, since: now });
    }
  }
  return versions;
}

/**
 * Sets the metric of each script to the time at which its version came into force. Removes the metrics of scripts that
 * are gone.
 */
function showVersions(versions: Versions, before: Versions, metrics: Metrics): void {
  const labelsOf = (id: string) => {
    const [category, name] = id.split("/") as [string, string];
    return { category, name, namespace: "default" };
  };
  for (const [id, { since }] of versions) metrics.pipelineUpdated.set(labelsOf(id), since);
  for (const id of before.keys()) if (!versions.has(id)) metrics.pipelineUpdated.remove(labelsOf(id));
}

function messageOf(failed: FailedScript, versions: Versions): string {
  const id = idOf(failed);
  const version = versions.get(id);
  if (version === undefined) return `script ${id} is not in force: ${failed.error}`;
  const since = `${new Date(version.since * 1000).toISOString().slice(0, 19)}Z`;
  return `script ${id} does not compile, its version of ${since} goes on running: ${failed.error}`;
}

function idOf({ category, name }: { readonly category: string; readonly name: string }): string {
  return `${category}/${name}`;
}
