// Labels of objects in ClickHouse: each change is a row, and of an object the row with the greatest number counts, whether or not ClickHouse
// has merged the others away. A row without labels takes them away.

import type { Fragment } from "../../../lib/dql/sql/fragment.ts";
import { raw, sql } from "../../../lib/dql/sql/fragment.ts";
import type { LabelledObject } from "../points-database.ts";

export const labelColumns = ["workspace", "id", "class", "name", "key", "value", "labels", "seq"] as const;

/** As a line of JSON. */
export function labelLine(
  workspace: string,
  { id, objectClass, objectName, key, value }: LabelledObject,
  labels: readonly string[] | null,
  sequence: bigint,
): string {
  const text = labels === null ? "" : JSON.stringify(labels);
  return `${JSON.stringify([workspace, id, objectClass, objectName, key, value, text, String(sequence)])}\n`;
}

/** `table` as it is written in SQL. */
export function labelsStatement(table: string, workspace: string): Fragment {
  return sql`SELECT class, name, key, value, labels FROM (${newest(table, workspace)}) WHERE labels <> '' ORDER BY class, name, key, value`;
}

/** How many objects but this one have labels. */
export function othersStatement(table: string, workspace: string, id: string): Fragment {
  return sql`SELECT count() FROM (${newest(table, workspace)}) WHERE labels <> '' AND id <> ${id}`;
}

function newest(table: string, workspace: string): Fragment {
  return sql`SELECT id, class, name, key, value, labels FROM ${raw(table)} WHERE workspace = ${workspace} ORDER BY seq DESC LIMIT 1 BY id`;
}
