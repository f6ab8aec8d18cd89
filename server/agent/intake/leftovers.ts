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
  const numbers = (await intakeNumbers(queues)).filter((number) => number > processes);
  const open: Outlet[] = [];
  try {
    for (const number of numbers)
      open.push(await openOne({ ...options, gateways, folder: intakeFolder(queues, number) }));
  } catch (error) {
    for (const each of open) await each.close();
    throw error;
  }
  return open;
}

async function openOne(options: ConfiguredUploaderOptions): Promise<Outlet> {
  const unlock = await lockFolderSoon(options.folder);
  try {
    const outlet = await openConfiguredUploader(options);
    return {
      ...outlet,
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
