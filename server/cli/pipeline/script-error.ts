// A script's error for a terminal: `file:line:column: message`, the line, a caret under the exact place, and the hint.

import type { PlError } from "../../agent/engine.ts";

/** `sources`: text of the scripts by file name. */
export function scriptErrorText(error: PlError, sources: Readonly<Record<string, string>>): string {
  const [first, ...outer] = error.pos_chain;
  if (first === undefined) return error.error;
  const lines = [`${first.file}:${first.ln}:${first.col}: ${error.error}`];
  const at = error.at ?? first;
  if (at.file !== first.file || at.ln !== first.ln) lines.push(`  at ${at.file}:${at.ln}:${at.col}`);
  const line = sources[at.file]?.split("\n")[at.ln - 1]?.replace(/\r$/, "");
  if (line !== undefined && at.col >= 1) {
    // Columns count code points; tabs are kept, so that the caret stands under its place.
    const before = [...line].slice(0, at.col - 1);
    const blanks = Array.from({ length: at.col - 1 }, (_, index) => (before[index] === "\t" ? "\t" : " "));
    lines.push(`  ${line}`, `  ${blanks.join("")}^`);
  }
  if (error.hint !== undefined) lines.push(`  hint: ${error.hint}`);
  for (const { file, ln, col } of outer) lines.push(`  called from ${file}:${ln}:${col}`);
  return lines.join("\n");
}
