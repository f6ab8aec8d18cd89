// The part of `millrace doctor` that checks whether the program journalctl can read the system's journal, and shows the
// newest entry of the journal.

import { spawnSync } from "node:child_process";
import { shownText } from "../../../lib/text/index.ts";
import { argumentsOf } from "../../agent/inputs/journald/options.ts";
import type { Config } from "../../config/schema.ts";
import type { TailFinding } from "./tail.ts";

const patienceMs = 10_000;

/**
 * Asks journalctl for the newest journal entry, with the same arguments as the agent. Returns the findings for the
 * report; an empty list when the configuration does not switch on the input journald.
 */
export function examineJournald(config: Config): TailFinding[] {
  if (!config["inputs.journald.enable"]) return [];
  const { error, status, stdout, stderr } = spawnSync("journalctl", [...argumentsOf(config), "--lines=1"], {
    timeout: patienceMs,
  });
  const { code } = (error ?? {}) as NodeJS.ErrnoException;
  if (code === "ENOENT") return [{ grade: "fail", text: "journald: journalctl is not installed" }];
  if (error !== undefined || status !== 0) {
    const reason = error?.message ?? `it ended with ${status}: ${stderr.toString().trim()}`;
    return [{ grade: "fail", text: `journald: journalctl cannot be run: ${shownText(reason)}` }];
  }
  if (stdout.length > 0) return [{ grade: "ok", text: "journald: the journal can be read" }];
  return [
    {
      grade: "warn",
      text: "journald: journalctl shows no entry; may this user read the journal, and do units and priority fit?",
    },
  ];
}
