// Labels that users attach to objects (such as hosts), as ClickHouse stores them. Each change of an object's
// labels inserts a row. Among the rows of one object, the row with the greatest sequence number is valid, even
// if ClickHouse has not yet merged the older rows away. When the column `labels` of the valid row is an empty
// string, the object has no labels.

import type { Fragment } from "../../../lib/dql/index.ts";
import { raw, sql } from "../../../lib/dql/sql/index.ts";
import type { LabelledObject } from "../points-database.ts";

export const labelColumns = ["workspace", "id", "class", "name", "key", "value", "labels", "seq"] as const;

/** Returns a row of the table of labels as a line of JSON. */
export function labelLine(
  workspace: string,
  { id, objectClass, objectName, key, value }: LabelledObject,
  labels: readonly string[] | null,
  sequence: bigint,
): string {
  const text = labels === null ? "" : JSON.stringify(labels);
  return `${JSON.stringify([workspace, id, objectClass, objectName, key, value, text, String(sequence)])}\n`;
}

/** Returns the SQL query that reads all labels of a workspace. `table`: the table's name as it is written in SQL. */
export function labelsStatement(table: string, workspace: string): Fragment {
  return sql`SELECT class, name, key, value, labels FROM (${newest(table, workspace)}) WHERE labels <> '' ORDER BY class, name, key, value`;
}

/**
 * Returns the SQL query that counts the labelled objects of a workspace, not counting the object with the given
 * id.
 */
export function othersStatement(table: string, workspace: string, id: string): Fragment {
  return sql`SELECT count() FROM (${newest(table, workspace)}) WHERE labels <> '' AND id <> ${id}`;
}

function newest(table: string, workspace: string): Fragment {
  return sql`SELECT id, class, name, key, value, labels FROM ${raw(table)} WHERE workspace = ${workspace} ORDER BY seq DESC LIMIT 1 BY id`;
}
