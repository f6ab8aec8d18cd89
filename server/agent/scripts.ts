// The scripts of the files, by category (agent document, B.3.1): those bundled with the agent, then <data-dir>/pipeline/*.p
// (logging), then <data-dir>/pipeline/<category>/*.p; a later one hides an earlier one of the same name. The folders
// are looked at again every two seconds.

import { readdir, readFile, stat } from "node:fs/promises";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { type CategoryName, categories } from "../../lib/point/category.ts";
import type { Log } from "../http/log.ts";
import type { ScriptSources } from "./write/protocol.ts";

export interface ScriptStore {
  readonly sources: ScriptSources;
  close(): void;
}

const bundled = fileURLToPath(new URL("../pipelines/", import.meta.url));
const lookMs = 2000;

/** `onChange` gets the whole set each time it differs from the one before. */
export async function openScriptStore(
  folder: string,
  log: Log,
  onChange: (sources: ScriptSources) => void,
): Promise<ScriptStore> {
  const places = [
    ...categories.map((category) => ({ category, folder: path.join(bundled, category) })),
    { category: "logging" as const, folder },
    ...categories.map((category) => ({ category, folder: path.join(folder, category) })),
  ];
  let seen = "";
  let sources: Record<string, Record<string, string>> = {};

  const look = async (): Promise<boolean> => {
    const files = (await Promise.all(places.map(scriptsIn))).flat();
    const now = files.map((file) => `${file.path} ${file.stamp}`).join("\n");
    if (now === seen) return false;
    const next: Record<string, Record<string, string>> = Object.fromEntries(categories.map((name) => [name, {}]));
    for (const file of files) {
      try {
        next[file.category][path.basename(file.path)] = await readFile(file.path, "utf8");
      } catch (error) {
        log.error(`script ${file.path}: ${(error as Error).message}`);
      }
    }
    seen = now;
    sources = next;
    return true;
  };

  await look();
  let looking = false;
  const timer = setInterval(async () => {
    if (looking) return;
    looking = true;
    try {
      if (await look()) {
        log.info("scripts changed, compiling them anew");
        onChange(sources);
      }
    } catch (error) {
      log.error(`scripts: ${(error as Error).message}`);
    } finally {
      looking = false;
    }
  }, lookMs);
  timer.unref();
  return {
    get sources() {
      return sources;
    },
    close: () => clearInterval(timer),
  };
}

interface ScriptFile {
  readonly category: CategoryName;
  readonly path: string;
  readonly stamp: string;
}

async function scriptsIn(place: { category: CategoryName; folder: string }): Promise<ScriptFile[]> {
  let names: string[];
  try {
    names = await readdir(place.folder);
  } catch {
    return [];
  }
  const files: ScriptFile[] = [];
  for (const name of names.filter((each) => each.endsWith(".p")).sort()) {
    const file = path.join(place.folder, name);
    const info = await stat(file).catch(() => undefined);
    if (info?.isFile())
      files.push({ category: place.category, path: file, stamp: `${info.mtimeMs} ${info.size} ${info.ino}` });
  }
  return files;
}
