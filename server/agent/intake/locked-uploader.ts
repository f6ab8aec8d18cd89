// An uploader whose folder another process may be about to leave, and that no other may have meanwhile.

import { lockFolderSoon } from "../../queue/lock/lock.ts";
import { type ConfiguredUploaderOptions, openConfiguredUploader } from "../outputs/configured-uploader.ts";
import type { Output } from "../outputs/output.ts";

export interface LockedUploader {
  readonly output: Output;
  /** Of the output; then the folder is free. */
  close(): Promise<void>;
}

export async function openLockedUploader(options: ConfiguredUploaderOptions): Promise<LockedUploader> {
  const unlock = await lockFolderSoon(options.folder);
  try {
    const output = await openConfiguredUploader(options);
    return {
      output,
      close: async () => {
        await output.close();
        unlock();
      },
    };
  } catch (error) {
    unlock();
    throw error;
  }
}
