// The part of `millrace doctor` that checks whether the input `host` can read this machine.

import { readFileSync } from "node:fs";
import path from "node:path";
import { shownText } from "../../../lib/text/index.ts";
import { parseStat } from "../../agent/inputs/host/proc-files.ts";
import type { Config } from "../../config/schema.ts";
import type { TailFinding } from "./tail.ts";

/**
 * Checks whether the input `host` can read this machine. Returns the findings for the report; an empty list when the
 * input is disabled.
 */
export function examineHost(config: Config): TailFinding[] {
  if (!config["inputs.host.enable"]) return [];
  if (process.platform !== "linux")
    return [{ grade: "warn", text: `host: on ${process.platform} only processor, memory, load and a disk are read` }];
  const file = path.join(config["inputs.host.proc"], "stat");
  try {
    if (parseStat(readFileSync(file, "latin1")).cpus.size > 0) return [{ grade: "ok", text: "host: can be read" }];
    return [{ grade: "fail", text: `host: ${shownText(file)} names no processor; is inputs.host.proc a proc folder?` }];
  } catch (error) {
    return [{ grade: "fail", text: `host: ${shownText((error as Error).message)}` }];
  }
}
