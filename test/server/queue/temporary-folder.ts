// A folder of a test's own, removed at its end.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { onTestFinished } from "vitest";

export function temporaryFolder(): string {
  const folder = mkdtempSync(path.join(tmpdir(), "millrace-queue-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
