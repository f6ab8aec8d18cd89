// Answers queries from an SQL database. When the database can compute the groups with the same result as a
// computation from rows, it computes them. When the query needs only the newest rows, the database returns only
// these. In all other cases the engine reads the rows that may matter and computes the answer in JavaScript.

import type { CategoryName } from "../../point/category.ts";
import type { EvaluationScope } from "../evaluate/base-rows.ts";
import type { Engine, ObjectLabels, StoredKey } from "../evaluate/engine.ts";
import { type Answer, evaluate, finished } from "../evaluate/evaluate.ts";
import { isPaged } from "../evaluate/paging.ts";
import type { Row } from "../evaluate/row.ts";
import type { OutputSeries } from "../evaluate/series.ts";
import type { ResolvedQuery } from "../semantics/resolve.ts";
import { countSteps, type StepBudget, unlimited } from "../semantics/step-budget.ts";
import { shapeOf } from "../semantics/targets.ts";
import { DqlError } from "../syntax/errors.ts";
import { namespaceOf } from "../syntax/namespaces.ts";
import { reasonText } from "../syntax/reasons.ts";
import { aggregatePlan } from "./aggregate.ts";
import { type Catalog, fixed, fromTable } from "./catalog.ts";
import { type Fragment, inlined, joined, raw, sql } from "./fragment.ts";
import { afterSql, orderSql } from "./page.ts";
import { keysRead, onlyName, pointNames, type ResultRow, type RowReader, rowReader } from "./rows.ts";
import { selectionOf } from "./source.ts";
import { keySql } from "./value.ts";

/** An SQL database that stores points. */
export interface Database {
  readonly name: string;
  readonly catalog: Catalog;
  run(statement: Fragment): Promise<readonly ResultRow[]>;
  /** Returns whether an SQL statement failed because an intermediate number was too large for the database. */
  exceeded(error: unknown): boolean;
  /** Returns whether any points of the category are stored. */
  has(category: CategoryName): boolean;
  /** Returns the stored keys of a category, as `Engine.keys` does. */
  keys(category: CategoryName, names?: readonly string[]): Promise<readonly StoredKey[]>;
  labels(category: "object" | "custom_object"): Promise<readonly ObjectLabels[]>;
}

/** Largest number of rows that are read from the database for a computation in JavaScript. */
const maxRows = 2_000_000;

/**
 * Makes a query engine over an SQL database.
 *
 * @example
 * const engine = sqlEngine({ ...tables, name: "DuckDB", run: (statement) => connection.rows(inlined(statement, duckdb)) });
 * await runQuery(plainQuery("M::cpu:(last(load)) BY host"), engine, { now: Date.now() });
 */
export function sqlEngine(database: Database): Engine {
  const { catalog } = database;
  return {
    name: database.name,
    answer: async (query, scope) => {
      if (!database.has(query.namespace.category)) return evaluate(query, [], scope);
      const groups = await computed(query, database, scope.work);
      if (groups !== null) {
        return finished(query, groups.series, groups.total, scope);
      }
      return isNewestRows(query, catalog)
        ? await newestRows(query, database, scope)
        : await allRows(query, database, scope);
    },
    keys: (category, names) => database.keys(category, names),
    rows: async (category, { names, work }) => {
      if (!database.has(category)) return [];
      const namespace = namespaceOf(category)!;
      const reader = rowReader(namespace, catalog, {
        keys: null,
        name: undefined,
        names: names.length === 0 ? undefined : names,
      });
      const list = joined(
        names.map((name) => sql`${name}`),
        ", ",
      );
      const some = names.length === 0 ? [] : [sql`${raw(fixed.name)} IN (${list})`];
      const statement = sql`${reader.select} ${fromTable(catalog, category, some)} LIMIT ${count(maxRows + 1)}`;
      return read(await database.run(statement), reader, work, "name measurements in from");
    },
    labels: (category) => database.labels(category),
    explain: async (query) => {
      const groups = aggregatePlan(query, catalog);
      if (groups !== null) return { way: "groups", statement: inlined(groups.statement) };
      const newest = isNewestRows(query, catalog) ? rowsWanted(query) : null;
      const { statement } = rowsStatement(query, catalog, newest);
      return { way: newest === null ? "rows" : "page", statement: inlined(statement) };
    },
  };
}

/**
 * Returns SQL for a number of rows. The number is written into the statement and not bound as a parameter,
 * because databases use this number to plan the statement before they run it.
 */
function count(rows: number): Fragment {
  return raw(String(rows));
}

/**
 * Lets the database compute the groups. Returns null when the answer of the database would differ from an answer
 * computed in JavaScript, or when an intermediate number is too large for the database. JavaScript then computes the
 * groups from rows.
 */
async function computed(
  query: ResolvedQuery,
  database: Database,
  work: StepBudget = unlimited,
): Promise<{ readonly series: OutputSeries[]; readonly total: number } | null> {
  const isTooLarge = (value: unknown) => typeof value === "number" && !Number.isFinite(value);
  try {
    for (const by of ["values", "texts"] as const) {
      const plan = aggregatePlan(query, database.catalog, by);
      if (plan === null) return null;
      const rows = await database.run(plan.statement);
      for (const row of countSteps(rows, work)) if (row.some(isTooLarge)) return null;
      const series = plan.series(rows, work);
      if (series !== null) return { series, total: plan.total(rows, work) };
    }
    throw new Error("groups by the texts of their keys come apart");
  } catch (error) {
    if (database.exceeded(error)) return null;
    throw error;
  }
}

/**
 * Returns whether the engine needs to read only the first rows in the order of the query. This is so when the
 * answer depends on no other rows, and SQL can express all conditions of the query.
 */
function isNewestRows(query: ResolvedQuery, catalog: Catalog): boolean {
  const { by, having, link, interval, rollup, orderBy, sorderBy, splitSeries, namespace, columns, limit } = query;
  return (
    shapeOf(query) === "raw" &&
    by.length === 0 &&
    having === null &&
    link === null &&
    interval === 0 &&
    rollup === null &&
    (orderBy.length === 0 || (namespace.category !== "metric" && orderSql(query, catalog) !== null)) &&
    sorderBy.length === 0 &&
    !splitSeries &&
    Number.isFinite(limit) &&
    // For metrics, JavaScript drops the returned rows that have none of the query's columns. If the database limited
    // the number of rows, too few rows could remain, so the database must not limit it.
    (namespace.category !== "metric" || columns.length === 0) &&
    (!isFurtherPage(query) || afterSql(query, catalog) !== null) &&
    selectionOf(query, catalog).exact
  );
}

function isFurtherPage(query: ResolvedQuery): boolean {
  return isPaged(query) && (query.searchAfter?.length ?? 0) > 0;
}

function rowsStatement(query: ResolvedQuery, catalog: Catalog, newest: number | null) {
  const reader = rowReader(query.namespace, catalog, {
    keys: keysRead(query),
    name: onlyName(query),
    names: pointNames(query),
  });
  const { from } = selectionOf(query, catalog);
  if (newest === null) {
    const statement = sql`${reader.select} ${from}${newestStates(query, catalog)} LIMIT ${count(maxRows + 1)}`;
    return { statement, reader };
  }
  const order = orderSql(query, catalog)!;
  const after = isFurtherPage(query) ? sql` AND ${afterSql(query, catalog)!}` : raw("");
  // For metrics, the statement reads the newest rows of each measurement. The SQL function rank() numbers them,
  // and it gives rows with the same time the same number. So the statement also reads further rows that have the
  // same time as the last of the newest rows.
  const rank =
    query.namespace.category === "metric"
      ? raw(`rank() OVER (PARTITION BY ${fixed.name} ORDER BY ${fixed.time} DESC)`)
      : null;
  const statement =
    rank === null
      ? sql`${reader.select} ${from}${after} ${order} LIMIT ${count(newest)}`
      : sql`${reader.select} ${from} QUALIFY ${rank} <= ${count(newest)}`;
  return { statement, reader };
}

/**
 * Returns the SQL clause that selects only the newest state of each object; empty when a query does not need
 * this clause. A row without an object name is always selected, as if it were an object of its own.
 */
function newestStates(query: ResolvedQuery, catalog: Catalog): Fragment {
  if (query.namespace.rows !== "newest object") return raw("");
  const key = keySql({ type: "col", name: "name", at: 0 }, query, catalog);
  if (key === null) return raw("");
  const newest = raw(`${fixed.time} DESC, ${fixed.sequence} DESC`);
  const rank = sql`row_number() OVER (PARTITION BY ${raw(fixed.name)}, ${key} ORDER BY ${newest})`;
  return sql` QUALIFY ${key} = '' OR ${rank} = 1`;
}

/**
 * Returns the number of rows to read. When the query has a default limit, this is one row more than the answer
 * has: the additional row shows that the limit cut off rows, and that the answer needs a warning.
 */
function rowsWanted({ offset, limit, isDefaultLimit }: ResolvedQuery): number {
  return offset + limit + (isDefaultLimit ? 1 : 0);
}

async function newestRows(query: ResolvedQuery, database: Database, scope: EvaluationScope): Promise<Answer> {
  const { statement, reader } = rowsStatement(query, database.catalog, rowsWanted(query));
  const rows = await database.run(statement);
  const answer = evaluate(query, read(rows, reader, scope.work), scope);
  const isMetric = query.namespace.category === "metric";
  // When the database returns fewer rows than requested, the query has no further rows.
  const isAll = !isFurtherPage(query) && rows.length < rowsWanted(query);
  return isMetric || isAll ? answer : { ...answer, totalHits: await countOf(query, database) };
}

async function allRows(query: ResolvedQuery, database: Database, scope: EvaluationScope): Promise<Answer> {
  const { statement, reader } = rowsStatement(query, database.catalog, null);
  const rows = await database.run(statement);
  return evaluate(query, read(rows, reader, scope.work), scope);
}

function read(
  rows: readonly ResultRow[],
  reader: RowReader,
  work: StepBudget = unlimited,
  advice = "narrow its time range or filter",
): Row[] {
  if (rows.length > maxRows) throw new DqlError(reasonText("tooManyPoints", maxRows, advice));
  return rows.map((row) => {
    work(1);
    return reader.read(row);
  });
}

async function countOf(query: ResolvedQuery, { catalog, run }: Database): Promise<number> {
  const [row] = await run(sql`SELECT count(*) ${selectionOf(query, catalog).from}`);
  return Number(row?.[0] ?? 0);
}
