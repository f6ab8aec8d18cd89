// Writes text to the terminal; all modules of the command line print through this module. Text for people may
// quote strings from outside, which must never send control codes to the terminal, so all output is escaped.
// `print` does not escape newlines; a caller that prints a string from outside must first turn it into one line,
// with `printLine`, `tableText`, `escapeControls` or `shownText`.

import { once } from "node:events";
import { escapeControls, escapeJson, escapeLines } from "../../../lib/text/index.ts";

/** Writes text for people to standard output. Control characters other than newlines are escaped. */
export function print(text: string): void {
  process.stdout.write(escapeLines(text));
}

/** Writes text for people to standard error. Control characters other than newlines are escaped. */
export function printError(text: string): void {
  process.stderr.write(escapeLines(text));
}

/** Writes one line to standard output. Newlines within the text are escaped. */
export function printLine(line: string): void {
  print(`${escapeControls(line)}\n`);
}

/** Writes one line to standard error. Newlines within the text are escaped. */
export function printErrorLine(line: string): void {
  printError(`${escapeControls(line)}\n`);
}

/**
 * Writes JSON to standard output. Characters that would control the terminal are written as JSON escapes, which keeps
 * the values unchanged.
 */
export async function printJson(json: string): Promise<void> {
  if (!process.stdout.write(escapeJson(json))) await once(process.stdout, "drain");
}

/** Writes data for other programs to standard output: unchanged into a pipe or a file, but escaped on a terminal. */
export async function printData(data: string | Uint8Array): Promise<void> {
  const shown = process.stdout.isTTY === true ? escapeLines(Buffer.from(data).toString()) : data;
  if (!process.stdout.write(shown)) await once(process.stdout, "drain");
}

export interface ScreenSize {
  readonly columns: number;
  readonly rows: number;
}

export interface ScreenRow {
  /** The text of one terminal row, not wider than the terminal. */
  readonly text: string;
  readonly style?: "bold" | "inverse";
}

/** Switches the terminal to the alternate screen, without a cursor and without line wrap. */
export function openScreen(): void {
  process.stdout.write("\x1b[?1049h\x1b[?25l\x1b[?7l");
}

/** Restores the terminal's normal screen, cursor and line wrap. */
export function closeScreen(): void {
  process.stdout.write("\x1b[?7h\x1b[?25h\x1b[?1049l");
}

const styles = { bold: "\x1b[1m", inverse: "\x1b[7m" } as const;

/**
 * Draws rows of text from the upper left corner of the screen. Moves the cursor to the start of each row with a
 * command of its own: after a row that fills the width of the terminal, a newline or an erase command could
 * damage the next row.
 */
export function draw(rows: readonly ScreenRow[]): void {
  const shown = rows.map(({ text, style }, at) => {
    const line = escapeControls(text);
    return `\x1b[${at + 1};1H\x1b[2K${style === undefined ? line : `${styles[style]}${line}\x1b[0m`}`;
  });
  process.stdout.write(shown.join(""));
}
