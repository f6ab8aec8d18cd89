// Marks the errors of a run in the script, each at the statement that failed.

import type { Diagnostic } from "@codemirror/lint";
import { rangeAt } from "../../../lib/index.ts";
import { pluralText } from "../state/text.ts";
import { t } from "../text/translate.ts";
import type { PointRecord } from "../worker/protocol.ts";

/**
 * Returns a diagnostic for each error message at each position of a script, with the number of rows on the page that
 * have this error.
 */
export function errorsOfRun(records: readonly PointRecord[], script: string, text: string): Diagnostic[] {
  const found = new Map<string, { readonly pos: number; readonly message: string; rows: number }>();
  for (const { error } of records) {
    if (error === null) continue;
    const place = error.pos_chain.find(({ file, ln }) => file === script && ln > 0);
    if (place === undefined) continue;
    const id = `${place.pos} ${error.error}`;
    const known = found.get(id);
    if (known === undefined) found.set(id, { pos: place.pos, message: error.error, rows: 1 });
    else known.rows++;
  }
  return Array.from(found.values(), ({ pos, message, rows }) => ({
    ...rangeAt(text, pos),
    severity: "warning",
    message: t("{message}, at run time for {points}", { message, points: pluralText(rows, "point") }),
  }));
}
