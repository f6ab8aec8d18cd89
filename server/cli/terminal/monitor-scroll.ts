// Keeps the scroll position of the `millrace monitor` page, changes it when the user presses a key, and returns the
// part of the page that is visible at this position.

import { cutTo } from "./display-width.ts";
import type { Page } from "./monitor-page.ts";
import type { ScreenRow, ScreenSize } from "./print.ts";

export interface ScrollState {
  /** The index of the first visible line of the page. */
  readonly top: number;
  /** Whether the user has pressed a key that ends the command. */
  readonly hasLeft: boolean;
}

export const atTop: ScrollState = { top: 0, hasLeft: false };

/**
 * Returns the scroll state after a key was pressed. `key`: the name of the key in Node's readline, with the prefix
 * `ctrl+` when Ctrl is held. Unknown keys change nothing.
 */
export function afterKey(state: ScrollState, key: string, page: Page, size: ScreenSize): ScrollState {
  const shown = shownLines(size);
  const moves = new Map([
    ["up", state.top - 1],
    ["down", state.top + 1],
    ["pageup", state.top - shown],
    ["pagedown", state.top + shown],
    ["home", 0],
    ["end", page.lines.length],
  ]);
  if (key === "q" || key === "ctrl+c") return { ...state, hasLeft: true };
  const section = /^[1-9]$/.test(key) ? page.sections[Number(key) - 1] : undefined;
  return afterResize({ ...state, top: section ?? moves.get(key) ?? state.top }, page, size);
}

/** Adjusts the scroll state after the size of the page or of the terminal has changed. */
export function afterResize(state: ScrollState, { lines }: Page, size: ScreenSize): ScrollState {
  const last = Math.max(0, lines.length - shownLines(size));
  return { ...state, top: Math.max(0, Math.min(state.top, last)) };
}

/**
 * Returns one line for each row of the terminal. The last row lists the keys. The title of each section shows the
 * number key that jumps to the section.
 */
export function frameOf(page: Page, { top }: ScrollState, size: ScreenSize): ScreenRow[] {
  const count = shownLines(size);
  const rows = Array.from({ length: count }, (_, at): ScreenRow => {
    const index = top + at;
    const text = page.lines[index] ?? "";
    const section = page.sections.indexOf(index);
    if (section < 0) return { text };
    return { text: cutTo(section < 9 ? `${section + 1} ${text}` : text, size.columns), style: "bold" };
  });
  const { length } = page.lines;
  const sections = Math.min(9, page.sections.length);
  const footer = [
    "q quit",
    "Up Down PgUp PgDn Home End scroll",
    ...(sections === 0 ? [] : [sections === 1 ? "1 section" : `1-${sections} sections`]),
    `lines ${Math.min(top + 1, length)}-${Math.min(top + count, length)} of ${length}`,
  ].join("  ");
  return [...rows, { text: cutTo(footer, size.columns), style: "inverse" }];
}

/** Returns the number of terminal rows for the page: all rows except the last, which lists the keys. */
function shownLines({ rows }: ScreenSize): number {
  return Math.max(0, rows - 1);
}
