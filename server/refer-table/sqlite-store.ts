// Stores reference tables in SQLite, on disk or in the memory of the process, with a new database for each load. The
// current database is never written to. When all tables are written, the new database replaces the current one.

import { createHash, randomUUID } from "node:crypto";
import { closeSync, fsyncSync, openSync, readdirSync, renameSync, rmSync } from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { makePrivateFile, makePrivateFolder } from "../queue/private-files.ts";
import { type Connection, connect, readCatalogue, sizeOf } from "./sqlite.ts";
import { writeDatabase } from "./sqlite-writer.ts";
import type { Loading, TableStore } from "./store.ts";

/** A database into which new tables are being written. */
interface Draft {
  readonly connection: Connection;
  /** Finishes the database and returns the name by which other threads can open it. */
  publish(): string;
  discard(): void;
}

/**
 * Opens the store. Tables from an earlier process are used only if they came from the same URL. `log` is called with a
 * message about each file that cannot be used.
 */
export function sqliteDiskStore(folder: string, url: string, log: (message: string) => void): TableStore {
  const source = digestOf(url);
  makePrivateFolder(folder);
  const files = () => readdirSync(folder).filter((name) => /^tables-\d+\.sqlite$/.test(name));
  const numberOf = (name: string) => Number(name.slice(7, -7));
  const newest = () => files().sort((a, b) => numberOf(b) - numberOf(a))[0];
  /**
   * Removes database files. Some systems cannot remove a file that another thread has open. The next call of this
   * function removes such a file.
   */
  const remove = (names: readonly string[]) => {
    for (const name of names) {
      try {
        rmSync(path.join(folder, name), { force: true });
      } catch {}
    }
  };
  const draft = (): Draft => {
    const part = path.join(folder, "loading.sqlite");
    rmSync(part, { force: true });
    makePrivateFile(part);
    const connection = connect(part);
    return {
      connection,
      publish: () => {
        connection.close();
        sync(part);
        const before = files();
        const name = `tables-${Math.max(0, ...before.map(numberOf)) + 1}.sqlite`;
        renameSync(part, path.join(folder, name));
        remove(before);
        return readOnly(path.join(folder, name));
      },
      discard: () => {
        connection.close();
        remove(["loading.sqlite"]);
      },
    };
  };
  return {
    restore: () => {
      const name = newest();
      if (name === undefined) return null;
      const database = readOnly(path.join(folder, name));
      let connection: Connection | undefined;
      try {
        connection = connect(database);
        const catalogue = readCatalogue(connection);
        if (catalogue.source !== source) return null;
        const { known, tables } = catalogue;
        return { inForce: { kind: "sqlite", database }, tables, bytes: sizeOf(connection), known };
      } catch (error) {
        log(`${path.join(folder, name)} is of no use: ${(error as Error).message}`);
        remove([name]);
        return null;
      } finally {
        connection?.close();
      }
    },
    begin: () => loading(draft(), source),
  };
}

/**
 * Opens a store in memory. SQLite deletes a database in memory when its last connection closes, so the store keeps a
 * connection to the current database.
 */
export function sqliteMemoryStore(url: string): TableStore {
  const source = digestOf(url);
  let held: Connection | null = null;
  return {
    restore: () => null,
    begin: () => {
      const name = `file:${randomUUID()}?mode=memory&cache=shared`;
      const connection = connect(name);
      return loading(
        {
          connection,
          publish: () => {
            held?.close();
            held = connection;
            return name;
          },
          discard: () => connection.close(),
        },
        source,
      );
    },
  };
}

function loading(draft: Draft, source: string): Loading {
  const { connection } = draft;
  const { sink, finish } = writeDatabase(connection);
  return {
    sink,
    commit: (known) => {
      const tables = finish(source, known);
      const bytes = sizeOf(connection);
      return { inForce: { kind: "sqlite", database: draft.publish() }, tables, bytes };
    },
    abort: () => draft.discard(),
  };
}

/** Returns a digest of the URL. The URL itself is not stored, because it may contain a password. */
function digestOf(url: string): string {
  return createHash("sha256").update(url).digest("hex");
}

/** Returns a URI that makes SQLite open the file without locks, because finished files never change. */
function readOnly(file: string): string {
  return `${pathToFileURL(file).href}?mode=ro&immutable=1`;
}

/** Syncs the file to the disk. */
function sync(file: string): void {
  const descriptor = openSync(file, "r+");
  fsyncSync(descriptor);
  closeSync(descriptor);
}
