// Looks at files of SQLite, and copies them, also while another process writes to them. A reader leaves `-wal` and `-shm` files beside a file that
// nobody else has open: to remove them would race with a process that opens it.

import { existsSync } from "node:fs";
import { pathToFileURL } from "node:url";
import Database from "libsql";

/** Returns what is wrong with the file; undefined when it is an intact database. */
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

/** Writes a consistent copy with all that was committed before; `to` must not exist. Throws when the file is damaged. */
export function copyDatabase(file: string, to: string): void {
  reading(file, (database) => database.prepare("VACUUM INTO ?").run([to]));
}

function reading<Result>(file: string, work: (database: InstanceType<typeof Database>) => Result): Result {
  // The driver's option `readonly` does not keep it from folding the write-ahead log into the file.
  const database = new Database(`${pathToFileURL(file).href}?mode=ro`, { readonly: true });
  try {
    return work(database);
  } finally {
    database.close();
  }
}
