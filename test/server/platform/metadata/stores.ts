// The databases on which the suites of the metadata store run: SQLite, memory, and PostgreSQL if it is installed.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { hasPostgres, type RunningPostgres, startPostgres } from "./postgres.ts";

export interface Place {
  /** The setting for the database: empty for SQLite, `memory:` for memory, else the URL of a PostgreSQL database. */
  readonly url: string;
  readonly folder: string;
}

export interface Databases {
  readonly kind: string;
  /** Makes an empty database and returns the setting for it. */
  newPlace(): Place;
  stop(): Promise<void>;
}

export interface DatabaseKind {
  readonly kind: string;
  readonly isHere: boolean;
  start(): Promise<Databases>;
}

function withFolders(kind: string, postgres: RunningPostgres | undefined): Databases {
  const folders: string[] = [];
  return {
    kind,
    newPlace: () => {
      const folder = mkdtempSync(path.join(tmpdir(), "millrace-metadata-"));
      folders.push(folder);
      return { folder, url: postgres?.newDatabase() ?? "" };
    },
    stop: async () => {
      await postgres?.stop();
      for (const folder of folders) rmSync(folder, { recursive: true, force: true });
    },
  };
}

export const databaseKinds: readonly DatabaseKind[] = [
  { kind: "SQLite", isHere: true, start: async () => withFolders("SQLite", undefined) },
  {
    kind: "memory",
    isHere: true,
    start: async () => ({ kind: "memory", newPlace: () => ({ url: "memory:", folder: "" }), stop: async () => {} }),
  },
  {
    kind: hasPostgres ? "PostgreSQL" : "PostgreSQL (not installed: these tests are left out)",
    isHere: hasPostgres,
    start: async () => withFolders("PostgreSQL", await startPostgres()),
  },
];
