// Stores labels of objects in one file of the data folder. Used by /v1/object/labels when there is no gateway.

import { readFileSync } from "node:fs";
import { mkdir, rename, writeFile } from "node:fs/promises";
import path from "node:path";
import { readJson } from "../../lib/text/index.ts";
import { exactJson } from "../http/body/exact-json.ts";
import { type LabelledObject, labelledObjectId } from "../http/body/labelled-object.ts";

export interface ObjectLabels {
  /** Replaces the labels of the object. Returns the object's id, 40 hex digits. */
  put(object: LabelledObject, labels: readonly string[]): Promise<string>;
  remove(object: LabelledObject): Promise<void>;
}

/** Thrown when the store is full. Nothing is stored. */
export class TooManyObjects extends Error {}

const maxObjects = 100_000;

export function openObjectLabels(file: string): ObjectLabels {
  /** The JSON of each object, by id. */
  const objects = read(file);
  /**
   * The last write in the queue. Writes run one after the other. A change during a write is saved by the next write.
   */
  let saving = Promise.resolve();
  let waiting = false;
  /** False while a write is under way and after a failed write. */
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
      // Also saves when an earlier call removed the object but could not save the change.
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
