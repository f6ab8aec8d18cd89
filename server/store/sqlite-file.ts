// Checks and copies SQLite files, even while another process writes to them. When no other process has a file open,
// reading leaves `-wal` and `-shm` files beside it. They are not removed, because another process may open the file at
// that moment.

import { existsSync } from "node:fs";
import { pathToFileURL } from "node:url";
import Database from "libsql";

/** Returns what is wrong with the file, or undefined when it is an undamaged SQLite database. */
export function problemOfDatabase(file: string): string | undefined {
  if (!existsSync(file)) return "the file is missing";
  try {
    return reading(file, (database) => {
      const [state] = database.prepare("PRAGMA quick_check(1)").raw().get([]) as [string];
      return state === "ok" ? undefined : state.replace(/\s+/g, " ").slice(0, 200);
    });
  } catch (error) {
    return (error as Error).message;
  }
}

/**
 * Writes a consistent copy of the SQLite file `file`, with all committed data. The file `to` must not exist. Throws
 * when the source is damaged.
 */
export function copyDatabase(file: string, to: string): void {
  reading(file, (database) => database.prepare("VACUUM INTO ?").run([to]));
}

function reading<Result>(file: string, work: (database: InstanceType<typeof Database>) => Result): Result {
  // The driver's option `readonly` alone would still merge the write-ahead log into the file, so the URL says
  // `mode=ro` too.
  const database = new Database(`${pathToFileURL(file).href}?mode=ro`, { readonly: true });
  try {
    return work(database);
  } finally {
    database.close();
  }
}
