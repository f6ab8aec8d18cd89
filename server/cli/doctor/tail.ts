// The part of `millrace doctor` that checks whether the files of `[[inputs.tail]]` exist and can be read.

import { statSync } from "node:fs";
import { shownText } from "../../../lib/text/index.ts";
import { findFiles } from "../../agent/inputs/tail/find-files.ts";
import { sourceOf } from "../../agent/inputs/tail/source.ts";
import { openFile } from "../../agent/inputs/tail/tailed-file.ts";
import type { TailSettings } from "../../config/settings/inputs-tail.ts";
import { counted } from "../terminal/counted.ts";

export type Grade = "ok" | "warn" | "fail";

export interface TailFinding {
  readonly grade: Grade;
  readonly text: string;
}

/** Largest number of unreadable files that one line of the report names. */
const mostNamed = 3;

/** Checks each entry of `[[inputs.tail]]`: finds its files, as the agent does, and tries to open each file. */
export async function examineTails(entries: readonly TailSettings[]): Promise<TailFinding[]> {
  const findings: TailFinding[] = [];
  for (const entry of entries) findings.push(...(await examineTail(entry)));
  return findings;
}

async function examineTail(settings: TailSettings): Promise<TailFinding[]> {
  const { patterns, isExcluded } = sourceOf(settings);
  const about = `tail ${shownText(settings.source)}`;
  const findings: TailFinding[] = [];
  const unreadable: string[] = [];
  let readable = 0;
  for (const pattern of patterns) {
    const { paths, problems, isCut } = await findFiles(pattern, isExcluded);
    unreadable.push(...problems.map(({ path, code }) => `${path} (${code})`));
    let files = 0;
    for (const path of paths) {
      const reason = await reasonAgainst(path);
      if (reason === undefined) files++;
      else if (reason !== "") unreadable.push(`${path} (${reason})`);
    }
    readable += files;
    const named = shownText(pattern.text);
    if (files === 0 && problems.length === 0) findings.push({ grade: "warn", text: `${about}: no file fits ${named}` });
    if (isCut) findings.push({ grade: "warn", text: `${about}: ${named} names more files than are read` });
  }
  if (unreadable.length > 0) {
    const more = unreadable.length > mostNamed ? `, and ${unreadable.length - mostNamed} more` : "";
    const shown = unreadable
      .slice(0, mostNamed)
      .map((each) => shownText(each))
      .join(", ");
    findings.push({
      grade: "warn",
      text: `${about}: ${counted(unreadable.length, "path")} cannot be read: ${shown}${more}`,
    });
  }
  if (readable > 0) findings.push({ grade: "ok", text: `${about}: ${counted(readable, "file")} can be read` });
  return findings;
}

/**
 * Returns the reason why a path cannot be read as a file; undefined when it can be read; an empty string when it does
 * not exist.
 */
async function reasonAgainst(path: string): Promise<string | undefined> {
  try {
    const kind = statSync(path);
    if (!kind.isFile()) return kind.isDirectory() ? "a folder" : "no file";
    const handle = await openFile(path);
    await handle?.close();
    return undefined;
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    return code === "ENOENT" ? "" : (code ?? message);
  }
}
