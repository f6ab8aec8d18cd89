// Stores labels of objects (monitored things such as hosts) in one file of the data folder. The interface
// /v1/object/labels uses this store when no gateway is configured.

import { readFileSync } from "node:fs";
import { mkdir, rename, writeFile } from "node:fs/promises";
import path from "node:path";
import { readJson } from "../../lib/text/index.ts";
import { exactJson } from "../http/body/exact-json.ts";
import { type LabelledObject, labelledObjectId } from "../http/body/labelled-object.ts";

export interface ObjectLabels {
  /** Replaces the labels of the object. Returns the id of the object, which has 40 hex digits. */
  put(object: LabelledObject, labels: readonly string[]): Promise<string>;
  remove(object: LabelledObject): Promise<void>;
}

/** Thrown when the store of labels is full. The labels are then not stored. */
export class TooManyObjects extends Error {}

const maxObjects = 100_000;

export function openObjectLabels(file: string): ObjectLabels {
  /** The labels of each object as JSON text. The key of this map is the object's id. */
  const objects = read(file);
  /**
   * Promise that settles when the last queued save is done. Saves run one after the other; a change during a save is
   * stored by the next save.
   */
  let saving = Promise.resolve();
  let waiting = false;
  /** Whether the file of labels holds all changes. False while a save is under way and after a failed save. */
  let isSaved = true;

  const save = (): Promise<void> => {
    if (waiting) return saving;
    waiting = true;
    saving = saving
      .catch(() => {})
      .then(async () => {
        waiting = false;
        isSaved = false;
        await mkdir(path.dirname(file), { recursive: true });
        const members = Array.from(objects, ([id, object]) => `${JSON.stringify(id)}:${object}`);
        await writeFile(`${file}.tmp`, `{${members.join(",")}}`, { mode: 0o600 });
        await rename(`${file}.tmp`, file);
        isSaved = true;
      });
    return saving;
  };

  return {
    put: async (object, labels) => {
      const id = labelledObjectId(object);
      if (!objects.has(id) && objects.size >= maxObjects) {
        throw new TooManyObjects(`labels of ${maxObjects} objects are kept already`);
      }
      const { value, ...names } = object;
      objects.set(id, `${JSON.stringify(names).slice(0, -1)},"value":${value},"labels":${JSON.stringify(labels)}}`);
      await save();
      return id;
    },
    remove: async (object) => {
      // Usually the file of labels is saved only when the object had labels, which were just removed from memory. But
      // after a failed save, the file may still contain objects that are no longer in memory. So after such a failure
      // the file is saved even when the object had no labels.
      if (objects.delete(labelledObjectId(object)) || !isSaved) await save();
    },
  };
}

function read(file: string): Map<string, string> {
  try {
    const kept = readJson(readFileSync(file, "utf8"));
    if (!(kept instanceof Map)) throw new Error("an object is expected");
    return new Map(Array.from(kept, ([id, object]) => [id, exactJson(object)]));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return new Map();
    throw new Error(`${file} cannot be read: ${(error as Error).message}`);
  }
}
