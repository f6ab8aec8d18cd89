// The thread of the metadata database: libsql is synchronous. One connection; other processes (the command line) may have theirs.

import { parentPort, workerData } from "node:worker_threads";
import Database from "libsql";
import type { SqliteAnswer, SqliteQuestion, SqliteStart, SqlValue } from "./sqlite-protocol.ts";

interface Statement {
  readonly reader: boolean;
  all(parameters: readonly SqlValue[]): Readonly<Record<string, SqlValue>>[];
  run(parameters: readonly SqlValue[]): { readonly changes: number };
}

/** Statements of kysely differ in few ways; those kept are bounded all the same. */
const statementsKept = 200;

const { file } = workerData as SqliteStart;
const database = new Database(file);
// Another connection waits for at most this long, then is told that the database is locked.
database.exec("PRAGMA busy_timeout = 10000");
database.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON");
const statements = new Map<string, Statement>();

parentPort!.on("message", (question: SqliteQuestion | "close") => {
  if (question === "close") {
    database.close();
    parentPort!.close();
  } else parentPort!.postMessage(answerTo(question));
});
parentPort!.postMessage({ id: 0, kind: "done", changes: 0 } satisfies SqliteAnswer);

function answerTo({ id, sql, parameters }: SqliteQuestion): SqliteAnswer {
  try {
    const statement = prepared(sql);
    if (statement.reader) return { id, kind: "rows", rows: statement.all(parameters) };
    return { id, kind: "done", changes: statement.run(parameters).changes };
  } catch (error) {
    const { message, code = "" } = error as Error & { readonly code?: string };
    return { id, kind: "failed", message, code };
  }
}

function prepared(sql: string): Statement {
  let statement = statements.get(sql);
  if (statement === undefined) {
    if (statements.size >= statementsKept) statements.clear();
    statement = database.prepare(sql) as unknown as Statement;
    statements.set(sql, statement);
  }
  return statement;
}
