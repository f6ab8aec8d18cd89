// Makes a folder for one test and removes it at the end of the test.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { onTestFinished } from "vitest";

export function temporaryFolder(): string {
  const folder = mkdtempSync(path.join(tmpdir(), "millrace-queue-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
