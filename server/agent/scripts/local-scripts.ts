// Puts the scripts from files in force each time the files change. A script that no longer compiles keeps its last
// version that did. The error of a file is shown until the file compiles or is gone.

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
  /** Script versions in force, by category and name. */
  versions: ReadonlyMap<string, Version>;
  /** Problems of the grok pattern files, one text for each definition that cannot be used. */
  wrongPatterns: readonly string[];
}

export function noKeptScripts(): KeptScripts {
  return { inForce: { scripts: {}, helpers: {}, patterns: {} }, versions: new Map(), wrongPatterns: [] };
}

export interface LocalScriptsOptions {
  readonly kept: KeptScripts;
  readonly settle: (job: ChooseVersionsJob) => Promise<ChosenScripts>;
  readonly onChange: (scripts: LocalScripts) => void;
  readonly showErrors: ShowScriptErrors;
  readonly log: Log;
  readonly metrics: Metrics;
}

interface Version {
  readonly text: string;
  /** Time when the version came into force, in seconds since 1970. */
  readonly since: number;
}

/** Takes the current script files. Resolves when these files, or later ones, are in force. */
export type TakeFiles = (files: ScriptFiles) => Promise<void>;

const attempts = 2;

export function createLocalScripts({
  kept,
  settle,
  onChange,
  showErrors,
  log,
  metrics,
}: LocalScriptsOptions): TakeFiles {
  let latest: ScriptFiles;
  let taking: Promise<void> | undefined;

  const take = async (files: ScriptFiles): Promise<void> => {
    const settled = await settleAll(files);
    if (settled === undefined) return;
    const failed = [...settled.failed, ...files.unreadable];
    kept.inForce = { scripts: settled.scripts, helpers: settled.helpers, patterns: settled.patterns };
    kept.versions = versionsOf(settled.scripts);
    onChange(kept.inForce);
    for (const each of settled.wrongPatterns) if (!kept.wrongPatterns.includes(each)) log.error(each);
    kept.wrongPatterns = settled.wrongPatterns;
    const { added, gone } = showErrors(failed);
    for (const each of added) log.error(messageOf(each));
    for (const id of gone.map(idOf)) if (kept.versions.has(id)) log.info(`script ${id} compiles again`);
  };

  /** Returns the scripts to put in force; undefined when the agent stops meanwhile. */
  const settleAll = async ({ sources, unreadable, patterns }: ScriptFiles): Promise<ChosenScripts | undefined> => {
    const files: Record<string, Record<string, string>> = {};
    for (const [category, texts] of Object.entries(sources)) files[category] = { ...texts };
    // A script whose file cannot be read is assumed to be unchanged.
    for (const { category, name } of unreadable) {
      const text = kept.inForce.scripts[category]?.[name];
      if (text !== undefined) (files[category] ??= {})[name] = text;
    }
    for (let attempt = 1; ; attempt++) {
      try {
        return await settle({ files, patterns, before: kept.inForce });
      } catch (error) {
        if (error instanceof JobAborted) return undefined;
        if (attempt === attempts) return unsettled(files, `compiling it or another: ${(error as Error).message}`);
      }
    }
  };

  /**
   * Returns the scripts that are already in force. Used when the script files could not be compiled, so that no new or
   * changed file can be trusted.
   */
  const unsettled = (files: ScriptSources, error: string): ChosenScripts => {
    const scripts: Record<string, Record<string, string>> = {};
    const helpers: typeof scripts = {};
    const failed: FailedScript[] = [];
    for (const [category, texts] of Object.entries(files) as [CategoryName, Record<string, string>][]) {
      const before = kept.inForce.scripts[category] ?? {};
      scripts[category] = {};
      helpers[category] = { ...kept.inForce.helpers[category], ...before };
      for (const [name, text] of Object.entries(texts)) {
        if (Object.hasOwn(before, name)) scripts[category][name] = before[name];
        if (before[name] !== text) failed.push({ category, name, error });
      }
    }
    return { scripts, helpers, patterns: kept.inForce.patterns, failed, wrongPatterns: kept.wrongPatterns };
  };

  const versionsOf = (scripts: ScriptSources): Map<string, Version> => {
    const now = Date.now() / 1000;
    const next = new Map<string, Version>();
    for (const [category, texts] of Object.entries(scripts)) {
      for (const [name, text] of Object.entries(texts)) {
        const id = idOf({ category, name });
        const before = kept.versions.get(id);
        const version = before?.text === text ? before : { text, since: now };
        next.set(id, version);
        metrics.pipelineUpdated.set({ category, name, namespace: "default" }, version.since);
      }
    }
    for (const id of kept.versions.keys()) {
      const [category, name] = id.split("/") as [string, string];
      if (!next.has(id)) metrics.pipelineUpdated.remove({ category, name, namespace: "default" });
    }
    return next;
  };

  const messageOf = (failed: FailedScript): string => {
    const id = idOf(failed);
    const version = kept.versions.get(id);
    if (version === undefined) return `script ${id} is not in force: ${failed.error}`;
    const since = `${new Date(version.since * 1000).toISOString().slice(0, 19)}Z`;
    return `script ${id} does not compile, its version of ${since} goes on running: ${failed.error}`;
  };

  const takeLatest = async (): Promise<void> => {
    for (let taken: ScriptFiles | undefined; taken !== latest; ) {
      taken = latest;
      await take(taken);
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

function idOf({ category, name }: { readonly category: string; readonly name: string }): string {
  return `${category}/${name}`;
}
