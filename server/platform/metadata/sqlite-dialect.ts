// SQLite for kysely, in a thread of its own. There is one connection; whoever has it keeps it for a transaction.

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

type Ask = (sql: string, parameters: readonly SqlValue[]) => Promise<SqliteAnswer>;

class WorkerDriver implements Driver {
  private readonly start: SqliteStart;
  private worker: Worker | undefined;
  private connection: WorkerConnection | undefined;
  /** Resolves when the connection is free; each that waits puts its own behind it. */
  private free: Promise<void> = Promise.resolve();
  private readonly releases: (() => void)[] = [];

  constructor(start: SqliteStart) {
    this.start = start;
  }

  async init(): Promise<void> {
    this.worker = new Worker(new URL("./sqlite-worker.js", import.meta.url), { workerData: this.start });
    const { ask, ready } = questions(this.worker);
    this.connection = new WorkerConnection(ask);
    await ready;
  }

  async acquireConnection(): Promise<DatabaseConnection> {
    const before = this.free;
    this.free = new Promise((resolve) => this.releases.push(resolve));
    await before;
    return this.connection!;
  }

  async releaseConnection(): Promise<void> {
    this.releases.shift()!();
  }

  /** Immediate: one that reads first and writes then could not go on beside another. */
  async beginTransaction(connection: DatabaseConnection): Promise<void> {
    await connection.executeQuery(CompiledQuery.raw("begin immediate"));
  }

  async commitTransaction(connection: DatabaseConnection): Promise<void> {
    await connection.executeQuery(CompiledQuery.raw("commit"));
  }

  async rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    await connection.executeQuery(CompiledQuery.raw("rollback"));
  }

  async destroy(): Promise<void> {
    const { worker } = this;
    if (worker === undefined) return;
    const ended = new Promise((resolve) => worker.once("exit", resolve));
    worker.postMessage("close");
    await ended;
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
  private readonly ask: Ask;

  constructor(ask: Ask) {
    this.ask = ask;
  }

  async executeQuery<Row>({ sql, parameters }: CompiledQuery): Promise<QueryResult<Row>> {
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
