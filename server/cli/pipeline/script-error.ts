// A script's error for a terminal: `file:line:column: message`, the line, a caret under the place.

import { escapeControls, escapeLines, shortenedText } from "../../../lib/point/shown-text.ts";
import type { PlError } from "../../agent/engine.ts";

/** `sources`: text of the scripts by file name. */
export function scriptErrorText(error: PlError, sources: Readonly<Record<string, string>>): string {
  const [first, ...outer] = error.pos_chain;
  if (first === undefined) return error.error;
  const lines = [escapeControls(`${first.file}:${first.ln}:${first.col}: ${error.error}`)];
  const line = sources[first.file]?.split("\n")[first.ln - 1]?.replace(/\r$/, "");
  if (line !== undefined && first.col >= 1) {
    // Columns count code points; tabs are kept, so that the caret stands under its place.
    const before = escapeLines([...line].slice(0, first.col - 1).join(""));
    const source = shortenedText(escapeLines(line));
    lines.push(`  ${source}`);
    if (source.startsWith(before)) lines.push(`  ${before.replace(/[^\t]/gu, " ")}^`);
  }
  for (const { file, ln, col } of outer) lines.push(escapeControls(`  called from ${file}:${ln}:${col}`));
  return lines.join("\n");
}
