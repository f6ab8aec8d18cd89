// Packs a row of the table `records` into one string. One string is faster than many values, because each value costs
// time when it is read from the database and when it is sent to another thread.

import { sql } from "kysely";
import type { RowPage } from "./store.ts";
import type { ListedRow } from "./tables.ts";

/**
 * The line feed separates the columns in the packed string. No column contains a line feed, because all columns are
 * identifiers, numbers or JSON.
 */
const separator = "\n";

/**
 * The packed columns in their order. The document may be long. It is the last column, so that no separator is searched
 * in it.
 */
const columns = [
  "id",
  "version",
  "status",
  "create_at",
  "update_at",
  "uuid",
  "document",
] as const satisfies (keyof ListedRow)[];

/** The SQL expression that returns a row as the packed string, for SQLite and PostgreSQL. */
export const packed = sql.join(
  columns.map((column) => sql`${sql.ref(`records.${column}`)}`),
  sql` || ${sql.lit(separator)} || `,
);

export function unpackedPage({ rows, totalCount }: RowPage<string>): RowPage<ListedRow> {
  return { rows: rows.map(unpacked), totalCount };
}

function unpacked(text: string): ListedRow {
  const parts: string[] = [];
  let at = 0;
  for (let count = 1; count < columns.length; count++) {
    const end = text.indexOf(separator, at);
    parts.push(text.slice(at, end));
    at = end + 1;
  }
  const [id, version, status, create_at, update_at, uuid] = parts as [string, string, string, string, string, string];
  return {
    id: Number(id),
    version: Number(version),
    status: Number(status),
    create_at: Number(create_at),
    update_at: Number(update_at),
    uuid,
    document: text.slice(at),
  };
}
