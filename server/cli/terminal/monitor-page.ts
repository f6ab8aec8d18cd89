// Makes the page of `millrace monitor`: the state of an agent as lines of text, and where the sections begin.

import { escapeControls } from "../../../lib/text/index.ts";
import { type Look, type Module, stateOf } from "../../telemetry/status/state.ts";
import { cutTo } from "./display-width.ts";
import { columnsWithin, tableText } from "./table.ts";

export interface PageOptions {
  /** The width in columns; longer lines are cut. */
  readonly width: number;
  /** Milliseconds since 1970, for ages of events. */
  readonly now: number;
  /** The sections that are shown; undefined: all. */
  readonly only?: ReadonlySet<Module>;
}

export interface Page {
  /** The lines; none is wider than the page. */
  readonly lines: readonly string[];
  /** The index in `lines` of each section's title. */
  readonly sections: readonly number[];
}

/** Returns the page of a status snapshot. Rates are unknown without the snapshot before. */
export function monitorPage(look: Look, before: Look | undefined, { width, now, only }: PageOptions): Page {
  const lines: string[] = [];
  const sections: number[] = [];
  for (const { module, title, table = [], lines: below = [] } of stateOf(look, before, now)) {
    if (only !== undefined && !only.has(module)) continue;
    if (lines.length > 0) lines.push("");
    if (title !== undefined) {
      sections.push(lines.length);
      lines.push(title);
    }
    lines.push(...tableLines(table, width), ...below.map(escapeControls));
  }
  return { lines: lines.map((line) => cutTo(line, width)), sections };
}

/**
 * Matches a number with its unit, or a duration. A cut number would be another number, so these cells are shown whole
 * or not at all.
 */
const measure = /^(?:-|[\d.,]+ ?[A-Za-z%]*|(?:\d+[hms])+(?: ago)?)$/;

/** Formats a table: texts are cut before a column is left out. */
function tableLines(table: readonly (readonly string[])[], width: number): string[] {
  const whole = (column: number) => table.slice(1).every((cells) => measure.test(cells[column] ?? "-"));
  return tableText(columnsWithin(table, { width, whole }), { width, whole });
}
