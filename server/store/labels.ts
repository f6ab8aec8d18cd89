// Labels of objects: one row of the workspace's table for each object, key and value (agent document, A.4).

import type { DuckDBConnection } from "@duckdb/node-api";
import type { ObjectLabels, StoredKey } from "../../lib/dql/engine.ts";
import { raw, sql } from "../../lib/dql/sql/fragment.ts";
import type { CategoryName } from "../../lib/point/category.ts";
import type { LabelledObject } from "./points-database.ts";
import type { Reader } from "./readers.ts";
import type { Tables } from "./tables.ts";

/** Objects with labels of one workspace; a store takes no more, as what answers reads them all. */
const maxObjects = 100_000;

export class TooManyObjects extends Error {}

/** Throws TooManyObjects where so many others have labels. */
export function requireRoomFor(others: number): void {
  if (others >= maxObjects) throw new TooManyObjects(`labels of ${maxObjects} objects are kept already`);
}

/** Replaces the labels of the object; null takes them away. */
export async function setLabels(
  connection: DuckDBConnection,
  { labels: table }: Tables,
  { id, objectClass, objectName, key, value }: LabelledObject,
  labels: readonly string[] | null,
): Promise<void> {
  if (labels === null) {
    await connection.run(`DELETE FROM ${table} WHERE id = ?`, [id]);
    return;
  }
  const others = await connection.runAndReadAll(`SELECT count(*) FROM ${table} WHERE id <> ?`, [id]);
  requireRoomFor(Number(others.getRows()[0]![0]));
  await connection.run(`INSERT OR REPLACE INTO ${table} VALUES (?, ?, ?, ?, ?, ?)`, [
    id,
    objectClass,
    objectName,
    key,
    value,
    JSON.stringify(labels),
  ]);
}

export async function readLabels(
  reader: Reader,
  tables: Tables,
  category: "object" | "custom_object",
): Promise<readonly ObjectLabels[]> {
  const rows = await reader.run(
    sql`SELECT class, name, key, value, labels FROM ${raw(tables.labels)} ORDER BY class, name, key, value`,
  );
  return labelsOf(rows as readonly LabelRow[], tables, category);
}

export type LabelRow = readonly [objectClass: string, name: string, key: string, value: string, labels: string];

/** Of a class that only custom objects have, the labels are those of custom objects. */
export function labelsOf(
  rows: readonly LabelRow[],
  stored: { readonly keys: (category: CategoryName) => readonly StoredKey[] },
  category: "object" | "custom_object",
): readonly ObjectLabels[] {
  const classes = (of: CategoryName) => new Set(stored.keys(of).map(({ name }) => name));
  const [objects, custom] = [classes("object"), classes("custom_object")];
  return rows
    .filter(([of]) => (custom.has(of) && !objects.has(of)) === (category === "custom_object"))
    .map(([objectClass, objectName, key, value, labels]) => {
      return { objectClass, objectName, key, value, labels: JSON.parse(labels) as string[] };
    });
}
