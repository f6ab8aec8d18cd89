// The names of the segment files, which hold the records of a queue, and the folder `aside`, to which damaged segment
// files are moved.

import path from "node:path";
import type { QueueOptions } from "../types.ts";

const asideFiles = 8;

export function segmentName(number: number): string {
  return `${String(number).padStart(16, "0")}.seg`;
}

export function segmentNumber(name: string): number | undefined {
  return /^\d{16}\.seg$/.test(name) ? Number(name.slice(0, 16)) : undefined;
}

/**
 * Moves a damaged segment file to the folder `aside`. Keeps the eight newest files of that folder and removes older
 * ones.
 */
export async function putAside({ files, folder }: QueueOptions, name: string): Promise<void> {
  const aside = path.join(folder, "aside");
  await files.makeFolder(aside);
  await files.rename(path.join(folder, name), path.join(aside, name));
  const kept = await files.list(aside);
  for (const old of kept.slice(0, Math.max(0, kept.length - asideFiles))) await files.remove(path.join(aside, old));
}
