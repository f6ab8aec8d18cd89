// The error for an invalid DQL statement, or an invalid member of its request (docs/errors.md#queries).

import { byteLength } from "../../text/utf8.ts";
import type { Offset } from "./ast.ts";

/**
 * An error in a query. `message` is the whole message: `1:9 parse error: unclosed left brace`, or, when the
 * error has no position, `parse error: ...`.
 */
export class DqlError extends Error {
  /** Line of the error, from 1; null when the error has no position. */
  readonly line: number | null;
  /** Column of the error in UTF-8 bytes, from 1; null when the error has no position. */
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
