// The one door from the command line to the terminal: text for people, which may quote what somebody else has sent, never steers the
// terminal. `print` keeps the newlines of its text; texts from outside come through what makes one line of them: `printLine`,
// `tableText`, `escapeControls`, `shownText`.

import { once } from "node:events";
import { escapeControls, escapeJson, escapeLines } from "../../../lib/point/shown-text.ts";

/** Writes text for people to standard output. */
export function print(text: string): void {
  process.stdout.write(escapeLines(text));
}

/** Writes text for people to standard error. */
export function printError(text: string): void {
  process.stderr.write(escapeLines(text));
}

/** Writes one line to standard output, whatever the text holds. */
export function printLine(line: string): void {
  print(`${escapeControls(line)}\n`);
}

/** Writes one line to standard error, whatever the text holds. */
export function printErrorLine(line: string): void {
  printError(`${escapeControls(line)}\n`);
}

/** Writes JSON to standard output: the same values, with escapes where a character would steer the terminal. */
export async function printJson(json: string): Promise<void> {
  if (!process.stdout.write(escapeJson(json))) await once(process.stdout, "drain");
}

/** Writes data for other programs to standard output: byte by byte into a pipe or a file, escaped on a terminal. */
export async function printData(data: string | Uint8Array): Promise<void> {
  const shown = process.stdout.isTTY === true ? escapeLines(Buffer.from(data).toString()) : data;
  if (!process.stdout.write(shown)) await once(process.stdout, "drain");
}

export interface ScreenSize {
  readonly columns: number;
  readonly rows: number;
}

export interface ScreenRow {
  /** No wider than the terminal. */
  readonly text: string;
  readonly style?: "bold" | "inverse";
}

/** Gives the whole terminal to `draw`, without a cursor; a line that is too long does not wrap. */
export function openScreen(): void {
  process.stdout.write("\x1b[?1049h\x1b[?25l\x1b[?7l");
}

/** Gives the terminal back as it was. */
export function closeScreen(): void {
  process.stdout.write("\x1b[?7h\x1b[?25h\x1b[?1049l");
}

const styles = { bold: "\x1b[1m", inverse: "\x1b[7m" } as const;

/** Draws rows from the upper left corner. Each begins at a place of its own: behind a full row a newline or an erasure would do harm. */
export function draw(rows: readonly ScreenRow[]): void {
  const shown = rows.map(({ text, style }, at) => {
    const line = escapeControls(text);
    return `\x1b[${at + 1};1H\x1b[2K${style === undefined ? line : `${styles[style]}${line}\x1b[0m`}`;
  });
  process.stdout.write(shown.join(""));
}
