// The error for a statement or a member of its request (docs/errors.md#queries).

import { byteLength } from "../../text/utf8.ts";
import type { Offset } from "./ast.ts";

/**
 * A mistake of the user. `message` is complete: `1:9 parse error: unclosed left brace`, or `parse error: ...` when it
 * has no place.
 */
export class DqlError extends Error {
  /** Line, from 1; null when the mistake has no place. */
  readonly line: number | null;
  /** Column in bytes of UTF-8, from 1; null when the mistake has no place. */
  readonly column: number | null;
  readonly reason: string;

  constructor(reason: string, place?: { readonly source: string; readonly at: Offset; readonly prefix?: string }) {
    let where = "";
    let line: number | null = null;
    let column: number | null = null;
    if (place !== undefined) {
      const start = place.source.lastIndexOf("\n", place.at - 1) + 1;
      line = place.source.slice(0, start).split("\n").length;
      column = byteLength(place.source.slice(start, place.at)) + 1;
      where = `${line}:${column} `;
    }
    super(`${place?.prefix ?? ""}${where}parse error: ${reason}`);
    this.name = "DqlError";
    this.line = line;
    this.column = column;
    this.reason = reason;
  }
}
