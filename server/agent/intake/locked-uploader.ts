// Opens an output with queues and locks the folder of its queues. Waits a moment for the lock, since another process
// may be about to release the folder.

import { lockFolderSoon } from "../../queue/lock/lock.ts";
import { type ConfiguredUploaderOptions, openConfiguredUploader } from "../outputs/configured-uploader.ts";
import type { Output } from "../outputs/output.ts";

/** Opens an output that unlocks the folder of its queues after it is closed. */
export async function openLockedUploader(options: ConfiguredUploaderOptions): Promise<Output> {
  const unlock = await lockFolderSoon(options.folder);
  try {
    return await openConfiguredUploader({ ...options, afterClose: unlock });
  } catch (error) {
    unlock();
    throw error;
  }
}
