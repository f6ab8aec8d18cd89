// Opens the queues of intake processes (further processes that accept writes) that are no longer configured. The main
// process sends the points that are left in these queues.

import { type ConfiguredUploaderOptions, queueFolder } from "../outputs/configured-uploader.ts";
import type { Gateways } from "../outputs/gateways.ts";
import type { Output } from "../outputs/output.ts";
import { intakeFolder, intakeNumbers } from "./folders.ts";
import { openLockedUploader } from "./locked-uploader.ts";

export async function openOrphanedQueues(
  processes: number,
  options: Omit<ConfiguredUploaderOptions, "folder" | "gateways"> & { readonly gateways: Gateways | undefined },
): Promise<Output[]> {
  const { gateways } = options;
  if (gateways === undefined) return [];
  const queues = queueFolder(options.config);
  const numbers = (await intakeNumbers(queues)).filter((number) => number > processes);
  const open: Output[] = [];
  try {
    for (const number of numbers) {
      const folder = intakeFolder(queues, number);
      open.push(await openLockedUploader({ ...options, gateways, folder }));
    }
  } catch (error) {
    for (const each of open) await each.close();
    throw error;
  }
  return open;
}
