// Finds the queues of the agent and the gateway in a data folder.

import { existsSync } from "node:fs";
import { readdir } from "node:fs/promises";
import path from "node:path";
import { categories } from "../../../lib/point/index.ts";
import { intakeFolder, intakeNumbers } from "../../agent/intake/folders.ts";
import { queueFolder } from "../../agent/outputs/configured-uploader.ts";
import { passThroughPaths } from "../../agent/outputs/pass-through.ts";
import type { Config } from "../../config/schema.ts";
import { gatewayFolder } from "../../gateway/start.ts";
import { deadLetterFolder } from "../../queue/delivery/dead-letters.ts";
import { FolderInUse, lockFolder, lockFolderSoon } from "../../queue/lock/lock.ts";
import { UsageError } from "../usage-error.ts";

export interface Place {
  readonly service: "agent" | "gateway";
  /** The folder of the agent or gateway. The agent or gateway locks this folder while it runs. */
  readonly owned: string;
  /**
   * The folders with the queues of the intake processes (additional processes of an agent that receive points). Each
   * process locks its folder.
   */
  readonly intakes: readonly string[];
  /** All folders that contain queues; the folder of the agent or gateway itself comes first. */
  readonly folders: readonly string[];
}

/** Names of all queues that an agent may have. */
export const agentQueues: readonly string[] = [...categories, ...Object.keys(passThroughPaths)];

/** Returns the queue folders that exist on this machine. */
export async function placesOf(config: Config): Promise<Place[]> {
  const agent = queueFolder(config);
  const intakes = (await intakeNumbers(agent)).map((number) => intakeFolder(agent, number));
  const owner = gatewayFolder(config);
  const gateway = path.join(owner, "queue");
  const places = [
    { service: "agent", owned: path.resolve(config.data_dir), intakes, folders: [agent, ...intakes] },
    { service: "gateway", owned: owner, intakes: [], folders: [gateway] },
  ] satisfies Place[];
  return places.filter(({ folders }) => existsSync(folders[0]));
}

/** Returns the names of the existing queues, except the queue of dead letters (refused batches). */
export async function namesIn({ service, folders }: Place): Promise<string[]> {
  const entries = await Promise.all(folders.map((folder) => readdir(folder, { withFileTypes: true })));
  const names = entries
    .flat()
    .filter((entry) => entry.isDirectory() && entry.name !== deadLetterFolder)
    .map(({ name }) => name);
  if (service === "gateway") return names.sort();
  return agentQueues.filter((name) => names.includes(name));
}

/**
 * Locks the folders, runs `work`, and unlocks the folders. Throws UsageError when the folders are already
 * locked, because the agent or gateway runs.
 */
export async function withLockedFolders({ owned, intakes }: Place, work: () => Promise<number>): Promise<number> {
  const unlocks: (() => void)[] = [];
  try {
    unlocks.push(await lockFolder(owned));
    // When an agent is killed, its intake processes (which receive points for it) end a moment later. So this loop
    // waits until the intake processes have released the locks of their folders.
    for (const folder of intakes) unlocks.push(await lockFolderSoon(folder));
    return await work();
  } catch (error) {
    if (error instanceof FolderInUse) throw new UsageError(error.message);
    throw error;
  } finally {
    for (const unlock of unlocks) unlock();
  }
}
