// Stores the metadata in an SQLite file, which a worker thread reads and writes. For each operation, one message
// is sent to the worker thread and one back, no matter how many SQL statements the operation needs.

import { Worker } from "node:worker_threads";
import Database from "libsql";
import { unpackedPage } from "./packed-record.ts";
import type { SqlStore } from "./sql-store.ts";
import { type Answer, type Operation, type Question, readyId, type SqliteStart } from "./sqlite-protocol.ts";
import { type MetadataStore, StoreFailure } from "./store.ts";

interface Waiting {
  resolve(result: unknown): void;
  reject(error: Error): void;
}

/** Opens the metadata store in an SQLite file. Throws when the database cannot be used. */
export async function openSqliteStore(file: string): Promise<MetadataStore> {
  const start: SqliteStart = { file };
  const worker = new Worker(new URL("./sqlite-worker.js", import.meta.url), { workerData: start });
  const { ask, ready, close } = questions(worker);
  try {
    await ready;
  } catch (error) {
    await close();
    throw error;
  }
  const { revision, end } = revisionOf(file);
  return {
    kind: "sqlite",
    find: (...given) => ask("find", given) as ReturnType<MetadataStore["find"]> as Promise<never>,
    listRecords: async (...given) => unpackedPage((await ask("listPacked", given)) as Listed),
    listAudit: (...given) => ask("listAudit", given) as ReturnType<SqlStore["listAudit"]>,
    write: (...given) => ask("write", given) as ReturnType<SqlStore["write"]>,
    forget: (...given) => ask("forget", given) as ReturnType<SqlStore["forget"]>,
    revision,
    close: () => {
      end();
      return close();
    },
  };
}

type Listed = Awaited<ReturnType<SqlStore["listPacked"]>>;

/**
 * Returns a function `revision`. Its result is a number that changes after any connection of any process has
 * written to the database. `revision` has its own connection, which never writes; a call reads only a few bytes
 * of shared memory.
 */
function revisionOf(file: string): { readonly revision: () => number; readonly end: () => void } {
  const database = new Database(file, { readonly: true });
  const statement = database.prepare("PRAGMA data_version");
  return {
    revision: () => (statement.get() as { readonly data_version: number }).data_version,
    end: () => database.close(),
  };
}

function questions(worker: Worker) {
  const waiting = new Map<number, Waiting>();
  let last = readyId;
  let together: Question[] = [];
  let dead: Error | undefined;
  const fail = (error: Error) => {
    dead ??= error;
    for (const { reject } of waiting.values()) reject(dead);
    waiting.clear();
  };
  const ready = new Promise((resolve, reject) => waiting.set(readyId, { resolve, reject }));
  worker.on("message", (answers: readonly Answer[]) => {
    for (const answer of answers) {
      const asked = waiting.get(answer.id);
      waiting.delete(answer.id);
      if (answer.kind === "done") asked?.resolve(answer.result);
      else asked?.reject(new (answer.isRefusal ? StoreFailure : Error)(answer.message));
    }
  });
  worker.on("error", fail);
  worker.on("exit", (code) => fail(new Error(`the metadata store ended with ${code}`)));
  const send = () => {
    worker.postMessage(together);
    together = [];
  };
  return {
    ready,
    ask: (operation: Operation, given: readonly unknown[]) =>
      new Promise<unknown>((resolve, reject) => {
        if (dead !== undefined) return reject(dead);
        const id = ++last;
        waiting.set(id, { resolve, reject });
        // Operations that are requested within one turn of the event loop are sent as one message.
        if (together.push({ id, operation, given }) === 1) setImmediate(send);
      }),
    close: async () => {
      const ended = new Promise((resolve) => worker.once("exit", resolve));
      worker.postMessage("close");
      await ended;
    },
  };
}
