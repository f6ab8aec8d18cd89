// The worker thread of the metadata database. A thread of its own is needed because the SQLite library (libsql)
// is synchronous. The thread has one connection to the database; other processes, such as the command line, may
// have connections too.

import { parentPort, workerData } from "node:worker_threads";
import { Kysely, SqliteDialect, type SqliteStatement } from "kysely";
import Database from "libsql";
import { migrate } from "./migrations.ts";
import { createSqlStore, type SqlStore } from "./sql-store.ts";
import type { SqlTables } from "./sql-tables.ts";
import { type Answer, type Asked, type Question, readyId, type SqliteStart } from "./sqlite-protocol.ts";
import { StoreFailure } from "./store.ts";

/**
 * Maximum number of prepared SQL statements in the cache. The store has fewer different statements, so the limit
 * is only a safeguard.
 */
const statementsKept = 200;

const { file } = workerData as SqliteStart;
const database = new Database(file);
// When another connection holds a lock, an SQL statement waits for it at most this many milliseconds and then
// fails.
database.exec("PRAGMA busy_timeout = 10000");
database.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON");
const statements = new Map<string, SqliteStatement>();
const db = new Kysely<SqlTables>({
  dialect: new SqliteDialect({ database: { prepare: prepared, close: () => database.close() } }),
});

const store = await ready();
parentPort!.on("message", (asked: Asked) => void answer(asked));

async function ready(): Promise<SqlStore> {
  try {
    await migrate(db, "sqlite");
    send([{ id: readyId, kind: "done", result: undefined }]);
  } catch (error) {
    send([failed(readyId, error)]);
  }
  const codeOf = (error: unknown) => (error as { readonly code?: unknown }).code;
  return createSqlStore({
    kind: "sqlite",
    db,
    isDuplicate: (error) => codeOf(error) === "SQLITE_CONSTRAINT_UNIQUE",
    isRefusal: (error) => String(codeOf(error)).startsWith("SQLITE_"),
  });
}

async function answer(asked: Asked): Promise<void> {
  if (asked === "close") {
    await store.close();
    parentPort!.close();
  } else send(await Promise.all(asked.map(answerTo)));
}

async function answerTo({ id, operation, given }: Question): Promise<Answer> {
  try {
    const ask = store[operation] as (...given: readonly unknown[]) => Promise<unknown>;
    return { id, kind: "done", result: await ask(...given) };
  } catch (error) {
    return failed(id, error);
  }
}

function failed(id: number, error: unknown): Answer {
  const { message } = error as Error;
  return { id, kind: "failed", message, isRefusal: error instanceof StoreFailure };
}

function send(answers: readonly Answer[]): void {
  parentPort!.postMessage(answers);
}

/** Returns the prepared SQL statement from the cache, or prepares it. */
function prepared(text: string): SqliteStatement {
  let statement = statements.get(text);
  if (statement === undefined) {
    if (statements.size >= statementsKept) statements.clear();
    // In SQLite, a transaction that first reads and then writes fails if another process writes between the two. So
    // each transaction takes the write lock at its start.
    statement = database.prepare(text === "begin" ? "begin immediate" : text) as unknown as SqliteStatement;
    statements.set(text, statement);
  }
  return statement;
}
