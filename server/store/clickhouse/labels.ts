// Labels of objects in ClickHouse. Each change is a row; the row of an object with the greatest number is the valid
// one, whether or not ClickHouse has merged the others away. A row without labels removes the labels.

import type { Fragment } from "../../../lib/dql/index.ts";
import { raw, sql } from "../../../lib/dql/sql/index.ts";
import type { LabelledObject } from "../points-database.ts";

export const labelColumns = ["workspace", "id", "class", "name", "key", "value", "labels", "seq"] as const;

/** Returns a row as a line of JSON. */
export function labelLine(
  workspace: string,
  { id, objectClass, objectName, key, value }: LabelledObject,
  labels: readonly string[] | null,
  sequence: bigint,
): string {
  const text = labels === null ? "" : JSON.stringify(labels);
  return `${JSON.stringify([workspace, id, objectClass, objectName, key, value, text, String(sequence)])}\n`;
}

/** Returns the statement that reads all labels of a workspace. `table`: the table's name as it is written in SQL. */
export function labelsStatement(table: string, workspace: string): Fragment {
  return sql`SELECT class, name, key, value, labels FROM (${newest(table, workspace)}) WHERE labels <> '' ORDER BY class, name, key, value`;
}

/** Returns the statement that counts the other objects with labels. */
export function othersStatement(table: string, workspace: string, id: string): Fragment {
  return sql`SELECT count() FROM (${newest(table, workspace)}) WHERE labels <> '' AND id <> ${id}`;
}

function newest(table: string, workspace: string): Fragment {
  return sql`SELECT id, class, name, key, value, labels FROM ${raw(table)} WHERE workspace = ${workspace} ORDER BY seq DESC LIMIT 1 BY id`;
}
