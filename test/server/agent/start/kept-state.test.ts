// State that the process keeps while an agent with a new configuration replaces the current agent. The tests use the
// lock of the data folder as an example of such state.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { createKeptState } from "../../../../server/agent/start/kept-state.ts";
import { type Config, defaults } from "../../../../server/config/schema.ts";
import { lockFolder } from "../../../../server/queue/lock/lock.ts";

function folderOfTest(): string {
  const folder = mkdtempSync(path.join(tmpdir(), "millrace-standing-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

const configOf = (changed: Partial<Config>): Config => ({ ...(defaults() as Config), ...changed });

it("refuses the folder of another agent, and locks its own folder as long as it is used", async () => {
  const keptState = createKeptState();
  const [own, next, others] = ["own", "next", "others"].map((name) => path.join(folderOfTest(), name));
  const of = (data_dir: string) => configOf({ data_dir });
  const unlock = await lockFolder(others);
  onTestFinished(unlock);
  await keptState.lockFolder(of(own));
  await expect(keptState.lockFolder(of(others))).rejects.toThrow(/already uses/);
  await keptState.lockFolder(of(next));
  keptState.keepOnly(of(own));
  (await lockFolder(next))();
  await expect(lockFolder(own)).rejects.toThrow(/already uses/);
  await keptState.lockFolder(of(own));
  await keptState.close();
  (await lockFolder(own))();
});
