// Opens DuckDB for the store and its benchmark.

import { DuckDBInstance } from "@duckdb/node-api";

export type Settings = Readonly<Record<string, string>>;

/** Settings of every database that this program opens. Extensions are never loaded. */
export const settings: Settings = {
  autoinstall_known_extensions: "false",
  autoload_known_extensions: "false",
  // DuckDB packs rows into columns after this many bytes of log: larger values cost less and pack better
  // (docs/store.md).
  checkpoint_threshold: "128MB",
  // The bytes that a statement may spill to disk when memory is full; a statement that needs more fails.
  max_temp_directory_size: "4GB",
};

export interface Database {
  run(sql: string): Promise<readonly (readonly unknown[])[]>;
  close(): void;
}

/** Opens a database for one statement at a time. */
export async function openDatabase(file: string, more: Settings): Promise<Database> {
  const instance = await DuckDBInstance.create(file, { ...settings, ...more });
  const connection = await instance.connect();
  return {
    run: async (sql) => (await connection.runAndReadAll(sql)).getRows(),
    close: () => {
      connection.closeSync();
      instance.closeSync();
    },
  };
}
