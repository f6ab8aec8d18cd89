// Uploaded archives as files: put and removed as one, never half there.

import { randomUUID } from "node:crypto";
import { mkdir, rename, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { type Application, archiveName, type Platform } from "./names.ts";

export interface SourceMapFiles {
  pathOf(platform: Platform, application: Application): string;
  put(file: string, content: Uint8Array): Promise<void>;
  /** Throws with the code ENOENT when there is none. */
  remove(file: string): Promise<void>;
}

export function sourceMapFiles(folder: string): SourceMapFiles {
  return {
    pathOf: (platform, application) => path.join(folder, platform, archiveName(application)),
    put: async (file, content) => {
      await mkdir(path.dirname(file), { recursive: true });
      const next = path.join(path.dirname(file), `.${randomUUID()}.part`);
      try {
        await writeFile(next, content, { mode: 0o644 });
        await rename(next, file);
      } catch (error) {
        await rm(next, { force: true });
        throw error;
      }
    },
    remove: (file) => rm(file),
  };
}
