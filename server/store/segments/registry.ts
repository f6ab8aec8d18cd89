// The registry: an SQLite file of the store with the ids of batches whose points are in segments (Parquet files), and
// the labels of objects.

import Database from "libsql";
import { makePrivateFile } from "../../queue/private-files.ts";
import { type LabelRow, requireRoomFor } from "../labels.ts";
import type { LabelledObject } from "../points-database.ts";

type Connection = InstanceType<typeof Database>;

const tables = `
  CREATE TABLE IF NOT EXISTS batches (workspace TEXT, id TEXT, received INTEGER, PRIMARY KEY (workspace, id)) WITHOUT ROWID;
  CREATE INDEX IF NOT EXISTS batches_received ON batches (received);
  CREATE TABLE IF NOT EXISTS labels (workspace TEXT, id TEXT, class TEXT, name TEXT, key TEXT, value TEXT, labels TEXT,
    PRIMARY KEY (workspace, id)) WITHOUT ROWID;
`;

export interface BatchId {
  readonly workspace: string;
  readonly id: string;
  /** The time at which the batch was received, in ms since 1970. */
  readonly received: bigint;
}

export class Registry {
  private readonly connection: Connection;

  private constructor(connection: Connection) {
    this.connection = connection;
  }

  /**
   * Opens the registry, an SQLite file with batch ids and labels. Throws when the file is damaged or is no SQLite
   * database.
   */
  static open(file: string): Registry {
    makePrivateFile(file);
    const connection = new Database(file);
    try {
      connection.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;");
      const [state] = connection.prepare("PRAGMA quick_check(1)").raw().get([]) as [string];
      if (state !== "ok") throw new Error(state);
      connection.exec(tables);
    } catch (error) {
      connection.close();
      throw error;
    }
    return new Registry(connection);
  }

  hasBatch(workspace: string, id: string): boolean {
    return (
      this.connection.prepare("SELECT 1 FROM batches WHERE workspace = ? AND id = ?").get([workspace, id]) !== undefined
    );
  }

  addBatches(batches: Iterable<BatchId>): void {
    this.inTransaction(() => {
      const insert = this.connection.prepare("INSERT OR IGNORE INTO batches VALUES (?, ?, ?)");
      for (const { workspace, id, received } of batches) insert.run([workspace, id, received]);
    });
  }

  /** Deletes batch ids that were received before a time, in ms since 1970. */
  forgetBatches(before: bigint): void {
    this.connection.prepare("DELETE FROM batches WHERE received < ?").run([before]);
  }

  /** Replaces the labels of an object; `null` removes the labels. Throws TooManyObjects. */
  setLabels(workspace: string, object: LabelledObject, labels: readonly string[] | null): void {
    const { id, objectClass, objectName, key, value } = object;
    if (labels === null) {
      this.connection.prepare("DELETE FROM labels WHERE workspace = ? AND id = ?").run([workspace, id]);
      return;
    }
    const [others] = this.connection
      .prepare("SELECT count(*) FROM labels WHERE workspace = ? AND id <> ?")
      .raw()
      .get([workspace, id]) as [number];
    requireRoomFor(others);
    this.connection
      .prepare("INSERT OR REPLACE INTO labels VALUES (?, ?, ?, ?, ?, ?, ?)")
      .run([workspace, id, objectClass, objectName, key, value, JSON.stringify(labels)]);
  }

  /** Stores the labels of many objects. They replace the labels that these objects had. */
  addLabels(workspace: string, objects: Iterable<readonly [id: string, ...LabelRow]>): void {
    this.inTransaction(() => {
      const insert = this.connection.prepare("INSERT OR REPLACE INTO labels VALUES (?, ?, ?, ?, ?, ?, ?)");
      for (const object of objects) insert.run([workspace, ...object]);
    });
  }

  labels(workspace: string): readonly LabelRow[] {
    return this.connection
      .prepare(
        "SELECT class, name, key, value, labels FROM labels WHERE workspace = ? ORDER BY class, name, key, value",
      )
      .raw()
      .all([workspace]) as unknown as LabelRow[];
  }

  /** Runs `work` in one SQLite transaction. */
  inTransaction(work: () => void): void {
    this.connection.exec("BEGIN IMMEDIATE");
    try {
      work();
      this.connection.exec("COMMIT");
    } catch (error) {
      this.connection.exec("ROLLBACK");
      throw error;
    }
  }

  close(): void {
    this.connection.close();
  }
}
