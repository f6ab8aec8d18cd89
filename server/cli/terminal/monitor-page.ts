// Formats the state of an agent as the page that `millrace monitor` shows. Returns the lines of text of the
// page. Also returns, for each section of the page, the index of the line at which the section begins, so
// that a key can jump to the section.

import { escapeControls } from "../../../lib/text/index.ts";
import { stateOf } from "../../telemetry/status/state.ts";
import type { MetricsSnapshot, Module } from "../../telemetry/status/view.ts";
import { cutTo } from "./display-width.ts";
import { columnsWithin, tableText } from "./table.ts";

export interface PageOptions {
  /** The width of the terminal in columns; longer lines are cut. */
  readonly width: number;
  /** The current time in ms since 1970, from which the ages of events are computed. */
  readonly now: number;
  /** The sections of the page to show; undefined: all. */
  readonly only?: ReadonlySet<Module>;
}

export interface Page {
  /** The lines of the page. None of them is wider than the terminal. */
  readonly lines: readonly string[];
  /** For each section of the page, the index of its title in `lines`. */
  readonly sections: readonly number[];
}

/**
 * Returns the page for a snapshot of the agent's state. The page contains rates only when the previous snapshot
 * (`before`) is given too, because a rate is computed from two snapshots.
 */
export function monitorPage(
  snapshot: MetricsSnapshot,
  before: MetricsSnapshot | undefined,
  { width, now, only }: PageOptions,
): Page {
  const lines: string[] = [];
  const sections: number[] = [];
  for (const { module, title, table = [], lines: below = [] } of stateOf(snapshot, before, now)) {
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
 * Matches a number with its unit, or a duration. A table cell with such a value is never shortened, because the
 * beginning of a number would be read as a different number.
 */
const measure = /^(?:-|[\d.,]+ ?[A-Za-z%]*|(?:\d+[hms])+(?: ago)?)$/;

/**
 * Formats a table. When the table is wider than `width` columns, first shortens the cells that contain words,
 * then leaves out the last columns.
 */
function tableLines(table: readonly (readonly string[])[], width: number): string[] {
  const whole = (column: number) => table.slice(1).every((cells) => measure.test(cells[column] ?? "-"));
  return tableText(columnsWithin(table, { width, whole }), { width, whole });
}
