// Opens the inputs that fetch points themselves, as the configuration asks for them. They are opened last, when scripts
// are in force and the output takes points, and so closed first.

import type { Agent } from "../agent.ts";
import { inputs } from "../inputs/inputs.ts";
import type { Base } from "./base.ts";

export async function openInputs(
  agent: Agent,
  end: () => void,
  { dataDir, keptState: { keptFiles, keptParts }, atClose }: Base,
): Promise<void> {
  for (const { open } of inputs) {
    const input = await open?.(agent, { dataDir, keptFiles, keptParts, end });
    if (input !== undefined) atClose((isReload) => input.close(isReload));
  }
  // No input of this configuration has taken these files and parts.
  for (const [key, file] of keptFiles) {
    keptFiles.delete(key);
    await file.close().catch(() => {});
  }
  for (const [key, part] of keptParts) {
    keptParts.delete(key);
    await part.close().catch(() => {});
  }
}
