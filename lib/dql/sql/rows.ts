// Reads stored points from a database as rows: decides which columns a query needs, and converts the database's answer.

import { readJson } from "../../text/json-text.ts";
import type { Row } from "../evaluate/row.ts";
import type { DqlValue } from "../evaluate/values/value.ts";
import type { ResolvedQuery } from "../semantics/resolve.ts";
import { columnsRead, shapeOf } from "../semantics/targets.ts";
import type { DqlNamespace } from "../syntax/namespaces.ts";
import { type Catalog, fixed } from "./catalog.ts";
import { type Fragment, joined, raw } from "./fragment.ts";
import type { StoredColumn } from "./stored-column.ts";

/**
 * A row of a database's answer. A value is a bigint (for a whole number), a number, a string, a boolean, bytes or null.
 */
export type ResultRow = readonly unknown[];

export interface RowReader {
  /** The SQL `SELECT ...` with the list of columns, without the FROM clause. */
  readonly select: Fragment;
  readonly read: (row: ResultRow) => Row;
}

/** The parts of the stored points that a query reads. */
export interface RowSelection {
  /** Keys whose values the statement reads; null means all keys. */
  readonly keys: ReadonlySet<string> | null;
  /**
   * The name that all points have, when the query asks for a single name. Undefined when points may have other names,
   * so that the statement must read the name of each point.
   */
  readonly name: string | undefined;
  /** The names that the points may have; undefined means any name. */
  readonly names?: readonly string[] | undefined;
}

export function rowReader(
  namespace: DqlNamespace,
  catalog: Catalog,
  { keys, name: known, names }: RowSelection,
): RowReader {
  const all = catalog.columns(namespace.category, names);
  const columns =
    keys === null ? all : all.filter(({ key, kind }) => keys.has(key) || (kind === null && keys.has("*tags")));
  const values = catalog.dialect.reader(columns);
  // Only the needed columns are selected, because every column takes time to read, even when the answer has few
  // rows.
  const leading: string[] = [fixed.time, fixed.sequence];
  const place = (column: string, isRead: boolean) => (isRead ? leading.push(column) - 1 : -1);
  const name = place(fixed.name, known === undefined);
  const index = place(fixed.index, keys === null || keys.has("index"));
  const received = place(fixed.received, keys === null || keys.has("create_time"));
  return {
    select: joined([raw(`SELECT ${leading.join(", ")}`), ...values.select], ", "),
    read: (row) => {
      const [time, sequence] = row as readonly [bigint, bigint];
      const tags = new Map<string, string>();
      const fields = new Map<string, DqlValue>();
      values.read(row, leading.length, (column, value) => {
        if (column.kind === null) tags.set(column.key, value as string);
        else fields.set(column.key, dqlValue(value, column));
      });
      return {
        time,
        name: name < 0 ? known! : (row[name] as string),
        docid: docidOf(namespace, time, sequence),
        index: index < 0 ? "" : (row[index] as string),
        received: received < 0 ? 0 : Number(row[received]),
        tags,
        fields,
      };
    },
  };
}

/** Returns the single name of the points that a query reads; undefined when the points may have different names. */
export function onlyName(query: ResolvedQuery): string | undefined {
  const names = pointNames(query);
  return names?.length === 1 ? names[0] : undefined;
}

/**
 * Returns the names of the points that a query reads. Returns undefined when the query does not name all of them in
 * full, or when its source is the value of a key instead of a name.
 */
export function pointNames({ source, namespace }: ResolvedQuery): readonly string[] | undefined {
  const sources = "list" in source ? source.list : [];
  if (sources.length === 0 || !namespace.sourceKeys.every((key) => key === "__source")) return undefined;
  const names = sources.flatMap((each) => ("name" in each ? [each.name] : []));
  return names.length === sources.length ? names : undefined;
}

function dqlValue(value: unknown, { kind }: StoredColumn): DqlValue {
  return kind === "array" ? (readArray(value as string) as DqlValue) : (value as DqlValue);
}

function readArray(text: string): DqlValue {
  const read = (value: unknown): DqlValue => {
    if (Array.isArray(value)) return value.map(read);
    if (typeof value === "object" && value !== null && "text" in value) {
      const digits = String(value.text);
      return /^-?[0-9]+$/.test(digits) ? BigInt(digits) : Number(digits);
    }
    return value as DqlValue;
  };
  return read(readJson(text));
}

/**
 * Returns the unique id of a stored point, such as `L_1710810611818_` followed by 20 digits; ids sort in the order in
 * which points arrived.
 */
export function docidOf({ short }: DqlNamespace, time: bigint, sequence: bigint): string {
  return `${short}_${time / 1_000_000n}_${sequence.toString(16).padStart(20, "0")}`;
}

/** Returns the keys of points that a query reads; null means all keys. */
export function keysRead(query: ResolvedQuery): ReadonlySet<string> | null {
  if (query.columns.length === 0) return null;
  const keys = new Set<string>();
  const add = (name: string) => {
    keys.add(name);
    const path = /^(.+)@json\./s.exec(name);
    if (path !== null) keys.add(path[1]!);
  };
  const visit = (node: unknown): void => {
    if (typeof node !== "object" || node === null) return;
    const { type, name, args } = node as {
      readonly type?: string;
      readonly name?: string;
      readonly args?: readonly unknown[];
    };
    if (type === "col") add(name!);
    // Adds to the list of needed keys the fields that the search string of a query_string() call names.
    if (type === "call" && /^query_?string$/.test(name!)) for (const field of namedFields(args?.[0])) add(field);
    for (const part of Object.values(node)) visit(part);
  };
  const { columns, by, having, filter, orderBy, sorderBy, namespace, match, link, index } = query;
  const joined = [...(match?.pairs ?? []), ...(link?.pairs ?? [])].map(({ own }) => own);
  for (const name of columnsRead([...columns, ...by])) add(name);
  visit([columns, by, having, filter, joined, orderBy, sorderBy]);
  for (const key of namespace.sourceKeys) add(key);
  if (index.length > 0) add("index");
  if (namespace.rows !== "all")
    for (const key of ["name", "df_monitor_checker_event_ref", "df_status", "status"]) add(key);
  // For metrics all tags are read, because all tags together identify a timeline (a series of stored points).
  if (namespace.category === "metric" && (shapeOf(query) === "raw" || query.rollup !== null)) keys.add("*tags");
  return keys;
}

function namedFields(text: unknown): string[] {
  const { value } = (text ?? {}) as { readonly value?: string };
  return [...(value ?? "").matchAll(/([^\s(),:"\\]+):/g)].map(([, field]) => field!);
}
