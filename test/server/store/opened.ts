// Opens points stores for tests. When a test names no folder, its store gets a new temporary folder, which is removed
// when the test closes the store.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { createMillrace } from "../../../lib/index.ts";
import type { StoreOptions } from "../../../server/store/segments/state.ts";
import { SegmentStore } from "../../../server/store/segments/store.ts";

export function storeFolder(): string {
  return path.join(mkdtempSync(path.join(tmpdir(), "millrace-store-")), "points");
}

export function removeStore(folder: string): void {
  rmSync(path.dirname(folder), { recursive: true, force: true });
}

/** Opens a store. The caller must close the store. The folder of the store is removed after that. */
export async function openedStore(options: Partial<StoreOptions> = {}): Promise<SegmentStore> {
  const folder = options.folder ?? storeFolder();
  const store = await SegmentStore.open({
    memoryLimit: "256MB",
    now: Date.now,
    ...options,
    mill: options.mill ?? (await createMillrace()),
    folder,
  });
  const close = store.close.bind(store);
  if (options.folder === undefined)
    store.close = async () => {
      await close();
      removeStore(folder);
    };
  return store;
}
