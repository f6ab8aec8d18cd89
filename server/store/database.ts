// Opens a DuckDB database for the points store and its benchmark.

import { DuckDBInstance } from "@duckdb/node-api";

export type Settings = Readonly<Record<string, string>>;

/** Settings of every DuckDB database that Millrace opens. DuckDB extensions are never loaded. */
export const settings: Settings = {
  autoinstall_known_extensions: "false",
  autoload_known_extensions: "false",
  // DuckDB rewrites its write-ahead log as compressed columns when the log has reached this size. With a larger
  // size, rewriting takes less time and the columns are compressed better (docs/store.md).
  checkpoint_threshold: "128MB",
  // Maximum size of the temporary files that an SQL statement may write when memory is full. A statement that needs
  // more fails.
  max_temp_directory_size: "4GB",
};

export interface Database {
  run(sql: string): Promise<readonly (readonly unknown[])[]>;
  close(): void;
}

/** Opens a database on which one SQL statement runs at a time. */
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
