// A script's error for a terminal: `file:line:column: message`, the line, a caret under the place.

import type { PlError } from "../../agent/engine.ts";

/** `sources`: text of the scripts by file name. */
export function scriptErrorText(error: PlError, sources: Readonly<Record<string, string>>): string {
  const [first, ...outer] = error.pos_chain;
  if (first === undefined) return error.error;
  const lines = [`${first.file}:${first.ln}:${first.col}: ${error.error}`];
  const line = sources[first.file]?.split("\n")[first.ln - 1]?.replace(/\r$/, "");
  if (line !== undefined && first.col >= 1) {
    // Columns count code points; tabs are kept, so that the caret stands under its place.
    const before = [...line].slice(0, first.col - 1);
    const blanks = Array.from({ length: first.col - 1 }, (_, at) => (before[at] === "\t" ? "\t" : " "));
    lines.push(`  ${line}`, `  ${blanks.join("")}^`);
  }
  for (const { file, ln, col } of outer) lines.push(`  called from ${file}:${ln}:${col}`);
  return lines.join("\n");
}
