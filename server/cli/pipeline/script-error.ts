// Formats the error of a script for a terminal: `file:line:column: message`, the line of the script, a caret under the
// position of the error, and a hint.

import { escapeControls, escapeLines, shortenedText } from "../../../lib/text/index.ts";
import type { PlError } from "../../agent/engine.ts";

/** Returns an error as printable lines. `sources`: the source code of the scripts by file name. */
export function scriptErrorText(error: PlError, sources: Readonly<Record<string, string>>): string {
  const [first, ...outer] = error.pos_chain;
  if (first === undefined) return error.error;
  const lines = [escapeControls(`${first.file}:${first.ln}:${first.col}: ${error.error}`)];
  const at = error.at ?? first;
  if (at.file !== first.file || at.ln !== first.ln) lines.push(escapeControls(`  at ${at.file}:${at.ln}:${at.col}`));
  const line = sources[at.file]?.split("\n")[at.ln - 1]?.replace(/\r$/, "");
  if (line !== undefined && at.col >= 1) {
    // The column numbers of an error count code points, so the line is split into code points. The line with the
    // caret repeats the tabs of the script line above it, so that the caret appears under the right character.
    const points = [...line];
    const missing = Math.max(0, at.col - 1 - points.length);
    const before = `${escapeLines(points.slice(0, at.col - 1).join(""))}${" ".repeat(missing)}`;
    const source = shortenedText(escapeLines(line));
    lines.push(`  ${source}`);
    if (missing > 0 || source.startsWith(before)) lines.push(`  ${before.replace(/[^\t]/gu, " ")}^`);
  }
  if (error.hint !== undefined) lines.push(`  hint: ${escapeControls(error.hint)}`);
  for (const { file, ln, col } of outer) lines.push(escapeControls(`  called from ${file}:${ln}:${col}`));
  return lines.join("\n");
}
