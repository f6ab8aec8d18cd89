// Labels of objects, kept in one file of the data folder: the store behind /v1/object/labels where there is no gateway.

import { readFileSync } from "node:fs";
import { mkdir, rename, writeFile } from "node:fs/promises";
import path from "node:path";
import { type LabelledObject, labelledObjectId } from "../http/labelled-object.ts";

interface Kept extends LabelledObject {
  readonly labels: readonly string[];
}

export interface ObjectLabels {
  /** Replaces the labels of the object; gives its id, 40 hex characters. */
  put(object: LabelledObject, labels: readonly string[]): Promise<string>;
  remove(object: LabelledObject): Promise<void>;
}

/** The store is full; nothing was taken. */
export class TooManyObjects extends Error {}

const maxObjects = 100_000;

export function openObjectLabels(file: string): ObjectLabels {
  const objects = new Map<string, Kept>(Object.entries(read(file)));
  /** Writes follow each other; a change that comes while one is under way is part of the next. */
  let saving = Promise.resolve();
  let waiting = false;
  /** False while a write is under way, and after one that failed. */
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
        await writeFile(`${file}.tmp`, JSON.stringify(Object.fromEntries(objects)), { mode: 0o600 });
        await rename(`${file}.tmp`, file);
        isSaved = true;
      });
    return saving;
  };

  return {
    put: async ({ object_class, object_name, key, value }, labels) => {
      const id = labelledObjectId({ object_class, object_name, key, value });
      if (!objects.has(id) && objects.size >= maxObjects) {
        throw new TooManyObjects(`labels of ${maxObjects} objects are kept already`);
      }
      objects.set(id, { object_class, object_name, key, value, labels });
      await save();
      return id;
    },
    remove: async (object) => {
      // Also one that an earlier call took away, when that could not be saved.
      if (objects.delete(labelledObjectId(object)) || !isSaved) await save();
    },
  };
}

function read(file: string): Record<string, Kept> {
  try {
    return JSON.parse(readFileSync(file, "utf8"));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return {};
    throw new Error(`${file} cannot be read: ${(error as Error).message}`);
  }
}
