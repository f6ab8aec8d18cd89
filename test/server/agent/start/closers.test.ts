import { expect, it } from "vitest";
import { createClosers } from "../../../../server/agent/start/closers.ts";

it("closes resources in reverse order, each once, even when one cannot be closed", async () => {
  const told: string[] = [];
  const closers = createClosers({ error: (message) => told.push(message) });
  closers.add((isReload) => told.push(`first ${isReload}`));
  closers.add(async () => {
    throw new Error("the disk is gone");
  });
  closers.add(async (isReload) => told.push(`last ${isReload}`));
  await closers.close(true);
  await closers.close(false);
  expect(told).toEqual(["last true", "not closed in order: the disk is gone", "first true"]);
});
