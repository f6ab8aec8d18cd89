// Writes SQL expressions that compute a value for each row: the value of a BY key, a number, or the value of a
// column. The functions of this file return null when the database would compute a different value than
// docs/reference/query.md requires.

import type { ResolvedQuery } from "../semantics/resolve.ts";
import type { Expr } from "../syntax/ast.ts";
import { type Catalog, fixed, keyColumns } from "./catalog.ts";
import { type Fragment, joined, raw, sql } from "./fragment.ts";
import { isNumeric, isText } from "./stored-column.ts";

/**
 * Returns SQL for the value of a BY key as a string. Returns null when the database would compute a different
 * string than JavaScript.
 */
export function keySql(expr: Expr, { namespace }: ResolvedQuery, catalog: Catalog): Fragment | null {
  if (expr.type !== "col") return null;
  const isMetric = namespace.category === "metric";
  if (!isMetric && expr.name === "__source") return raw(fixed.name);
  if (/@json\.|^(?:time|__docid|__namespace|create_time|date_ns|time_us|index|class|rule)$/.test(expr.name))
    return null;
  const columns = keyColumns(catalog, namespace.category, expr.name);
  if (!columns.every((column) => isText(column) || column.kind === "int" || column.kind === "bool")) return null;
  const { dialect } = catalog;
  const texts = columns.map((column) => (isText(column) ? dialect.value(column) : dialect.text(dialect.value(column))));
  const last = !isMetric && expr.name === "source" ? raw(fixed.name) : raw("''");
  return sql`coalesce(${joined([...texts, last], ", ")})`;
}

/**
 * Returns SQL for a BY key. When the key has only one column, this is the stored value; the caller then converts
 * it to a string with textOfValue(), unless it is null. Otherwise it is the value as a string.
 */
export function storedKeySql(expr: Expr, query: ResolvedQuery, catalog: Catalog): Fragment | null {
  const key = keySql(expr, query, catalog);
  if (key === null || expr.type !== "col" || /^(?:__source|source)$/.test(expr.name)) return key;
  const [column, ...others] = keyColumns(catalog, query.namespace.category, expr.name);
  return column === undefined || others.length > 0 ? key : catalog.dialect.value(column);
}

/**
 * Returns the SQL of an expression that yields a number for each row; null when the database would compute a different
 * value than JavaScript.
 */
export function numberSql(expr: Expr, query: ResolvedQuery, catalog: Catalog): Fragment | null {
  const { dialect } = catalog;
  switch (expr.type) {
    case "paren":
      return numberSql(expr.e, query, catalog);
    case "num":
      return typeof expr.value === "bigint" || Number.isFinite(expr.value) ? sql`${expr.value}` : null;
    case "bin": {
      const [left, right] = [numberSql(expr.l, query, catalog), numberSql(expr.r, query, catalog)];
      if (left === null || right === null) return null;
      // The result of arithmetic over whole numbers must be a whole number, or a float when the result exceeds 64
      // bits. A database cannot compute this, so JavaScript computes the result from rows.
      if (expr.op !== "/" && mayBeWhole(expr.l, query, catalog) && mayBeWhole(expr.r, query, catalog)) return null;
      const [x, y] = [dialect.double(left), dialect.double(right)];
      if (expr.op === "/") return sql`(${x} / nullif(${y}, 0))`;
      return expr.op === "+" || expr.op === "-" || expr.op === "*" ? sql`(${x} ${raw(expr.op)} ${y})` : null;
    }
    case "col": {
      if (expr.name === "time" || expr.name.includes("@json.")) return null;
      const columns = keyColumns(catalog, query.namespace.category, expr.name);
      const numeric = columns.filter(isNumeric);
      if (columns.length === 0) return dialect.nothing("number");
      if (numeric.length !== columns.length) return null;
      if (numeric.length === 1) return dialect.value(numeric[0]!);
      return sql`coalesce(${joined(
        numeric.map((column) => dialect.double(dialect.value(column))),
        ", ",
      )})`;
    }
    default:
      return null;
  }
}

function mayBeWhole(expr: Expr, query: ResolvedQuery, catalog: Catalog): boolean {
  switch (expr.type) {
    case "paren":
      return mayBeWhole(expr.e, query, catalog);
    case "num":
      return typeof expr.value === "bigint";
    case "bin":
      return expr.op !== "/" && mayBeWhole(expr.l, query, catalog) && mayBeWhole(expr.r, query, catalog);
    case "col":
      return keyColumns(catalog, query.namespace.category, expr.name).some(
        ({ kind }) => kind === "int" || kind === "uint",
      );
    default:
      return false;
  }
}

/** Returns SQL for the stored value of a key when all its values have a single type; null for any other key. */
export function plainColumn(expr: Expr, { namespace }: ResolvedQuery, catalog: Catalog): Fragment | null {
  if (expr.type !== "col") return null;
  const isMetric = namespace.category === "metric";
  if (!isMetric && (expr.name === "__docid" || expr.name === "index" || expr.name === "__source"))
    return raw(fixed.sequence);
  const columns = keyColumns(catalog, namespace.category, expr.name);
  const [only] = columns;
  if (/@json\.|^(?:time|source|class|rule)$/.test(expr.name) || columns.length > 1) return null;
  if (only === undefined) return catalog.dialect.nothing("text");
  return only.kind === "array" || only.kind === "binary" ? null : catalog.dialect.value(only);
}

/** Returns whether all values of a key are whole numbers of one type. */
export function isWholeColumn(expr: Expr, { namespace }: ResolvedQuery, catalog: Catalog): boolean {
  const columns = expr.type === "col" ? keyColumns(catalog, namespace.category, expr.name) : [];
  return columns.length === 1 && (columns[0]!.kind === "int" || columns[0]!.kind === "uint");
}

export function isSystem(expr: Expr): boolean {
  return expr.type === "col" && /^(?:__docid|index|__source)$/.test(expr.name);
}
