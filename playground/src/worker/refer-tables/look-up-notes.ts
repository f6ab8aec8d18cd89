// Warnings about look-ups of scripts in reference tables that the project (scripts, inputs and settings of the user)
// does not have.

import { tokenize } from "../../../../lib/index.ts";
import { english, t } from "../../text/translate.ts";
import type { ScriptText } from "../protocol.ts";
import type { ReadFile } from "./table-files.ts";

export interface LookUpNote {
  readonly script: string;
  readonly message: string;
  /**
   * The range of the called function's name in the script, in UTF-16 indexes; `to` is the index after its last unit.
   */
  readonly from: number;
  readonly to: number;
}

const noFiles = english(
  "the project has no reference tables, so nothing is found: add one under Tables, beside the input",
);
const noTables = english("the reference tables have errors, so nothing is found: see Tables, beside the input");

/** Returns a warning for each call that names a table, or a column of a table, that is not in `files`. */
export function lookUpNotes(scripts: readonly ScriptText[], files: readonly ReadFile[]): LookUpNote[] {
  return scripts.flatMap((script) => notesOf(script, files));
}

function notesOf({ name: script, text }: ScriptText, files: readonly ReadFile[]): LookUpNote[] {
  const tables = files.flatMap((file) => file.tables);
  const { list } = tokenize(text);
  const token = (index: number): string => {
    const found = list[index];
    return found === undefined ? "" : text.slice(found.at, found.end);
  };
  return list.flatMap(({ at: from, end: to }, index) => {
    const isLookUp = /^m?query_refer_table$/.test(token(index)) && token(index + 1) === "(";
    if (!isLookUp) return [];
    if (tables.length === 0) return [{ script, message: t(files.length === 0 ? noFiles : noTables), from, to }];
    const asked = plainText(token(index + 2));
    if (asked === null || token(index + 3) !== ",") return [];
    const table = tables.find((each) => each.name === asked);
    if (table === undefined) {
      const message = t("no reference table has the name {name}; there are: {names}", {
        ...{ name: asked.slice(0, 60), names: listed(tables) },
      });
      return [{ script, message, from, to }];
    }
    const column = plainText(token(index + 4));
    if (column === null || token(index + 5) !== "," || table.columns.some((each) => each.name === column)) return [];
    const message = t("the table {table} has no column {column}; it has: {columns}", {
      ...{ table: asked, column: column.slice(0, 60), columns: listed(table.columns) },
    });
    return [{ script, message, from, to }];
  });
}

/** Returns the text that a string literal without escapes stands for; null for any other token. */
function plainText(token: string): string | null {
  return /^(["'])([^"'\\\n]+)\1$/.exec(token)?.[2] ?? null;
}

function listed(things: readonly { readonly name: string }[]): string {
  const shown = things.slice(0, 8);
  const names = shown.map(({ name }) => name.slice(0, 40)).join(", ");
  const n = things.length - shown.length;
  return n > 0 ? t("{names}, and {n} more", { names, n }) : names;
}
