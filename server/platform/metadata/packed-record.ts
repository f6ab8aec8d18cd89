// Packs a row of the table `records` into one string. Reading one string from the database and sending it to
// another thread is faster than doing so with many values, because each value takes extra time.

import { sql } from "kysely";
import type { RowPage } from "./store.ts";
import type { ListedRow } from "./tables.ts";

/**
 * The line feed separates the columns in the packed string. No column contains a line feed, because all columns are
 * identifiers, numbers or JSON.
 */
const separator = "\n";

/**
 * The columns in the order in which they are packed. The document is the last one, because it may be long and
 * need then not be searched for a separator.
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

/** The SQL expression whose value is the packed string of a row, for SQLite and PostgreSQL. */
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
