// Opens the metadata database by its URL: SQLite in a file of the data folder or in memory, or PostgreSQL. What differs between the two
// is told here and in the dialect of SQLite, nowhere else.

import { mkdirSync } from "node:fs";
import path from "node:path";
import { Kysely, PostgresDialect, sql, type Transaction } from "kysely";
import pg from "pg";
import { migrate } from "./migrations.ts";
import { SqliteFailure, sqliteDialect } from "./sqlite-dialect.ts";
import type { Tables } from "./tables.ts";

export type DatabaseKind = "sqlite" | "postgres";

export interface Database {
  readonly kind: DatabaseKind;
  readonly db: Kysely<Tables>;
  close(): Promise<void>;
}

export interface DatabasePlace {
  /** `postgres://user:password@host/name`, `memory:` for SQLite that is gone with its process; empty = SQLite. */
  readonly url: string;
  /** Where the file of SQLite lies. */
  readonly folder: string;
}

/** The URL of a database that is gone with its process. */
export const inMemory = "memory:";

const file = "metadata.sqlite";
/** Names the lock that migrations hold in PostgreSQL; any number that nobody else uses. */
const migrationLock = 4_902_611_330;

/** Brings the tables up to date. Throws when the database cannot be used. */
export async function openDatabase({ url, folder }: DatabasePlace): Promise<Database> {
  const kind = url === "" || url === inMemory ? "sqlite" : "postgres";
  const db = kind === "postgres" ? postgres(url) : sqlite(url === inMemory ? ":memory:" : fileIn(folder));
  try {
    await migrate(db, kind, (transaction) => lockForMigration(transaction, kind));
  } catch (error) {
    await db.destroy();
    throw error;
  }
  return { kind, db, close: () => db.destroy() };
}

function sqlite(at: string): Kysely<Tables> {
  return new Kysely<Tables>({ dialect: sqliteDialect({ file: at }) });
}

function fileIn(folder: string): string {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  return path.join(folder, file);
}

function postgres(url: string): Kysely<Tables> {
  if (!/^postgres(?:ql)?:\/\//.test(url)) throw new Error("store.url: only postgres://... and memory: are known");
  const pool = new pg.Pool({
    connectionString: url,
    max: 10,
    // Counts, row ids and times are below 2^53.
    types: { getTypeParser: (oid, format) => (oid === 20 ? Number : pg.types.getTypeParser(oid, format)) },
  });
  // A connection that breaks while it is idle is replaced when it is needed; without a listener it would end the process.
  pool.on("error", () => {});
  return new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) });
}

/** SQLite's transactions have the database to themselves anyway. */
async function lockForMigration(transaction: Transaction<Tables>, kind: DatabaseKind): Promise<void> {
  if (kind === "postgres") await sql`select pg_advisory_xact_lock(${sql.lit(migrationLock)})`.execute(transaction);
}

/** A row would break a unique index. */
export function isDuplicate(error: unknown): boolean {
  const { code } = error as { readonly code?: unknown };
  return code === "SQLITE_CONSTRAINT_UNIQUE" || code === "23505";
}

/** The database has said that it does not do this. */
export function isStoreRefusal(error: unknown): boolean {
  return error instanceof SqliteFailure || error instanceof pg.DatabaseError;
}
