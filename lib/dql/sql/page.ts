// Writes SQL for the order of raw rows and for the start of a page (docs/reference/query.md#groups-orders-pages).
// Returns null when SQL cannot express the order; JavaScript then sorts and cuts the rows.

import { numberOfKey, ofColumns } from "../evaluate/paging.ts";
import type { ResolvedQuery } from "../semantics/resolve.ts";
import { type Catalog, fixed, keyColumns } from "./catalog.ts";
import type { Dialect } from "./dialect.ts";
import { type Fragment, joined, raw, sql } from "./fragment.ts";
import { type NumberOp, numberTest } from "./number.ts";
import { isNumeric, isText, type StoredColumn } from "./stored-column.ts";

interface OrderKey {
  /**
   * The value that rows are sorted by: the time in milliseconds, or a column of the table; null when no stored point
   * has the key that the query names.
   */
  readonly of: "time" | StoredColumn | null;
  readonly dir: "asc" | "desc";
}

/** Returns the SQL `ORDER BY ...`: the keys that the query names, then newest first. */
export function orderSql(query: ResolvedQuery, catalog: Catalog): Fragment | null {
  const keys = orderKeys(query, catalog);
  if (keys === null) return null;
  const named = keys.flatMap(({ of, dir }) =>
    of === null ? [] : [sql`${valueSql(of, catalog.dialect)} ${raw(dir)} NULLS LAST`],
  );
  return sql`ORDER BY ${joined([...named, raw(`${fixed.time} DESC, ${fixed.sequence} DESC`)], ", ")}`;
}

/** Returns the SQL condition for the rows of the next page: they come after the last row of the previous page. */
export function afterSql(query: ResolvedQuery, catalog: Catalog): Fragment | null {
  const keys = orderKeys(query, catalog);
  const bounds = query.searchAfter ?? [];
  if (keys === null) return null;
  const isFirst = keys[0]?.of === "time";
  if (bounds.length !== keys.length + (isFirst ? 2 : 3)) return null;
  const place = placeOf(
    query,
    bounds.slice(isFirst ? 0 : keys.length, isFirst ? 1 : keys.length + 1),
    bounds.slice(-2),
  );
  if (place === null) return null;
  const { ms, ns, sequence } = place;
  const moment = ms * 1_000_000n + ns;
  const steps: { readonly after: Fragment; readonly equal: Fragment }[] = [];
  for (const [at, { of, dir }] of keys.entries()) {
    const step = of === "time" ? timeStep(ms, dir) : stepOf(of, catalog.dialect, dir, bounds[at]);
    if (step === null) return null;
    steps.push(step);
  }
  if (!isFirst) steps.push(timeStep(ms, "desc"));
  steps.push({ after: sql`${raw(fixed.time)} < ${moment}`, equal: sql`${raw(fixed.time)} = ${moment}` });
  steps.push({ after: sql`${raw(fixed.sequence)} < ${sequence}`, equal: raw("true") });
  const choices = steps.map(
    ({ after }, at) => sql`(${joined([...steps.slice(0, at).map(({ equal }) => equal), after], " AND ")})`,
  );
  const behind = sql`(${joined(choices, " OR ")})`;
  // When the newest rows come first, no row of the next page has a later time than the last row of the previous page. A
  // condition on the time lets the database skip newer parts of the table.
  const isNewestFirst = keys.length === 0 || (isFirst && keys[0]!.dir === "desc");
  return isNewestFirst ? sql`${raw(fixed.time)} <= ${ms * 1_000_000n + 999_999n} AND ${behind}` : behind;
}

function orderKeys(query: ResolvedQuery, catalog: Catalog): OrderKey[] | null {
  const keys: OrderKey[] = [];
  for (const { expr, dir } of query.orderBy) {
    const column = ofColumns(query, expr);
    if (column.type !== "col") return null;
    if (column.name === "time") keys.push({ of: "time", dir });
    else {
      if (
        /@json\.|^(?:__docid|__namespace|create_time|date_ns|time_us|index|__source|source|class|rule)$/.test(
          column.name,
        )
      )
        return null;
      const stored = keyColumns(catalog, query.namespace.category, column.name);
      if (stored.length > 1 || stored.some(({ kind }) => kind === "array" || kind === "binary")) return null;
      keys.push({ of: stored[0] ?? null, dir });
    }
  }
  return keys;
}

/** Returns SQL for the value that rows are sorted by; NaN becomes null, because it is sorted like a missing value. */
function valueSql(of: "time" | StoredColumn, dialect: Dialect): Fragment {
  if (of === "time") return dialect.quotient(raw(fixed.time), 1_000_000n);
  const value = dialect.value(of);
  return of.kind === "float" ? sql`CASE WHEN ${dialect.isNan(value)} THEN NULL ELSE ${value} END` : value;
}

function timeStep(ms: bigint, dir: "asc" | "desc"): { readonly after: Fragment; readonly equal: Fragment } {
  const [start, end] = [ms * 1_000_000n, ms * 1_000_000n + 999_999n];
  const time = raw(fixed.time);
  return {
    after: dir === "asc" ? sql`${time} > ${end}` : sql`${time} < ${start}`,
    equal: sql`${time} BETWEEN ${start} AND ${end}`,
  };
}

function stepOf(
  column: StoredColumn | null,
  dialect: Dialect,
  dir: "asc" | "desc",
  bound: unknown,
): { readonly after: Fragment; readonly equal: Fragment } | null {
  if (column === null) return bound === null ? { after: raw("false"), equal: raw("true") } : null;
  const value = valueSql(column, dialect);
  // Missing values are sorted last. So when the last row of the previous page has a missing value, all rows after
  // it have a missing value, too.
  if (bound === null) return { after: raw("false"), equal: sql`${value} IS NULL` };
  const test = testOf(column, dialect, bound);
  if (test === null) return null;
  return { after: sql`(${test(dir === "asc" ? ">" : "<")} OR ${value} IS NULL)`, equal: test("=") };
}

function testOf(column: StoredColumn, dialect: Dialect, bound: unknown): ((op: NumberOp) => Fragment) | null {
  const value = dialect.value(column);
  if (isNumeric(column)) {
    const number = typeof bound === "string" ? numberOfKey(bound) : bound;
    if (typeof number !== "number" && typeof number !== "bigint") return null;
    return (op) => sql`coalesce(${numberTest(column, op, number, dialect) ?? raw("false")}, false)`;
  }
  if (isText(column) ? typeof bound !== "string" : typeof bound !== "boolean") return null;
  return (op) => sql`coalesce(${value} ${raw(op)} ${bound as string | boolean}, false)`;
}

/**
 * Reads the last parts of a paging key (the values of the last row of the previous page): the time of the row, and the
 * arrival number in the row's id. Returns null when the paging key has another form than the keys that the platform
 * makes.
 */
function placeOf(
  { namespace }: ResolvedQuery,
  [time]: readonly unknown[],
  [nanoseconds, docid]: readonly unknown[],
): { readonly ms: bigint; readonly ns: bigint; readonly sequence: bigint } | null {
  const isWhole = (value: unknown) => typeof value === "bigint" || Number.isSafeInteger(value);
  if (!isWhole(time) || !isWhole(nanoseconds) || typeof docid !== "string") return null;
  const [ms, ns] = [BigInt(time as number), BigInt(nanoseconds as number)];
  const [, short, moment, sequence] = /^([A-Z]+)_([0-9]+)_([0-9a-f]{20})$/.exec(docid) ?? [];
  if (short !== namespace.short || moment !== String(ms) || ns < 0n || ns > 999_999n) return null;
  const number = BigInt(`0x${sequence}`);
  return number < 2n ** 63n ? { ms, ns, sequence: number } : null;
}
