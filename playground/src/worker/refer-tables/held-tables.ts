// Keeps the reference tables of the files that were read last, so that several runs over the same files read the
// files only once. The worker loads the code in this file when a script may look rows up, or when the user opens
// the tables.

import type { TableLookup } from "../../../../lib/index.ts";
import { isTranslated, t } from "../../text/translate.ts";
import type { ScriptText } from "../protocol.ts";
import { type LookUpNote, lookUpNotes } from "./look-up-notes.ts";
import { readTables } from "./read-tables.ts";
import type { ReadFile, TableFile } from "./table-files.ts";

export interface HeldTables {
  /** The tables of every file that has no error; null when there are no such tables. */
  readonly lookup: TableLookup | null;
  readonly files: readonly ReadFile[];
  /** A text that names the files whose tables a run lacks, and the consequence; empty when no tables are missing. */
  readonly missing: string;
}

let held: HeldTables & { readonly of: readonly TableFile[]; readonly isTranslated: boolean } = {
  ...{ of: [], isTranslated: false, lookup: null, files: [], missing: "" },
};

export function tablesOf(of: readonly TableFile[]): HeldTables {
  // Each message from the page contains new objects, even for unchanged files. So the comparison uses the names
  // and texts of the files and not the identity of the objects.
  const isSame =
    held.isTranslated === isTranslated() &&
    of.length === held.of.length &&
    of.every(({ name, text }, at) => name === held.of[at]!.name && text === held.of[at]!.text);
  if (!isSame) {
    const read = readTables(of);
    held = { of, isTranslated: isTranslated(), ...read, missing: missingTables(read.files) };
  }
  return held;
}

/** Returns warnings about look-ups of the scripts in tables that the files do not have. */
export function notesFor(scripts: readonly ScriptText[], files: readonly TableFile[]): LookUpNote[] {
  return lookUpNotes(scripts, tablesOf(files).files);
}

function missingTables(files: readonly ReadFile[]): string {
  const wrong = files.filter(({ notes }) => notes.some(({ severity }) => severity === "error")).map(({ name }) => name);
  if (wrong.length === 0) return "";
  const names = wrong.slice(0, 3).join(", ");
  if (wrong.length === 1)
    return t("Reference tables of {names} are not used: the file has an error. Open Tables, beside the input.", {
      names,
    });
  return t("Reference tables of {names} are not used: the files have errors. Open Tables, beside the input.", {
    names: wrong.length > 3 ? t("{names} and {n} more", { names, n: wrong.length - 3 }) : names,
  });
}
