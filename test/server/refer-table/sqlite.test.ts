// Look-ups in reference tables that are stored in SQLite return the same rows as look-ups in tables in memory.
// The tests also check the files on disk, and that the next process uses these files.

import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { JsonError } from "../../../lib/refer-table/json-stream.ts";
import { readReferTables } from "../../../lib/refer-table/read-document.ts";
import { openTables } from "../../../server/refer-table/open.ts";
import { openLookup } from "../../../server/refer-table/sqlite-lookup.ts";
import { sqliteDiskStore, sqliteMemoryStore } from "../../../server/refer-table/sqlite-store.ts";
import type { Known, Stored, TableStore } from "../../../server/refer-table/store.ts";
import { found, lookupSuite } from "../../lib/refer-table/lookup-suite.ts";

const folders: string[] = [];
const folder = () => {
  const made = mkdtempSync(path.join(tmpdir(), "refer tables é-"));
  folders.push(made);
  return made;
};
afterAll(() => {
  for (const each of folders) rmSync(each, { recursive: true, force: true });
});

const url = "http://tables.test/all";
const known: Known = { etag: '"1"', lastModified: null, digest: "d" };
const noWarning = (message: string) => {
  throw new Error(message);
};

function put(store: TableStore, document: string, its = known): Stored | null {
  const loading = store.begin();
  try {
    const reading = readReferTables(loading.sink);
    reading.push(new TextEncoder().encode(document));
    if (!("errors" in reading.end())) return loading.commit(its);
  } catch (error) {
    if (!(error instanceof JsonError)) throw error;
  }
  loading.abort();
  return null;
}

function open(stored: Stored) {
  if (stored.inForce.kind !== "sqlite") throw new Error("not in SQLite");
  return openLookup(stored.inForce.database, noWarning);
}

lookupSuite("SQLite on disk", (document) => {
  const stored = put(sqliteDiskStore(folder(), url, noWarning), document);
  return stored === null ? null : open(stored);
});

lookupSuite("SQLite in memory", (document) => {
  const stored = put(sqliteMemoryStore(url), document);
  return stored === null ? null : open(stored);
});

const table = (n: number, name = "t") =>
  JSON.stringify([{ table_name: name, column_name: ["a"], column_type: ["int"], row_data: [[n]] }]);
const databases = (its: string) => readdirSync(its).filter((name) => name.endsWith(".sqlite"));

describe("a store on disk", () => {
  it("keeps one database, and readers that opened the previous one continue with it", () => {
    const its = folder();
    const store = sqliteDiskStore(its, url, noWarning);
    const before = open(put(store, table(1))!);
    const after = open(put(store, table(2))!);
    expect(found(before, "t", ["a"], [1])).toEqual({ a: 1 });
    expect(found(after, "t", ["a"], [2])).toEqual({ a: 2 });
    expect(after.find("t", ["a"], [1])).toBeNull();
    expect(databases(its)).toHaveLength(1);
  });

  it("leaves the current tables unchanged when a document is refused", () => {
    const its = folder();
    const store = sqliteDiskStore(its, url, noWarning);
    const stored = put(store, table(1))!;
    const rows = Array.from({ length: 5000 }, (_, at) => (at === 4999 ? ["x"] : [at]));
    const bad = [{ table_name: "t", column_name: ["a"], column_type: ["int"], row_data: rows }];
    expect(put(store, JSON.stringify(bad))).toBeNull();
    expect(put(store, "[{")).toBeNull();
    expect(found(open(stored), "t", ["a"], [1])).toEqual({ a: 1 });
    expect(databases(its)).toHaveLength(1);
  });

  it("restores its tables and the ETag of the answer at the next start", () => {
    const its = folder();
    expect(sqliteDiskStore(its, url, noWarning).restore()).toBeNull();
    put(sqliteDiskStore(its, url, noWarning), table(1));
    const restored = sqliteDiskStore(its, url, noWarning).restore();
    expect(restored).toMatchObject({ known, tables: [{ name: "t", rowCount: 1 }] });
    expect(restored!.bytes).toBeGreaterThan(0);
    expect(found(open(restored!), "t", ["a"], [1])).toEqual({ a: 1 });
  });

  it("restores nothing of another URL, and never shows the URL", () => {
    const its = folder();
    put(sqliteDiskStore(its, "http://me:pass@tables.test/", noWarning), table(1));
    expect(sqliteDiskStore(its, url, noWarning).restore()).toBeNull();
  });

  it("ignores a file that is no database, and warns about it", () => {
    const its = folder();
    writeFileSync(path.join(its, "tables-3.sqlite"), "not a database".repeat(1000));
    const heard: string[] = [];
    const store = sqliteDiskStore(its, url, (message) => heard.push(message));
    expect(store.restore()).toBeNull();
    expect(heard).toEqual([expect.stringMatching(/tables-3\.sqlite is of no use/)]);
    expect(found(open(put(store, table(1))!), "t", ["a"], [1])).toEqual({ a: 1 });
  });

  it("opens databases for lookups as read-only", () => {
    const stored = put(sqliteDiskStore(folder(), url, noWarning), table(1))!;
    const { database } = stored.inForce as { database: string };
    expect(database).toMatch(/mode=ro/);
    expect(() => openLookup("file:///nowhere/none.sqlite?mode=ro", noWarning)).toThrow();
    expect(existsSync("/nowhere")).toBe(false);
  });
});

describe("tables that no longer exist when a thread opens them", () => {
  it("cause a warning", async () => {
    const heard: string[] = [];
    const gone = { kind: "sqlite", database: "file:nothing-here?mode=memory&cache=shared" } as const;
    expect(await openTables(gone, (message) => heard.push(message))).toBeNull();
    expect(heard).toEqual([expect.stringMatching(/reference tables cannot be opened/)]);
  });
});
