// `millrace platform repair`: repairs a damaged points store. No platform may use the store at the same time.

import { parseArgs } from "node:util";
import { createMillrace } from "../../../lib/index.ts";
import { compileWasm } from "../../agent/engine.ts";
import { lockFolder } from "../../queue/lock/lock.ts";
import { checkStore } from "../../store/segments/care/check.ts";
import { repairStore } from "../../store/segments/care/repair.ts";
import { counted } from "../terminal/counted.ts";
import { print, printLine } from "../terminal/print.ts";
import { platformRepairUsage } from "../usage/platform.ts";
import { placeOfStore, placeOptions, printFindings, progress, summary } from "./place.ts";

/** Runs the command and returns its exit code. */
export async function repair(args: string[]): Promise<number> {
  const { values } = parseArgs({ args, options: placeOptions });
  if (values.help) {
    print(platformRepairUsage);
    return 0;
  }
  const { folder, points } = placeOfStore(values);
  const unlock = await lockFolder(folder);
  try {
    const places = { state: points, root: points };
    const before = await checkStore(places, progress("checked"));
    if (before.findings.length === 0) {
      printLine(`${summary(before)}; every file is whole, nothing was changed`);
      return 0;
    }
    const mill = await createMillrace({ wasm: compileWasm() });
    const { salvaged, lost } = await repairStore({ folder: points, mill, log: printLine, progress: progress("read") });
    const after = await checkStore(places, progress("checked again"));
    printFindings(after);
    printLine(summary(after));
    printLine(`${counted(salvaged, "point")} of damaged files saved, ${counted(lost, "point")} lost`);
    return after.findings.length === 0 ? 0 : 1;
  } finally {
    unlock();
  }
}
