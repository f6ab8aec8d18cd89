// Selects the rows of a table that a query reads, by source, index, time range and filter
// (docs/reference/query.md#namespaces-and-sources).

import { lookBackMs } from "../evaluate/rollup.ts";
import type { ResolvedQuery } from "../semantics/resolve.ts";
import type { Expr, SourceName } from "../syntax/ast.ts";
import { type Catalog, fixed, fromTable, keyColumns } from "./catalog.ts";
import type { Dialect } from "./dialect.ts";
import { filterSql } from "./filter.ts";
import { type Fragment, joined, raw, sql } from "./fragment.ts";
import { isText } from "./stored-column.ts";

export interface Selection {
  /** The SQL `FROM table WHERE ...` that selects the rows. */
  readonly from: Fragment;
  /**
   * Whether the SQL selects exactly the rows of the query. When this is false, it may also select rows that the
   * filter rejects.
   */
  readonly exact: boolean;
}

export function selectionOf(query: ResolvedQuery, catalog: Catalog): Selection {
  const { namespace, range, index } = query;
  const start = BigInt(range.start - lookBackMs(query.rollup, query.interval)) * 1_000_000n;
  const end = BigInt(range.end) * 1_000_000n + 999_999n;
  const source = sourceSql(query, catalog);
  // For objects, SQL first chooses the newest state of each object, and the filter is applied afterwards. Only
  // conditions on the name of the object can be applied first, because all states of an object have the same name.
  const isNewest = namespace.rows !== "all";
  const conditions = isNewest ? query.filter.filter((each) => isOfName(each, query, catalog)) : query.filter;
  const filter = filterSql(conditions, { catalog, query });
  const parts = [
    sql`${raw(fixed.time)} BETWEEN ${start} AND ${end}`,
    ...(source === null ? [] : [source]),
    ...(index.length === 0
      ? []
      : [
          sql`${raw(fixed.index)} IN (${joined(
            index.map((each) => sql`${each}`),
            ", ",
          )})`,
        ]),
    ...filter.parts,
  ];
  return {
    from: fromTable(catalog, namespace.category, parts, { start, end }),
    exact: filter.exact && !isNewest && query.match === null,
  };
}

/**
 * Returns whether the condition reads only the key `name` of an object, and all stored values of this key are strings.
 */
function isOfName(condition: Expr, { namespace }: ResolvedQuery, catalog: Catalog): boolean {
  if (namespace.rows !== "newest object") return false;
  if (!keyColumns(catalog, namespace.category, "name").every(isText)) return false;
  const isOf = (node: unknown): boolean => {
    if (typeof node !== "object" || node === null) return true;
    const { type, name } = node as { readonly type?: string; readonly name?: string };
    if (type === "call" || type === "subquery" || (type === "col" && name !== "name")) return false;
    return Object.values(node).every(isOf);
  };
  return isOf(condition);
}

/** Returns the SQL condition of the source clause; null means that every row is selected. */
function sourceSql({ source, namespace }: ResolvedQuery, catalog: Catalog): Fragment | null {
  if (!("list" in source)) return null;
  if (source.list.some((each) => "all" in each || ("regex" in each && each.regex === ".*"))) return null;
  const value = sourceValue(namespace.sourceKeys, (key) =>
    keyColumns(catalog, namespace.category, key).filter(isText).map(catalog.dialect.value),
  );
  const isMetric = namespace.category === "metric";
  return sql`(${joined(
    source.list.map((each) => sourceTest(each, value, isMetric ? "anywhere" : "whole", catalog.dialect)),
    " OR ",
  )})`;
}

function sourceValue(keys: readonly string[], columnsOf: (key: string) => readonly Fragment[]): Fragment {
  const columns = keys.flatMap((key) => (key === "__source" ? [raw(fixed.name)] : columnsOf(key)));
  return columns.length === 1 ? columns[0]! : sql`coalesce(${joined(columns, ", ")})`;
}

function sourceTest(source: SourceName, value: Fragment, where: "anywhere" | "whole", dialect: Dialect): Fragment {
  if ("all" in source) return raw("true");
  return "name" in source ? sql`${value} = ${source.name}` : dialect.matches(value, source.regex, where);
}
