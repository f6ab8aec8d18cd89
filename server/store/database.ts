// DuckDB as the store and its benchmark open it.

import { DuckDBInstance } from "@duckdb/node-api";

export type Settings = Readonly<Record<string, string>>;

/** Settings of every database of ours: nothing is loaded from elsewhere. */
export const settings: Settings = {
  autoinstall_known_extensions: "false",
  autoload_known_extensions: "false",
  // Rows are packed into columns on disk some 100 MB of log at a time: less often costs less and packs better (docs/store.md).
  checkpoint_threshold: "128MB",
  // What a statement puts on disk when it has no memory left; one that needs more fails.
  max_temp_directory_size: "4GB",
};

export interface Database {
  run(sql: string): Promise<readonly (readonly unknown[])[]>;
  close(): void;
}

/** A database that is asked one statement after the other. */
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
