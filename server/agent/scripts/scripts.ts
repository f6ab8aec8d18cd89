// Watches the script files of each category (docs/reference/agent.md#scripts): first the scripts bundled with the
// agent, then <data-dir>/pipeline/*.p (logging), then <data-dir>/pipeline/<category>/*.p. A script in a later folder
// replaces one of the same name. Also reads the grok patterns of <data-dir>/pipeline/patterns/*.grok. Checks the
// folders below the data directory every two seconds. The bundled scripts never change while the agent runs.

import { readdir, readFile, stat } from "node:fs/promises";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { type CategoryName, categories } from "../../../lib/point/index.ts";
import type { Log } from "../../telemetry/log.ts";
import type { FailedScript, PatternTexts, ScriptSources } from "./script-sources.ts";

export interface ScriptFiles {
  readonly sources: ScriptSources;
  /** Scripts whose files exist but could not be read. */
  readonly unreadable: readonly FailedScript[];
  readonly patterns: PatternTexts;
  /** Names of the scripts, by category, whose texts come from the files bundled with the agent. */
  readonly bundled?: Readonly<Record<string, readonly string[]>>;
  /**
   * Whether all script files are those bundled with the agent. The bundled scripts need no check, because they compile.
   */
  readonly areBundled?: boolean;
}

export interface ScriptStore {
  readonly files: ScriptFiles;
  /** Reads the files again at once. Called after the agent itself has changed a file. */
  reread(): Promise<void>;
  close(): void;
}

const bundled = fileURLToPath(new URL("../../pipelines/", import.meta.url));
const pollMs = 2000;

/** Starts to watch the script files. Calls `onChange` with the texts of all files each time files have changed. */
export async function openScriptStore(
  folder: string,
  log: Log,
  onChange: (files: ScriptFiles) => void,
): Promise<ScriptStore> {
  const folders = new ScriptFolders(placesOf(folder), log);
  await folders.rereadIfChanged();
  let reading: Promise<void> | undefined;
  const readOnce = async () => {
    try {
      if (await folders.rereadIfChanged()) {
        log.info("scripts changed, compiling them anew");
        onChange(folders.files);
      }
    } catch (error) {
      log.error(`scripts: ${(error as Error).message}`);
    } finally {
      reading = undefined;
    }
  };
  const read = () => (reading ??= readOnce());
  const timer = setInterval(() => void read(), pollMs);
  timer.unref();
  return {
    get files() {
      return folders.files;
    },
    reread: async () => {
      // A check of the folders may already be in progress, and may have read a file before the agent changed this
      // file. So the folders are checked once more when that check has ended.
      await reading;
      await read();
    },
    close: () => clearInterval(timer),
  };
}

/**
 * Returns the folders of scripts and grok patterns. A script replaces a script of the same name from an earlier folder.
 */
function placesOf(folder: string): readonly Place[] {
  return [
    ...categories.map((category) => ({ category, folder: path.join(bundled, category), isBundled: true })),
    { category: "logging", folder, isBundled: false },
    ...categories.map((category) => ({ category, folder: path.join(folder, category), isBundled: false })),
    { category: "patterns", folder: path.join(folder, "patterns"), isBundled: false },
  ];
}

/** Checks the folders with scripts and grok patterns, and reads the files when one of them has changed. */
class ScriptFolders {
  files: ScriptFiles = { sources: {}, unreadable: [], patterns: {} };
  private readonly places: readonly Place[];
  private readonly log: Log;
  /**
   * The paths and change times of all files at the last check, joined to one text. An empty text makes the next check
   * read the files in any case.
   */
  private seen = "";
  /** The files that each folder had at the last check; undefined for a folder that was never listed. */
  private readonly lists: (readonly ScriptFile[] | undefined)[];
  private readonly unlisted = new Set<string>();
  private readonly unreadPatterns = new Set<string>();

  constructor(places: readonly Place[], log: Log) {
    this.places = places;
    this.log = log;
    this.lists = places.map(() => undefined);
  }

  /** Checks the folders of scripts and grok patterns. Returns whether the contents of a file have changed. */
  async rereadIfChanged(): Promise<boolean> {
    const found = (await Promise.all(this.places.map((place, at) => this.list(place, at)))).flat();
    const now = found.map((file) => `${file.path} ${file.stamp}`).join("\n");
    if (now === this.seen) return false;
    const next = await this.read(found);
    // The paths and change times of files do not tell when an unreadable file becomes readable again. So as long as
    // some file is unreadable, the files are read at each check.
    this.seen = next.unreadable.length === 0 && this.unreadPatterns.size === 0 ? now : "";
    if (JSON.stringify(next) === JSON.stringify(this.files)) return false;
    this.files = next;
    return true;
  }

  private async list(place: Place, at: number): Promise<readonly ScriptFile[]> {
    if (place.isBundled && this.lists[at] !== undefined) return this.lists[at];
    try {
      this.lists[at] = await scriptsIn(place);
      this.unlisted.delete(place.folder);
    } catch (error) {
      // The folder of scripts could not be listed. The error may be temporary, such as too many open files, so it does
      // not mean that the scripts are gone.
      if (!this.unlisted.has(place.folder)) this.log.error(`scripts: ${(error as Error).message}`);
      this.unlisted.add(place.folder);
    }
    return this.lists[at] ?? [];
  }

  /** Reads script and pattern files. A script replaces an earlier one of the same category and name. */
  private async read(found: readonly ScriptFile[]): Promise<ScriptFiles> {
    const sources: Record<string, Record<string, string>> = Object.fromEntries(categories.map((name) => [name, {}]));
    const patterns: Record<string, string> = {};
    const bundledNames: Record<string, string[]> = {};
    const unreadable = new Map<string, FailedScript>();
    for (const { category, path: file, isBundled } of found) {
      const name = path.basename(file);
      if (category === "patterns") {
        const text = await this.readPatterns(file, name);
        if (text !== undefined) patterns[name] = text;
        continue;
      }
      const id = `${category}/${name}`;
      try {
        sources[category][name] = await readFile(file, "utf8");
        unreadable.delete(id);
        if (isBundled) (bundledNames[category] ??= []).push(name);
        else if (bundledNames[category]?.includes(name)) {
          bundledNames[category] = bundledNames[category].filter((each) => each !== name);
        }
      } catch (error) {
        if (isGone(error)) continue;
        delete sources[category][name];
        unreadable.set(id, { category, name, error: (error as Error).message });
      }
    }
    const areBundled = found.every(({ isBundled }) => isBundled);
    return { sources, unreadable: [...unreadable.values()], patterns, bundled: bundledNames, areBundled };
  }

  /**
   * Reads a grok pattern file. Returns its previous text when the file cannot be read, and undefined when it is gone.
   */
  private async readPatterns(file: string, name: string): Promise<string | undefined> {
    try {
      const text = await readFile(file, "utf8");
      this.unreadPatterns.delete(name);
      return text;
    } catch (error) {
      const isUnread = this.unreadPatterns.has(name);
      if (!isGone(error) && !isUnread) this.log.error(`patterns: ${(error as Error).message}`);
      if (isGone(error)) this.unreadPatterns.delete(name);
      else this.unreadPatterns.add(name);
      return isGone(error) ? undefined : this.files.patterns[name];
    }
  }
}

interface Place {
  readonly category: CategoryName | "patterns";
  readonly folder: string;
  /** Whether the folder is part of the agent's own package. Such a folder is listed only once. */
  readonly isBundled: boolean;
}

interface ScriptFile {
  readonly category: Place["category"];
  readonly path: string;
  readonly stamp: string;
  readonly isBundled: boolean;
}

function isGone(error: unknown): boolean {
  return ["ENOENT", "ENOTDIR"].includes((error as NodeJS.ErrnoException).code ?? "");
}

/**
 * Returns an error handler that returns `other` when the error says that the file no longer exists, and throws any
 * other error.
 */
function orIfGone<T>(other: T): (error: unknown) => T {
  return (error) => {
    if (isGone(error)) return other;
    throw error;
  };
}

async function scriptsIn(place: Place): Promise<ScriptFile[]> {
  const names = await readdir(place.folder).catch(orIfGone<string[]>([]));
  const files: ScriptFile[] = [];
  const extension = place.category === "patterns" ? ".grok" : ".p";
  for (const name of names.filter((each) => each.endsWith(extension)).sort()) {
    const file = path.join(place.folder, name);
    const info = await stat(file).catch(orIfGone(undefined));
    if (info?.isFile())
      files.push({
        category: place.category,
        path: file,
        stamp: `${info.mtimeMs} ${info.size} ${info.ino}`,
        isBundled: place.isBundled,
      });
  }
  return files;
}
