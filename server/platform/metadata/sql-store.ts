// Stores the metadata in an SQL database, through the query builder kysely. Each SQL statement is built and
// compiled once and then cached; statements that differ only in their values share one cache entry.

import { type CompiledQuery, type Kysely, type RawBuilder, sql } from "kysely";
import { packed } from "./packed-record.ts";
import type { DatabaseKind, SqlTables } from "./sql-tables.ts";
import {
  type AuditQuestion,
  type MetadataStore,
  type RecordQuestion,
  type RowPage,
  type Step,
  StoreFailure,
  type TableName,
  type Written,
} from "./store.ts";
import type { AuditRow, Tables } from "./tables.ts";

export interface SqlParts {
  readonly kind: DatabaseKind;
  readonly db: Kysely<SqlTables>;
  /** Returns whether a database error means that a row would violate a unique index. */
  isDuplicate(error: unknown): boolean;
  /**
   * Returns whether a database error means that the database cannot work now, for example because it is full or
   * locked.
   */
  isRefusal(error: unknown): boolean;
}

/**
 * The metadata store inside SQLite's worker thread. Its method `listPacked` returns each record as one string
 * (packed-record.ts), which is faster than returning a separate value for each of the eleven columns.
 */
export interface SqlStore extends Omit<MetadataStore, "listRecords" | "revision"> {
  listPacked(question: RecordQuestion): Promise<RowPage<string>>;
}

export function createSqlStore(parts: SqlParts): SqlStore {
  const { kind, db } = parts;
  const statements = new Statements(parts);
  const run = statements.on(db);
  return {
    kind,
    find: (table, where) => findRows(run, table, where),
    listPacked: (question) => listPacked(kind, run, question),
    listAudit: (question) => listAudit(run, question),
    write: (steps) => writeSteps(parts, statements, steps),
    forget: async (table, beforeMs) => {
      await run(`forget ${table}`, [beforeMs], ([before]) => {
        return sql`delete from ${sql.table(table)} where at < ${before}`;
      });
    },
    close: () => db.destroy(),
  };
}

type Value = string | number | null;

/**
 * A placeholder in an SQL statement while the statement is compiled. `at`: the index of the value that replaces
 * it.
 */
class Slot {
  readonly at: number;

  constructor(at: number) {
    this.at = at;
  }
}

/**
 * Runs an SQL statement with the given values. `shape` identifies the statement in the cache of compiled
 * statements. If the statement is not in the cache, `build` builds it with a placeholder for each value.
 */
type Run = <Row>(
  shape: string,
  values: readonly Value[],
  build: (slots: readonly RawBuilder<unknown>[]) => RawBuilder<unknown>,
) => Promise<readonly Row[]>;

/** Maximum number of compiled SQL statements in the cache. The store uses fewer distinct statements. */
const statementsKept = 200;
/** An SQL statement with more bound values than this is not cached. */
const valuesOfKept = 64;

/** Compiles SQL statements, caches them, and runs them. */
class Statements {
  private readonly parts: SqlParts;
  private readonly compiled = new Map<string, CompiledQuery>();

  constructor(parts: SqlParts) {
    this.parts = parts;
  }

  /** Returns a function that runs SQL statements on `database`, which is the database itself or a transaction. */
  on(database: Pick<Kysely<SqlTables>, "executeQuery">): Run {
    return async <Row>(...[shape, values, build]: Parameters<Run>) => {
      const statement = this.statementOf(shape, values, build);
      const parameters = statement.parameters.map((each) => (each instanceof Slot ? values[each.at] : each));
      try {
        const { rows } = await database.executeQuery({ ...statement, parameters });
        return rows as readonly Row[];
      } catch (error) {
        const { isRefusal, isDuplicate } = this.parts;
        throw isRefusal(error) && !isDuplicate(error) ? new StoreFailure((error as Error).message) : error;
      }
    };
  }

  private statementOf(...[shape, values, build]: Parameters<Run>): CompiledQuery {
    const known = this.compiled.get(shape);
    if (known !== undefined) return known;
    const statement = build(values.map((_, at) => sql`${new Slot(at)}`)).compile(this.parts.db);
    if (this.compiled.size >= statementsKept) this.compiled.clear();
    if (values.length <= valuesOfKept) this.compiled.set(shape, statement);
    return statement;
  }
}

async function findRows<T extends TableName>(run: Run, table: T, where: object): Promise<readonly Tables[T][]> {
  const { shape, values, text } = conditions(where);
  if (values.length === 0 && shape !== "") return [];
  return await run<Tables[T]>(`find ${table} ${shape}`, values, (of) => {
    const order = tablesWithId.has(table) ? sql`order by id` : sql``;
    return sql`select * from ${sql.table(table)} where ${text(of)} ${order}`;
  });
}

async function listAudit(run: Run, { workspace, uuid, limit, offset }: AuditQuestion): Promise<RowPage<AuditRow>> {
  const where = conditions(uuid === undefined ? { workspace } : { workspace, uuid });
  const [[counted], rows] = await Promise.all([
    run<{ count: number }>(`count audit ${where.shape}`, where.values, (of) => {
      return sql`select count(*) as count from audit where ${where.text(of)}`;
    }),
    run<AuditRow>(`list audit ${where.shape}`, [...where.values, limit, offset], (of) => {
      const [most, from] = of.slice(-2);
      return sql`select * from audit where ${where.text(of)} order by id desc limit ${most} offset ${from}`;
    }),
  ]);
  return { rows, totalCount: counted!.count };
}

/**
 * Performs all steps (inserts, updates and deletions) of a write in one transaction; if one step fails, none
 * takes effect.
 */
async function writeSteps(
  { db, isDuplicate, isRefusal }: SqlParts,
  statements: Statements,
  steps: readonly Step[],
): Promise<Written> {
  const ids: (readonly number[])[] = [];
  try {
    await db.transaction().execute(async (transaction) => {
      const run = statements.on(transaction);
      for (const step of steps) ids.push(await writeStep(run, step, ids));
    });
    return { done: true, ids };
  } catch (error) {
    if (error instanceof Absent) return { done: false, at: ids.length, why: "absent" };
    if (isDuplicate(error)) return { done: false, at: ids.length, why: "duplicate" };
    throw isRefusal(error) ? new StoreFailure((error as Error).message) : error;
  }
}

/**
 * Performs one step (an insert, an update or a deletion) of a write. Returns the ids of the rows that the step
 * has inserted. `made`: the ids of the rows that each earlier step of the same write has inserted.
 */
async function writeStep(run: Run, step: Step, made: readonly (readonly number[])[]): Promise<readonly number[]> {
  if ("insert" in step) return await insertRows(run, step, made);
  if ("update" in step) await updateRow(run, step);
  else await deleteRows(run, step);
  return [];
}

async function insertRows(
  run: Run,
  { insert, rows, of: owning }: Extract<Step, { readonly insert: unknown }>,
  made: readonly (readonly number[])[],
): Promise<readonly number[]> {
  if (rows.length === 0) return [];
  const owner = owning === undefined ? {} : { record_id: made[owning]![0] };
  const owned = rows.map((row) => ({ ...row, ...owner }) as unknown as Readonly<Record<string, Value>>);
  const columns = Object.keys(owned[0]!);
  const values = owned.flatMap((row) => columns.map((column) => row[column]!));
  const inserted = await run<{ id: number }>(`insert ${insert} ${rows.length} ${columns}`, values, (of) => {
    const lines = rows.map((_, at) => sql`(${sql.join(of.slice(at * columns.length, (at + 1) * columns.length))})`);
    const into = sql`insert into ${sql.table(insert)} (${sql.join(columns.map(sql.ref))})`;
    return sql`${into} values ${sql.join(lines)} ${tablesWithId.has(insert) ? sql`returning id` : sql``}`;
  });
  return inserted.map(({ id }) => id);
}

/** Updates a row. Throws Absent when no row matches, or more than one. */
async function updateRow(run: Run, step: Extract<Step, { readonly update: unknown }>): Promise<void> {
  const where = conditions(step.where);
  const set = Object.entries(step.set as Readonly<Record<string, Value>>);
  const columns = set.map(([column]) => column);
  const values = [...set.map(([, value]) => value), ...where.values];
  const updated = await run(`update ${step.update} ${columns} ${where.shape}`, values, (of) => {
    const assigned = columns.map((column, at) => sql`${sql.ref(column)} = ${of[at]!}`);
    const found = where.text(of.slice(columns.length));
    return sql`update ${sql.table(step.update)} set ${sql.join(assigned)} where ${found} returning 1 as one`;
  });
  if (updated.length !== 1) throw new Absent();
}

/**
 * Deletes rows. Throws Absent when no row matches, but only if the step requires that a row exists
 * (`mustBeThere`).
 */
async function deleteRows(run: Run, step: Extract<Step, { readonly delete: unknown }>): Promise<void> {
  const where = conditions(step.where);
  const deleted = await run(`delete ${step.delete} ${where.shape}`, where.values, (of) => {
    return sql`delete from ${sql.table(step.delete)} where ${where.text(of)} returning 1 as one`;
  });
  if (step.mustBeThere === true && deleted.length === 0) throw new Absent();
}

/** Thrown when an update or a deletion has matched no row. */
class Absent extends Error {}

const tablesWithId: ReadonlySet<TableName> = new Set(["workspaces", "keys", "records", "audit", "replays"]);

interface Conditions {
  readonly shape: string;
  readonly values: readonly Value[];
  text(slots: readonly RawBuilder<unknown>[]): RawBuilder<unknown>;
}

function conditions(where: object): Conditions {
  const each = Object.entries(where as Readonly<Record<string, Value | readonly Value[]>>);
  const lengths = each.map(([column, value]) => [column, Array.isArray(value) ? value.length : undefined] as const);
  return {
    shape: lengths.map(([column, length]) => `${column}${length ?? ""}`).join(),
    values: each.flatMap(([, value]) => value),
    text: (slots) => {
      let at = 0;
      const texts = lengths.map(([column, length]) => {
        if (length === undefined) return sql`${sql.ref(column)} = ${slots[at++]!}`;
        if (length === 0) return sql`1 = 0`;
        return sql`${sql.ref(column)} in (${sql.join(slots.slice(at, (at += length)))})`;
      });
      return texts.length === 0 ? sql`1 = 1` : sql.join(texts, sql` and `);
    },
  };
}

interface PackedRow {
  readonly packed: string;
}

/**
 * A page at this offset or a larger one is read backwards from the end of the list, if the page is nearer to the
 * end of the list than to the beginning.
 */
const farOffset = 1000;

async function listPacked(kindOf: DatabaseKind, run: Run, question: RecordQuestion): Promise<RowPage<string>> {
  const contains = sql.raw(kindOf === "sqlite" ? "instr" : "strpos");
  if (question.search !== "" || question.anyTerm.length > 0) return await listFound(contains, run, question);
  const { workspace, kind, limit, offset } = question;
  const own = [workspace, kind];
  const count = async () => {
    const [row] = await run<{ count: number }>("count records", own, ([of, which]) => {
      return sql`select count from record_counts where workspace = ${of} and kind = ${which}`;
    });
    return row?.count ?? 0;
  };
  const page = (most: number, from: number, order: "asc" | "desc") =>
    run<PackedRow>(`list records ${order}`, [...own, most, from], ([of, which, many, first]) => {
      const by = sql.raw(`update_at ${order}, id ${order}`);
      return sql`select ${packed} as packed from records where workspace = ${of} and kind = ${which}
        order by ${by} limit ${many} offset ${first}`;
    });
  if (offset < farOffset) {
    const [totalCount, rows] = await Promise.all([count(), page(limit, offset, "desc")]);
    return { rows: rows.map((row) => row.packed), totalCount };
  }
  const totalCount = await count();
  const after = totalCount - offset - limit;
  if (offset >= totalCount) return { rows: [], totalCount };
  if (offset <= after) return { rows: (await page(limit, offset, "desc")).map((row) => row.packed), totalCount };
  const rows = await page(Math.min(limit, totalCount - offset), Math.max(0, after), "asc");
  return { rows: rows.map((row) => row.packed).reverse(), totalCount };
}

/**
 * Lists the records that match a search or a filter. A single scan of the table finds both the page and the
 * total count.
 */
async function listFound(contains: RawBuilder<unknown>, run: Run, question: RecordQuestion): Promise<RowPage<string>> {
  const { workspace, kind, search, anyTerm, limit, offset } = question;
  const values = [workspace, kind, ...(search === "" ? [] : [search]), ...anyTerm];
  const shape = `${search === ""} ${anyTerm.length}`;
  const found = ([of, which, ...more]: readonly RawBuilder<unknown>[]) => {
    const terms = search === "" ? more : more.slice(1);
    const name = search === "" ? sql`` : sql`and ${contains} (folded_name, ${more[0]!}) > 0`;
    const term =
      anyTerm.length === 0
        ? sql``
        : sql`and id in (select record_id from record_terms where term in (${sql.join(terms.slice(0, anyTerm.length))}))`;
    return sql`from records where workspace = ${of} and kind = ${which} ${name} ${term}`;
  };
  const rows = await run<PackedRow & { readonly total: number }>(`find ${shape}`, [...values, limit, offset], (of) => {
    const [most, first] = of.slice(-2);
    const matching = sql`select id as found_id, update_at as found_at, count(*) over () as total ${found(of.slice(0, -2))}
      order by update_at desc, id desc limit ${most} offset ${first}`;
    return sql`select ${packed} as packed, total from (${matching}) as matching join records on records.id = found_id
      order by found_at desc, found_id desc`;
  });
  if (rows.length > 0 || offset === 0) return { rows: rows.map((row) => row.packed), totalCount: rows[0]?.total ?? 0 };
  const [counted] = await run<{ count: number }>(`count ${shape}`, values, (of) => {
    return sql`select count(*) as count ${found(of)}`;
  });
  return { rows: [], totalCount: counted!.count };
}
