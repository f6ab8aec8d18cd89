// The files of reference tables: the messages about them between page and worker, and the limits for the number
// and the size of the files in a project (scripts, inputs and settings of the user).

import { english } from "../../text/translate.ts";

/** A file of a project with reference tables. It holds a JSON list of tables, the format that an agent loads. */
export interface TableFile {
  readonly name: string;
  readonly text: string;
}

export interface TableSummary {
  readonly name: string;
  readonly rowCount: number;
  readonly columns: readonly { readonly name: string; readonly kind: string }[];
}

/**
 * An error in a file, or a warning, with its range in the text, in UTF-16 indexes; `to` is the index after the last
 * unit.
 */
export interface TableNote {
  readonly severity: "error" | "warning";
  readonly message: string;
  readonly from: number;
  readonly to: number;
}

/**
 * The content of a file of tables. When a file has an error, none of its tables is used, because an agent would refuse
 * the whole file as well.
 */
export interface ReadFile {
  readonly name: string;
  readonly tables: readonly TableSummary[];
  readonly notes: readonly TableNote[];
}

/** Largest number of files of a project. */
export const mostTableFiles = 100;
/** Largest number of characters (UTF-16 code units) of all files of a project together. */
export const mostTableCharacters = 4_000_000;
/** The limits of a project's table files as an English text, which `t` translates for the user. */
export const tableLimitText = english("100 files and 4 million characters");

/** Returns the first files, as many as the limits of a project allow. */
export function allowedTableFiles<File extends TableFile>(files: readonly File[]): readonly File[] {
  let characters = 0;
  const end = files.findIndex(({ text }, index) => {
    characters += text.length;
    return index >= mostTableFiles || characters > mostTableCharacters;
  });
  return end < 0 ? files : files.slice(0, end);
}
