// Stores uploaded archives of source maps as files. Each file is stored and removed atomically.

import { randomUUID } from "node:crypto";
import { mkdir, rename, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { type Application, archiveName, type Platform } from "./names.ts";

export interface SourceMapFiles {
  pathOf(platform: Platform, application: Application): string;
  /**
   * Stores an archive under the name `file`. Calls `check` before the file gets its final name. When `check` throws,
   * stores nothing and throws the same error.
   */
  put(file: string, content: Uint8Array, check: (part: string) => Promise<void>): Promise<void>;
  /** Removes an archive. Throws an error with the code ENOENT when there is no archive of the given name. */
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
