// The metadata store in Node: SQLite, PostgreSQL and memory pass the same suite. Other tests check the features that
// the store in memory does not have: files, and tables written by earlier versions.

import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import Database from "libsql";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { describeMetadata } from "./metadata-suite.ts";
import { type Databases, databaseKinds } from "./stores.ts";

// Imports the compiled JavaScript, because the database thread starts from a file beside it.
const built = new URL("../../../../dist/server/platform/metadata/database.js", import.meta.url).href;
const { openMetadata, openStore, sqliteFile } = (await import(
  /* @vite-ignore */ built
)) as typeof import("../../../../server/platform/metadata/database.ts");

for (const { kind, isHere, start } of databaseKinds) {
  describeMetadata(kind, isHere, async () => {
    const databases = await start();
    return {
      newPlace: () => {
        const { url, folder } = databases.newPlace();
        const store = url === "memory:" ? openStore(url, folder) : undefined;
        return { open: () => store ?? openStore(url, folder) };
      },
      stop: databases.stop,
    };
  });
}

describe("the SQLite file", () => {
  let databases: Databases;
  beforeAll(async () => {
    databases = await databaseKinds[0]!.start();
  });
  afterAll(() => databases.stop());

  it("is refused when a later version has written it", async () => {
    const place = databases.newPlace();
    await (await openMetadata(place)).close();
    const database = new Database(path.join(place.folder, sqliteFile));
    database.exec("insert into migrations (name, applied_at) values ('999-later', 0)");
    database.close();
    await expect(openMetadata(place)).rejects.toThrow("made by a later version: it has 999-later");
  });

  it("has the right record count after an upgrade from an earlier version", async () => {
    const place = databases.newPlace();
    const scope = { workspace: "w", pointsId: "", traceId: "", actor: { uuid: "k", name: "k", roles: [] } };
    const opened = await openMetadata(place);
    for (const name of ["a", "b"]) await opened.records("note").create(scope, { uuid: name, name, document: {} });
    await opened.close();
    const database = new Database(path.join(place.folder, sqliteFile));
    database.exec(
      "drop trigger record_added; drop trigger record_removed; drop table record_counts; drop table replays",
    );
    database.exec("delete from migrations where name > '003'");
    database.close();
    const again = await openMetadata(place);
    await again.records("note").remove(scope, "a");
    const { totalCount } = await again.records("note").list(scope, { pageIndex: 1, pageSize: 10 });
    expect(totalCount).toBe(1);
    await again.close();
  });

  it("does not contain the secret of a key", async () => {
    const place = databases.newPlace();
    const metadata = await openMetadata(place);
    const { uuid } = (await metadata.workspaces.create("keys", "points"))!;
    const scope = { workspace: uuid, traceId: "", actor: { uuid: "k", name: "k", roles: [] } };
    const { secret, row } = await metadata.keys.create(scope, { name: "ci", roles: ["readOnly"] });
    const files = readdirSync(place.folder).map((file) => readFileSync(path.join(place.folder, file)));
    expect(files.some((bytes) => bytes.includes(row.digest))).toBe(true);
    expect(files.some((bytes) => bytes.includes(secret))).toBe(false);
    await metadata.close();
  });
});
