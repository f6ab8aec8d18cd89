// Formats tables for terminals. The first column is left-aligned, numbers are right-aligned. Control characters in
// cells are escaped, because cells may contain strings from outside.

import { escapeControls } from "../../../lib/text/index.ts";
import { cutTo, displayWidth } from "./display-width.ts";

export interface TableOptions {
  /** Maximum width of a line in columns; cells of wide columns are cut. Undefined: nothing is cut. */
  readonly width?: number | undefined;
  /** Returns whether the cells of a column are never cut. */
  readonly whole?: (column: number) => boolean;
  /**
   * Returns whether a column is left-aligned. This function is not called for the first column, which is always
   * left-aligned.
   */
  readonly left?: (column: number) => boolean;
}

/** The smallest width in characters to which a column is cut. */
const least = 8;
const gap = 2;
const none = () => false;

export function tableText(
  rows: readonly (readonly string[])[],
  { width, whole = none, left }: TableOptions = {},
): string[] {
  const shown = rows.map((cells) => cells.map(escapeControls));
  const widths = fitted(columnWidths(shown), width, whole);
  return shown.map((cells) =>
    cells
      .map((cell, at) => {
        const text = cutTo(cell, widths[at]!);
        const space = " ".repeat(widths[at]! - displayWidth(text));
        return at === 0 || left?.(at) === true ? text + space : space + text;
      })
      .join(" ".repeat(gap))
      .trimEnd(),
  );
}

/** Returns whether a table fits into a width when its columns are cut to their minimum width. */
export function fits(
  rows: readonly (readonly string[])[],
  { width = Number.POSITIVE_INFINITY, whole = none }: TableOptions,
): boolean {
  return total(columnWidths(rows).map((each, at) => (whole(at) ? each : Math.min(each, least)))) <= width;
}

/** Returns the table without the last columns that do not fit; the first column is always kept. */
export function columnsWithin(
  rows: readonly (readonly string[])[],
  options: TableOptions,
): readonly (readonly string[])[] {
  const shown = rows.map((cells) => cells.map(escapeControls));
  let count = Math.max(0, ...rows.map((cells) => cells.length));
  while (
    count > 1 &&
    !fits(
      shown.map((cells) => cells.slice(0, count)),
      options,
    )
  )
    count--;
  return rows.map((cells) => cells.slice(0, count));
}

function columnWidths(rows: readonly (readonly string[])[]): number[] {
  const widths: number[] = [];
  for (const cells of rows) {
    for (const [at, cell] of cells.entries()) widths[at] = Math.max(widths[at] ?? 0, displayWidth(cell));
  }
  return widths;
}

function total(widths: readonly number[]): number {
  return widths.reduce((sum, each) => sum + each, 0) + gap * Math.max(0, widths.length - 1);
}

/** Makes the widest columns narrower until a line of the table fits. */
function fitted(
  widths: readonly number[],
  width: number | undefined,
  whole: (column: number) => boolean,
): readonly number[] {
  const cut = [...widths];
  for (let over = width === undefined ? 0 : total(cut) - width; over > 0; over--) {
    const most = Math.max(...cut.filter((_, at) => !whole(at)));
    const widest = cut.findIndex((each, at) => each === most && !whole(at));
    if (widest < 0 || most <= least) break;
    cut[widest]!--;
  }
  return cut;
}
