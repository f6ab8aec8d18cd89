// Opens an output with queues and locks the folder of its queues. Waits a moment for the lock, since another process
// may be about to release the folder.

import { lockFolderSoon } from "../../queue/lock/lock.ts";
import { type ConfiguredUploaderOptions, openConfiguredUploader } from "../outputs/configured-uploader.ts";
import type { Output } from "../outputs/output.ts";

export interface LockedUploader {
  readonly output: Output;
  /** Closes the output and its queues, then unlocks the folder of the queues. */
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
