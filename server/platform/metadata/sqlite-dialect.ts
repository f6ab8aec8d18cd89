// SQLite for kysely, in a thread of its own, over one connection. Statements go there one behind the other, without waiting
// for answers; while a transaction is open only its own do.

import { Worker } from "node:worker_threads";
import {
  CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  type Kysely,
  type QueryResult,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from "kysely";
import type { SqliteAnswer, SqliteQuestion, SqliteStart, SqlValue } from "./sqlite-protocol.ts";

/** The database refuses: `code` such as `SQLITE_CONSTRAINT_UNIQUE`. */
export class SqliteFailure extends Error {
  readonly code: string;

  constructor(message: string, code: string) {
    super(message);
    this.code = code;
  }
}

export function sqliteDialect(start: SqliteStart): Dialect {
  return {
    createAdapter: () => new SqliteAdapter(),
    createDriver: () => new WorkerDriver(start),
    createQueryCompiler: () => new SqliteQueryCompiler(),
    createIntrospector: (db: Kysely<unknown>) => new SqliteIntrospector(db),
  };
}

/** Resolves when the transaction that is open ends; undefined while none is. */
interface OpenTransaction {
  ends: Promise<void> | undefined;
}

type Ask = (sql: string, parameters: readonly SqlValue[]) => Promise<SqliteAnswer>;

class WorkerDriver implements Driver {
  private readonly start: SqliteStart;
  private worker: Worker | undefined;
  private ask: Ask | undefined;
  private readonly now: OpenTransaction = { ends: undefined };
  private end: () => void = () => {};

  constructor(start: SqliteStart) {
    this.start = start;
  }

  async init(): Promise<void> {
    this.worker = new Worker(new URL("./sqlite-worker.js", import.meta.url), { workerData: this.start });
    const { ask, ready } = questions(this.worker);
    this.ask = ask;
    await ready;
  }

  async acquireConnection(): Promise<WorkerConnection> {
    return new WorkerConnection(this.ask!, this.now);
  }

  async releaseConnection(): Promise<void> {}

  /** Immediate: one that reads first and writes then could not go on beside that of another process. */
  async beginTransaction(connection: WorkerConnection): Promise<void> {
    while (this.now.ends !== undefined) await this.now.ends;
    this.now.ends = new Promise((resolve) => {
      this.end = resolve;
    });
    connection.isInTransaction = true;
    try {
      await connection.executeQuery(CompiledQuery.raw("begin immediate"));
    } catch (error) {
      this.endTransaction(connection);
      throw error;
    }
  }

  /** When it fails, kysely rolls the transaction back. */
  async commitTransaction(connection: WorkerConnection): Promise<void> {
    await connection.executeQuery(CompiledQuery.raw("commit"));
    this.endTransaction(connection);
  }

  async rollbackTransaction(connection: WorkerConnection): Promise<void> {
    try {
      await connection.executeQuery(CompiledQuery.raw("rollback"));
    } finally {
      this.endTransaction(connection);
    }
  }

  async destroy(): Promise<void> {
    const { worker } = this;
    if (worker === undefined) return;
    const ended = new Promise((resolve) => worker.once("exit", resolve));
    worker.postMessage("close");
    await ended;
  }

  private endTransaction(connection: WorkerConnection): void {
    connection.isInTransaction = false;
    this.now.ends = undefined;
    this.end();
  }
}

function questions(worker: Worker): { readonly ask: Ask; readonly ready: Promise<SqliteAnswer> } {
  const waiting = new Map<number, { resolve(answer: SqliteAnswer): void; reject(error: Error): void }>();
  let last = 0;
  let dead: Error | undefined;
  const fail = (error: Error) => {
    dead ??= error;
    for (const { reject } of waiting.values()) reject(dead);
    waiting.clear();
  };
  const ready = new Promise<SqliteAnswer>((resolve, reject) => waiting.set(0, { resolve, reject }));
  worker.on("message", (answer: SqliteAnswer) => {
    waiting.get(answer.id)?.resolve(answer);
    waiting.delete(answer.id);
  });
  worker.on("error", fail);
  worker.on("exit", (code) => fail(new Error(`the metadata store ended with ${code}`)));
  return {
    ready,
    ask: (sql, parameters) =>
      new Promise((resolve, reject) => {
        if (dead !== undefined) return reject(dead);
        const id = ++last;
        waiting.set(id, { resolve, reject });
        worker.postMessage({ id, sql, parameters } satisfies SqliteQuestion);
      }),
  };
}

class WorkerConnection implements DatabaseConnection {
  isInTransaction = false;
  private readonly ask: Ask;
  private readonly now: OpenTransaction;

  constructor(ask: Ask, now: OpenTransaction) {
    this.ask = ask;
    this.now = now;
  }

  async executeQuery<Row>({ sql, parameters }: CompiledQuery): Promise<QueryResult<Row>> {
    // Nothing may come between the last look and the question.
    while (!this.isInTransaction && this.now.ends !== undefined) await this.now.ends;
    const answer = await this.ask(sql, parameters as readonly SqlValue[]);
    switch (answer.kind) {
      case "rows":
        return { rows: answer.rows as unknown as Row[] };
      case "done":
        return { rows: [], numAffectedRows: BigInt(answer.changes) };
      case "failed":
        throw new SqliteFailure(answer.message, answer.code);
    }
  }

  // biome-ignore lint/correctness/useYield: the interface asks for a generator.
  async *streamQuery<Row>(): AsyncIterableIterator<QueryResult<Row>> {
    throw new Error("rows of the metadata store come all at once");
  }
}
