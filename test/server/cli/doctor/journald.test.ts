// The findings of `millrace doctor` about [inputs.journald].

import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { examineJournald } from "../../../../server/cli/doctor/journald.ts";
import { defaults } from "../../../../server/config/schema.ts";

/**
 * Runs the check of [inputs.journald] while the shell script `program` takes the place of journalctl. When `program` is
 * undefined, the check finds no journalctl.
 */
function findingsWith(program: string | undefined) {
  const folder = mkdtempSync(path.join(tmpdir(), "millrace-doctor-journald-"));
  const before = process.env.PATH;
  onTestFinished(() => {
    process.env.PATH = before;
    rmSync(folder, { recursive: true, force: true });
  });
  if (program !== undefined) {
    writeFileSync(path.join(folder, "journalctl"), `#!/bin/sh\n${program}\n`);
    chmodSync(path.join(folder, "journalctl"), 0o755);
  }
  process.env.PATH = folder;
  return examineJournald({ ...defaults(), "inputs.journald.enable": true });
}

it("reports nothing when the journal is not read", () => {
  expect(examineJournald(defaults())).toEqual([]);
});

it.each<[name: string, program: string | undefined, grade: string, text: string]>([
  ["an entry is shown", "echo __CURSOR=a", "ok", "journald: the journal can be read"],
  ["none is shown", "exit 0", "warn", "journald: journalctl shows no entry"],
  [
    "journalctl fails",
    "echo no rights >&2; exit 1",
    "fail",
    "journald: journalctl cannot be run: it ended with 1: no rights",
  ],
  ["there is no journalctl", undefined, "fail", "journald: journalctl is not installed"],
])("reports that %s", (_name, program, grade, text) => {
  expect(findingsWith(program)).toEqual([{ grade, text: expect.stringContaining(text) }]);
});
