// Opens the metadata store, which contains workspaces, API keys, dashboards and pipelines. The store's URL says
// where it is: in an SQLite file in the data folder, in PostgreSQL, or only in memory.

import path from "node:path";
import { Kysely, PostgresDialect } from "kysely";
import pg from "pg";
import { makePrivateFile, makePrivateFolder } from "../../queue/private-files.ts";
import { createMemoryStore } from "./memory-store.ts";
import { createMetadata, type Metadata } from "./metadata.ts";
import { migrate } from "./migrations.ts";
import { unpackedPage } from "./packed-record.ts";
import { createSqlStore } from "./sql-store.ts";
import type { SqlTables } from "./sql-tables.ts";
import { openSqliteStore } from "./sqlite-store.ts";
import type { MetadataStore } from "./store.ts";

export interface MetadataPlace {
  /**
   * The URL of the database: `postgres://user:password@host/name`; or `memory:` for a store in memory, whose data
   * is lost when the process ends; or an empty string for SQLite.
   */
  readonly url: string;
  /** The folder in which the SQLite file is stored. */
  readonly folder: string;
  /** Returns the current time in milliseconds since 1970. */
  readonly now?: () => number;
}

/** The URL of a metadata store in memory, whose data is lost when the process ends. */
export const inMemory = "memory:";

/** The name of the SQLite file. */
export const sqliteFile = "metadata.sqlite";

/** Opens the metadata store, and creates or migrates its tables. Throws when the database cannot be used. */
export async function openMetadata({ url, folder, now = Date.now }: MetadataPlace): Promise<Metadata> {
  return createMetadata(await openStore(url, folder), now);
}

/** Opens the store for table rows, which is the lower layer of the metadata store. */
export async function openStore(url: string, folder: string): Promise<MetadataStore> {
  if (url === inMemory) return createMemoryStore();
  if (url !== "") return await openPostgresStore(url);
  makePrivateFolder(folder);
  const file = path.join(folder, sqliteFile);
  makePrivateFile(file);
  return await openSqliteStore(file);
}

async function openPostgresStore(url: string): Promise<MetadataStore> {
  if (!/^postgres(?:ql)?:\/\//.test(url)) throw new Error("store.url: only postgres://... and memory: are known");
  const pool = new pg.Pool({
    connectionString: url,
    max: 10,
    // PostgreSQL returns bigint as text. Counts, row ids and times are below 2^53, so they are converted to numbers.
    types: { getTypeParser: (oid, format) => (oid === 20 ? Number : pg.types.getTypeParser(oid, format)) },
  });
  // PostgreSQL's connection pool replaces a connection that breaks while it is idle, and emits an error event.
  // Without this listener, the event would end the process.
  pool.on("error", () => {});
  const db = new Kysely<SqlTables>({ dialect: new PostgresDialect({ pool }) });
  try {
    await migrate(db, "postgres");
  } catch (error) {
    await db.destroy();
    throw error;
  }
  const { listPacked, ...store } = createSqlStore({
    kind: "postgres",
    db,
    isDuplicate: (error) => (error as { readonly code?: unknown }).code === "23505",
    isRefusal: (error) => error instanceof pg.DatabaseError,
  });
  return {
    ...store,
    listRecords: async (question) => unpackedPage(await listPacked(question)),
    revision: () => undefined,
  };
}
