// Writes text to the terminal; no other module of the command line does. Text for people may quote text from outside,
// which must never control the terminal, so all output is escaped. `print` keeps the newlines of its text; text from
// outside must first become one line: by `printLine`, `tableText`, `escapeControls` or `shownText`.

import { once } from "node:events";
import { escapeControls, escapeJson, escapeLines } from "../../../lib/text/index.ts";

/** Writes text for people to standard output. */
export function print(text: string): void {
  process.stdout.write(escapeLines(text));
}

/** Writes text for people to standard error. */
export function printError(text: string): void {
  process.stderr.write(escapeLines(text));
}

/** Writes one line to standard output; newlines in the text are escaped. */
export function printLine(line: string): void {
  print(`${escapeControls(line)}\n`);
}

/** Writes one line to standard error; newlines in the text are escaped. */
export function printErrorLine(line: string): void {
  printError(`${escapeControls(line)}\n`);
}

/**
 * Writes JSON to standard output. Characters that would control the terminal become JSON escapes, so the values stay
 * the same.
 */
export async function printJson(json: string): Promise<void> {
  if (!process.stdout.write(escapeJson(json))) await once(process.stdout, "drain");
}

/** Writes data for other programs to standard output: unchanged into a pipe or a file, escaped on a terminal. */
export async function printData(data: string | Uint8Array): Promise<void> {
  const shown = process.stdout.isTTY === true ? escapeLines(Buffer.from(data).toString()) : data;
  if (!process.stdout.write(shown)) await once(process.stdout, "drain");
}

export interface ScreenSize {
  readonly columns: number;
  readonly rows: number;
}

export interface ScreenRow {
  /** The text of the row, not wider than the terminal. */
  readonly text: string;
  readonly style?: "bold" | "inverse";
}

/** Switches the terminal to the alternate screen, without a cursor and without line wrap. */
export function openScreen(): void {
  process.stdout.write("\x1b[?1049h\x1b[?25l\x1b[?7l");
}

/** Restores the terminal. */
export function closeScreen(): void {
  process.stdout.write("\x1b[?7h\x1b[?25h\x1b[?1049l");
}

const styles = { bold: "\x1b[1m", inverse: "\x1b[7m" } as const;

/**
 * Draws rows from the upper left corner. The cursor is set to the start of each row, because a newline or an erase
 * command after a full row would damage the next one.
 */
export function draw(rows: readonly ScreenRow[]): void {
  const shown = rows.map(({ text, style }, at) => {
    const line = escapeControls(text);
    return `\x1b[${at + 1};1H\x1b[2K${style === undefined ? line : `${styles[style]}${line}\x1b[0m`}`;
  });
  process.stdout.write(shown.join(""));
}
