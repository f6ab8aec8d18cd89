// Stores uploaded archives as files. Puts and removes each file atomically.

import { randomUUID } from "node:crypto";
import { mkdir, rename, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { type Application, archiveName, type Platform } from "./names.ts";

export interface SourceMapFiles {
  pathOf(platform: Platform, application: Application): string;
  /**
   * Stores a file. Calls `check` before the file gets its final name. When `check` throws, nothing is stored and the
   * error is thrown.
   */
  put(file: string, content: Uint8Array, check: (part: string) => Promise<void>): Promise<void>;
  /** Removes a file. Throws with the code ENOENT when there is none. */
  remove(file: string): Promise<void>;
}

export function sourceMapFiles(folder: string): SourceMapFiles {
  return {
    pathOf: (platform, application) => path.join(folder, platform, archiveName(application)),
    put: async (file, content, check) => {
      await mkdir(path.dirname(file), { recursive: true, mode: 0o700 });
      const next = path.join(path.dirname(file), `.${randomUUID()}.part`);
      try {
        await writeFile(next, content, { mode: 0o600 });
        await check(next);
        await rename(next, file);
      } catch (error) {
        await rm(next, { force: true });
        throw error;
      }
    },
    remove: (file) => rm(file),
  };
}
