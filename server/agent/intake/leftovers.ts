// Queues of intake processes that the configuration no longer has: the main process sends what waits in them.

import { lockFolderSoon } from "../../queue/lock.ts";
import type { ConfiguredUploaderOptions } from "../configured-uploader.ts";
import { openConfiguredUploader, queueFolder } from "../configured-uploader.ts";
import type { Gateways } from "../gateways.ts";
import type { Outlet } from "../outlet.ts";
import { intakeFolder, intakeNumbers } from "./folders.ts";

export async function openLeftovers(
  processes: number,
  options: Omit<ConfiguredUploaderOptions, "folder" | "gateways"> & { readonly gateways: Gateways | undefined },
): Promise<Outlet[]> {
  const { gateways } = options;
  if (gateways === undefined) return [];
  const queues = queueFolder(options.config);
  const open: Outlet[] = [];
  for (const number of await intakeNumbers(queues)) {
    if (number <= processes) continue;
    const folder = intakeFolder(queues, number);
    const unlock = await lockFolderSoon(folder);
    const outlet = await openConfiguredUploader({ ...options, gateways, folder });
    open.push({
      ...outlet,
      close: async () => {
        await outlet.close();
        unlock();
      },
    });
  }
  return open;
}
