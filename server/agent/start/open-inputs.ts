// Opens the inputs that read points from a source, such as files, if the configuration uses them. The agent opens its
// inputs last, when scripts are in force and the output accepts points. Resources are closed in the reverse order, so
// the inputs are closed first.

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
  // Closes the files and resources that no input of the new configuration has taken over.
  for (const [key, file] of keptFiles) {
    keptFiles.delete(key);
    await file.close().catch(() => {});
  }
  for (const [key, part] of keptParts) {
    keptParts.delete(key);
    await part.close().catch(() => {});
  }
}
