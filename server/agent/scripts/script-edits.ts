// Lists the agent's scripts for an editor, checks changed scripts, and saves them
// (docs/reference/agent.md#scripts-list-and-save). The agent loads a saved script in the same way as any changed script
// file.

import type { CategoryName } from "../../../lib/point/index.ts";
import { ApiError } from "../../http/errors.ts";
import type { Metrics } from "../../telemetry/metrics.ts";
import type { Namespace } from "./namespaces.ts";
import { NotSaved, type SavedFile, type SavedFiles } from "./saved-files.ts";
import type { ScriptErrors } from "./script-errors.ts";
import type { ChooseVersionsJob, ChosenScripts, FailedScript, ScriptLayers } from "./script-sources.ts";
import type { ScriptFiles } from "./scripts.ts";

/**
 * Where a script comes from: the gateway has sent it, it is a file in the data folder, or it is one of the scripts that
 * come with the agent.
 */
export type Origin = "gateway" | "local" | "ready";

/**
 * Says which version of a script runs. `this`: its present text. `older`: an older text, because the present text does
 * not compile. `none`: no version. `gateway`: the gateway's script of the same name. `soon`: the present text was just
 * changed and is being compiled.
 */
export type InForce = "this" | "older" | "none" | "gateway" | "soon";

export interface ListedScript extends SavedFile {
  readonly origin: Origin;
  readonly content: string;
  readonly in_force: InForce;
  /**
   * The compile error of the script's present text, and the places in scripts that the error names; empty when the text
   * compiles.
   */
  readonly errors: readonly Omit<FailedScript, "category" | "name">[];
  /** The version of the script that `goBack` would restore; absent when there is none. */
  readonly previous?: "version" | "no file";
  readonly points: number;
  readonly dropped: number;
  readonly failed: number;
}

export interface ScriptChange extends SavedFile {
  readonly content: string;
  /**
   * The text that the client believes to be in the script's file; null for no file, undefined when the client does not
   * say.
   */
  readonly present: string | null | undefined;
}

export interface ScriptEdits {
  /** Whether the configuration allows clients to save scripts. */
  readonly maySave: boolean;
  list(): Promise<readonly ListedScript[]>;
  /**
   * Returns the new compile errors that saving this script would cause in scripts of the category. Errors that exist
   * already are left out.
   */
  check(change: Pick<ScriptChange, "category" | "name" | "content">): Promise<readonly FailedScript[]>;
  /** Checks the script, and saves it when there is no error. Returns the errors. Throws ApiError. */
  save(change: ScriptChange): Promise<readonly FailedScript[]>;
  /** Restores the version that a script file had before its last save. Throws ApiError. */
  goBack(change: Omit<ScriptChange, "content">): Promise<void>;
}

export interface ScriptEditsOptions {
  readonly maySave: boolean;
  readonly files: () => ScriptFiles;
  /** Makes the agent read the script files again at once. Called after a script was saved. */
  readonly reread: () => Promise<void>;
  readonly layers: () => ScriptLayers;
  readonly saved: SavedFiles;
  readonly chooseVersions: (job: ChooseVersionsJob) => Promise<ChosenScripts>;
  readonly scriptErrors: Readonly<Record<Namespace, Pick<ScriptErrors, "shown">>>;
  readonly metrics: Pick<Metrics, "pipelinePoints" | "pipelineDropped" | "pipelineErrors">;
}

export function createScriptEdits(options: ScriptEditsOptions): ScriptEdits {
  const { maySave, files, reread, layers, saved, chooseVersions, scriptErrors } = options;

  const check: ScriptEdits["check"] = async ({ category, name, content }) => {
    const { sources, patterns } = files();
    const { default: scripts, helpers, patterns: patternsBefore } = layers();
    const changed = { ...sources[category], [name]: content };
    const before = { scripts, helpers, patterns: patternsBefore };
    const { failed } = await chooseVersions({ files: { [category]: changed }, patterns, before });
    const known = scriptErrors.default.shown();
    return failed.filter(
      (each) => each.name === name || !known.some((old) => idOf(old) === idOf(each) && old.error === each.error),
    );
  };

  /** Runs the changes of files one after the other, so that no two changes replace the same file at once. */
  let last: Promise<unknown> = Promise.resolve();
  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    const done = last.then(work);
    last = done.catch(() => {});
    return done.catch((error: unknown) => {
      if (error instanceof NotSaved) throw new ApiError("agent.scriptNotSaved", error.message);
      // An error with the member `syscall` comes from the operating system, which refuses to write the file. For
      // example, the folder belongs to another user, or the disk is full.
      const { syscall, code } = error as NodeJS.ErrnoException;
      if (syscall !== undefined) throw new ApiError("agent.scriptNotSaved", `the file cannot be written: ${code}`);
      throw error;
    });
  };

  const refuseOtherVersion = async ({ category, name, present }: Omit<ScriptChange, "content">) => {
    if (!maySave) throw new ApiError("agent.scriptSavingDisabled", "pipeline.save_scripts is off");
    if (present === undefined || (await saved.read({ category, name })) === present) return;
    throw new ApiError("agent.scriptNotSaved", `${category}/${name} was changed meanwhile`);
  };

  return {
    maySave,
    list: () => listScripts(options),
    check,
    save: (change) =>
      inTurn(async () => {
        await refuseOtherVersion(change);
        const errors = await check(change);
        if (errors.length > 0) return errors;
        await saved.save(change, change.content);
        await reread();
        return errors;
      }),
    goBack: (change) =>
      inTurn(async () => {
        await refuseOtherVersion(change);
        await saved.goBack(change);
        await reread();
      }),
  };
}

/** Returns all scripts, by category and name. A script of the gateway comes before the file that it replaces. */
async function listScripts(options: ScriptEditsOptions): Promise<readonly ListedScript[]> {
  const { files, layers, scriptErrors } = options;
  const counts = await createCounts(options);
  const { sources, unreadable, bundled = {} } = files();
  const { remote, default: local } = layers();
  const failedRemote = new Map(scriptErrors.remote.shown().map((each) => [idOf(each), each]));
  const failedLocal = new Map([...scriptErrors.default.shown(), ...unreadable].map((each) => [idOf(each), each]));
  const listed: ListedScript[] = [];
  const errorsOf = (failed: FailedScript | undefined) =>
    failed === undefined
      ? []
      : [{ error: failed.error, ...(failed.places === undefined ? {} : { places: failed.places }) }];

  for (const [category, texts] of Object.entries(remote) as [CategoryName, Record<string, string>][]) {
    for (const [name, content] of Object.entries(texts)) {
      const failed = failedRemote.get(idOf({ category, name }));
      const inForce = failed === undefined ? "this" : "none";
      const errors = errorsOf(failed);
      listed.push({
        category,
        name,
        origin: "gateway",
        content,
        in_force: inForce,
        errors,
        ...counts(category, name, "remote"),
      });
    }
  }
  const isReplaced = (id: SavedFile) =>
    Object.hasOwn(remote[id.category] ?? {}, id.name) && !failedRemote.has(idOf(id));
  const named = [
    ...Object.entries(sources).flatMap(([category, texts]) => Object.keys(texts).map((name) => ({ category, name }))),
    ...unreadable,
  ] as readonly SavedFile[];
  for (const { category, name } of named) {
    const content = sources[category]?.[name] ?? "";
    const running = local[category]?.[name];
    const origin = bundled[category]?.includes(name) === true ? "ready" : "local";
    const errors = errorsOf(failedLocal.get(idOf({ category, name })));
    const otherwise = errors.length === 0 ? "soon" : running === undefined ? "none" : "older";
    const version = running === content ? "this" : otherwise;
    const inForce = isReplaced({ category, name }) ? "gateway" : version;
    const previous = await previousOf(options.saved, { category, name });
    listed.push({
      category,
      name,
      origin,
      content,
      in_force: inForce,
      errors,
      ...previous,
      ...counts(category, name, "default"),
    });
  }
  // The sort is stable, so a script of the gateway stays before the file of the same name.
  return listed.sort((a, b) => (idOf(a) < idOf(b) ? -1 : idOf(a) > idOf(b) ? 1 : 0));
}

async function previousOf(saved: SavedFiles, file: SavedFile): Promise<Pick<ListedScript, "previous">> {
  const before = await saved.previous(file).catch(() => undefined);
  return before === undefined ? {} : { previous: before.text === null ? "no file" : "version" };
}

type ScriptCounts = Pick<ListedScript, "points" | "dropped" | "failed">;

/** Returns a function that looks up the counts of a script (points, dropped points and errors) that /metrics shows. */
async function createCounts({ metrics }: ScriptEditsOptions) {
  const { pipelinePoints, pipelineDropped, pipelineErrors } = metrics;
  const [points, dropped, failed] = await Promise.all(
    [pipelinePoints, pipelineDropped, pipelineErrors].map(async (counter) => {
      const { values } = await counter.get();
      return new Map(
        values.map(({ labels, value }) => [`${labels.namespace}/${labels.category}/${labels.name}`, value]),
      );
    }),
  );
  return (category: string, name: string, namespace: Namespace): ScriptCounts => {
    const key = `${namespace}/${category}/${name}`;
    return { points: points!.get(key) ?? 0, dropped: dropped!.get(key) ?? 0, failed: failed!.get(key) ?? 0 };
  };
}

function idOf({ category, name }: { readonly category: string; readonly name: string }): string {
  return `${category}/${name}`;
}
