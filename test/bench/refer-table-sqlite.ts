// Measures the reference tables of refer-table-rows.ts in SQLite on disk: loading, look-ups, and an update during which
// the previous tables stay in use.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import process from "node:process";
import { openLookup, type SqliteLookup } from "../../server/refer-table/sqlite-lookup.ts";
import { sqliteDiskStore } from "../../server/refer-table/sqlite-store.ts";
import { collect, idOf, load, mebibytes, printLookups, rows } from "./refer-table-rows.ts";

const folder = mkdtempSync(path.join(tmpdir(), "millrace-bench-"));
try {
  const refuse = (message: string) => {
    throw new Error(message);
  };
  const store = sqliteDiskStore(folder, "http://bench.test/", refuse);
  const put = (salt: string): { lookup: SqliteLookup; bytes: number } => {
    const loading = store.begin();
    load(loading.sink, salt);
    const { inForce, bytes } = loading.commit({ etag: null, lastModified: null, digest: salt });
    if (inForce.kind !== "sqlite") throw new Error("not in SQLite");
    return { lookup: openLookup(inForce.database, refuse), bytes };
  };

  const empty = process.memoryUsage().rss;
  const began = performance.now();
  const first = put("a");
  const seconds = (performance.now() - began) / 1000;
  console.log(`reference tables in SQLite: ${rows} rows, written with all indexes in ${seconds.toFixed(1)} s`);
  printLookups(first.lookup);
  await collect();
  const resident = process.memoryUsage().rss;
  put("b");
  const peak = process.resourceUsage().maxRSS * 1024;
  // The store has loaded the new tables. A look-up in the previous tables shows that they stayed usable during the
  // update.
  if (first.lookup.find("big", ["id"], [idOf(1)]) === null) throw new Error("the first set is gone");

  console.log(`  on disk                  ${mebibytes(first.bytes)}`);
  console.log(`  process before           ${mebibytes(empty)}`);
  console.log(`  process with the tables  ${mebibytes(resident)}`);
  console.log(`  process, peak of an update while the old tables are in force  ${mebibytes(peak)}`);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
