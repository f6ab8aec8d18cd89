// An uploader whose folder another process may be about to leave, and that no other may have meanwhile.

import { lockFolderSoon } from "../../queue/lock/lock.ts";
import { type ConfiguredUploaderOptions, openConfiguredUploader } from "../outputs/configured-uploader.ts";
import type { Outlet } from "../outputs/output.ts";

export interface LockedUploader {
  readonly outlet: Outlet;
  /** Of the outlet; then the folder is free. */
  close(): Promise<void>;
}

export async function openLockedUploader(options: ConfiguredUploaderOptions): Promise<LockedUploader> {
  const unlock = await lockFolderSoon(options.folder);
  try {
    const outlet = await openConfiguredUploader(options);
    return {
      outlet,
      close: async () => {
        await outlet.close();
        unlock();
      },
    };
  } catch (error) {
    unlock();
    throw error;
  }
}
