// `millrace platform check`: checks that the files of the points store are undamaged. The command changes nothing, and
// the platform may run at the same time.

import { existsSync } from "node:fs";
import path from "node:path";
import { parseArgs } from "node:util";
import { checkStore } from "../../store/segments/care/check.ts";
import { problemOfDatabase } from "../../store/sqlite-file.ts";
import { counted } from "../terminal/counted.ts";
import { print, printLine } from "../terminal/print.ts";
import { platformCheckUsage } from "../usage/platform.ts";
import { placeOfStore, placeOptions, printFindings, progress, summary } from "./place.ts";

/** Runs the command and returns its exit code. */
export async function check(args: string[]): Promise<number> {
  const { values } = parseArgs({ args, options: placeOptions });
  if (values.help) {
    print(platformCheckUsage);
    return 0;
  }
  const { folder, points, files } = placeOfStore(values);
  const report = await checkStore({ state: points, root: points }, progress("checked"));
  printFindings(report);
  let damaged = report.findings.length;
  for (const name of files.filter((each) => each.endsWith(".sqlite"))) {
    const file = path.join(folder, name);
    const problem = existsSync(file) ? problemOfDatabase(file) : undefined;
    if (problem === undefined) continue;
    printLine(`${name}: ${problem}; it holds workspaces, keys and dashboards, and only a backup brings them back`);
    damaged++;
  }
  printLine(summary(report));
  if (damaged === 0) {
    printLine("every file is whole");
    return 0;
  }
  const lost = report.findings.reduce((sum, finding) => sum + finding.points, 0);
  printLine(
    `${counted(damaged, "finding")} about ${counted(lost, "point")}; millrace platform repair saves what can be saved`,
  );
  return 1;
}
