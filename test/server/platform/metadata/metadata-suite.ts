// The test suite that every metadata store (workspaces, API keys, dashboards and more) must pass, in Node and in a
// browser.

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createMetadata, type Metadata } from "../../../../server/platform/metadata/metadata.ts";
import type { Scope } from "../../../../server/platform/metadata/scope.ts";
import type { MetadataStore } from "../../../../server/platform/metadata/store.ts";

interface Note {
  readonly name: string;
  readonly count: number;
}

function scopeOf(workspace: string): Scope {
  return { workspace, pointsId: "", traceId: "t-1", actor: { uuid: "wsak_1", name: "me", roles: ["wsAdmin"] } };
}

/** Provides the metadata stores of one kind, such as SQLite, to the suite. */
export interface Stores {
  /**
   * Makes an empty database. Each call of the returned `open` opens this same database again, with the rows that were
   * stored in it.
   */
  newPlace(): { open(): Promise<MetadataStore> };
  stop(): Promise<void>;
}

export function describeMetadata(kind: string, isHere: boolean, start: () => Promise<Stores>): void {
  describe.skipIf(!isHere)(kind, () => {
    let stores: Stores;
    let place: ReturnType<Stores["newPlace"]>;
    let metadata: Metadata;
    let seconds = 1_700_000_000;
    const open = async (at = place) => createMetadata(await at.open(), () => seconds * 1000);

    beforeAll(async () => {
      stores = await start();
      place = stores.newPlace();
      metadata = await open();
    });
    afterAll(async () => {
      await metadata?.close();
      await stores?.stop();
    });

    let workspaces = 0;
    /** Returns a new workspace that no other test uses. */
    const fresh = () => scopeOf(`wksp_${++workspaces}`);
    const notes = (of: Metadata = metadata) => of.records<Note>("note");
    const note = (uuid: string, name = uuid, more = {}) => ({ uuid, name, document: { name, count: 0 }, ...more });
    const names = async (scope: Scope, question: object) => {
      const { rows, totalCount } = await notes().list(scope, { pageIndex: 1, pageSize: 50, ...question });
      return [rows.map(({ document }) => document.name), totalCount];
    };

    it("shares its records among all who open it, also when they open it at the same time", async () => {
      const own = stores.newPlace();
      const opened = await Promise.all([1, 2, 3].map(() => open(own)));
      const scope = fresh();
      await opened[0]!.records<Note>("note").create(scope, note("n1"));
      expect((await opened[2]!.records<Note>("note").get(scope, "n1"))?.document.name).toBe("n1");
      for (const each of opened) await each.close();
      const again = await open(own);
      expect((await again.records<Note>("note").get(scope, "n1"))?.version).toBe(1);
      await again.close();
    });

    it("stores a record with its document and its separate content", async () => {
      const scope = fresh();
      seconds = 1_700_000_100;
      const document = { name: 'a "b" \\ \u0000 \ud800 😀', count: 1.5 };
      const made = await notes().create(scope, { uuid: "n1", name: document.name, document, content: { big: [1] } });
      expect(made).toEqual({
        id: expect.any(Number),
        uuid: "n1",
        version: 1,
        status: 0,
        createAt: 1_700_000_100,
        updateAt: 1_700_000_100,
        changedUs: 1_700_000_100_000_000,
        document,
      });
      expect(await notes().get(scope, "n1")).toEqual(made);
      expect(await notes().whole(scope, "n1")).toEqual({ stored: made, content: { big: [1] } });
      expect(await notes().get(scope, "n2")).toBeUndefined();
      expect(await notes().whole(scope, "n2")).toBeUndefined();
    });

    it("finds names by a part of them, ignores case, and treats no character as a wildcard", async () => {
      const scope = fresh();
      for (const [at, name] of ["Größe", "100%", "a_b", "axb", "back\\slash", "nul\u0000l"].entries()) {
        await notes().create(scope, note(`n${at}`, name));
      }
      for (const [search, found] of [
        ["GRÖSSE", []],
        ["RÖß", ["Größe"]],
        ["%", ["100%"]],
        ["A_B", ["a_b"]],
        ["\\", ["back\\slash"]],
        ["\u0000", ["nul\u0000l"]],
        ["'", []],
      ] as const) {
        expect(await names(scope, { search })).toEqual([found, found.length]);
      }
      expect((await names(scope, { search: "" }))[1]).toBe(6);
    });

    it("lists the latest changed records first, then the latest created, page by page", async () => {
      const scope = fresh();
      for (const [name, at] of [
        ["a", 10],
        ["b", 30],
        ["c", 20],
        ["d", 20],
      ] as const) {
        seconds = 1_700_001_000 + at;
        await notes().create(scope, note(name));
      }
      expect(await names(scope, {})).toEqual([["b", "d", "c", "a"], 4]);
      expect(await names(scope, { pageIndex: 2, pageSize: 3 })).toEqual([["a"], 4]);
      expect(await names(scope, { pageIndex: 3, pageSize: 3 })).toEqual([[], 4]);
      expect(await names(scope, { pageIndex: 2_147_483_647, pageSize: 100 })).toEqual([[], 4]);
      seconds = 1_700_002_000;
      await notes().change(scope, "a", ({ document }) => ({ name: "a", document: { ...document, count: 1 } }));
      expect(await names(scope, {})).toEqual([["a", "b", "d", "c"], 4]);
    });

    it("filters by terms, each record once", async () => {
      const scope = fresh();
      await notes().create(scope, note("a", "a", { terms: ["x", "y", "x"] }));
      await notes().create(scope, note("b", "b", { terms: ["y"] }));
      await notes().create(scope, note("c"));
      expect(await names(scope, { anyTerm: ["x", "y"] })).toEqual([["b", "a"], 2]);
      expect(await names(scope, { anyTerm: ["x"] })).toEqual([["a"], 1]);
      expect(await names(scope, { anyTerm: [] })).toEqual([["c", "b", "a"], 3]);
      await notes().change(scope, "a", ({ document }) => ({ name: "a", document, terms: ["z"] }));
      expect(await names(scope, { anyTerm: ["x"] })).toEqual([[], 0]);
      await notes().change(scope, "a", ({ document }) => ({ name: "A", document }));
      expect(await names(scope, { anyTerm: ["z"] })).toEqual([["a"], 1]);
    });

    it("shows nothing of another workspace or another kind", async () => {
      const [one, two] = [fresh(), fresh()];
      await notes().create(one, note("n1", "secret", { uniqueName: "secret", terms: ["t"], content: 1 }));
      expect(await notes().get(two, "n1")).toBeUndefined();
      expect(await notes().whole(two, "n1")).toBeUndefined();
      expect(await notes().byName(two, "secret")).toBeUndefined();
      expect(await names(two, { search: "secret" })).toEqual([[], 0]);
      expect(await names(two, { anyTerm: ["t"] })).toEqual([[], 0]);
      expect(await notes().change(two, "n1", () => ({ name: "x", document: { name: "x", count: 1 } }))).toBeUndefined();
      expect(await notes().remove(two, "n1")).toBeUndefined();
      expect(await metadata.records<Note>("other").get(one, "n1")).toBeUndefined();
      // The workspace `two` can store a record under an identifier that the workspace `one` uses already. If this
      // failed, a client of `two` would learn that `one` has a record with this identifier.
      await notes().create(two, note("n1", "secret", { uniqueName: "secret" }));
      expect((await notes().get(one, "n1"))?.document.name).toBe("secret");
    });

    it("refuses a second record with the identifier or the unique name", async () => {
      const scope = fresh();
      await notes().create(scope, note("n1", "a", { uniqueName: "a" }));
      await notes().create(scope, note("n2", "b", { uniqueName: "b" }));
      await expect(notes().create(scope, note("n1"))).rejects.toMatchObject({ member: "uuid" });
      await expect(notes().create(scope, note("n3", "a", { uniqueName: "a" }))).rejects.toMatchObject({
        member: "name",
      });
      const rename = notes().change(scope, "n2", ({ document }) => ({ name: "a", uniqueName: "a", document }));
      await expect(rename).rejects.toMatchObject({ member: "name" });
      expect((await notes().byName(scope, "b"))?.uuid).toBe("n2");
      expect(await names(scope, {})).toEqual([["b", "a"], 2]);
    });

    it("creates missing named records once, even when several callers do so at the same time", async () => {
      const scope = fresh();
      const wanted = Array.from({ length: 2500 }, (_, at) => `name ${at % 2400}`);
      let made = 0;
      const make = (name: string) => ({ ...note(`u${++made}`, name), uniqueName: name });
      const all = await Promise.all([1, 2].map(() => notes().named(scope, wanted, make)));
      expect(all[0].map(({ document }) => document.name)).toEqual([...new Set(wanted)]);
      expect(all[1].map(({ uuid }) => uuid)).toEqual(all[0].map(({ uuid }) => uuid));
      expect((await names(scope, {}))[1]).toBe(2400);
    });

    it("loses none of many changes made at the same time through two connections", async () => {
      const scope = fresh();
      await notes().create(scope, note("n1"));
      const other = await open();
      let decisions = 0;
      const increment = (of: Metadata) =>
        notes(of).change(scope, "n1", ({ document }) => {
          decisions++;
          return { name: "n1", document: { ...document, count: document.count + 1 } };
        });
      await Promise.all(Array.from({ length: 40 }, (_, at) => increment(at % 2 === 0 ? metadata : other)));
      await other.close();
      const stored = await notes().get(scope, "n1");
      expect([stored?.document.count, stored?.version]).toEqual([40, 41]);
      // The store calls a function to compute each change, and calls it again when another change was stored in the
      // meantime. The function was called more often than there are changes, so some changes did conflict.
      expect(decisions).toBeGreaterThan(40);
      // `updateAt` counts seconds. The test's clock stands still, so `updateAt` stays the same. `changedUs` counts
      // microseconds and becomes larger by one with each change at the same moment, so it shows the order of the
      // changes.
      expect([stored?.updateAt, stored!.changedUs % 1000]).toEqual([stored?.createAt, 40]);
    });

    it("applies all steps of a change or none, and never shows a part of a change", async () => {
      const store = await stores.newPlace().open();
      const row = (name: string) => ({ uuid: name, name, points_id: name, create_at: 0, description: "" });
      const insert = (name: string) => ({ insert: "workspaces", rows: [row(name)] }) as const;
      const names = async () => (await store.find("workspaces", {})).map(({ name }) => name);
      const failed = store.write([insert("a"), insert("b"), insert("a")]);
      const seen = await Promise.all([names(), names()]);
      expect(seen).toEqual([[], []]);
      expect(await failed).toEqual({ done: false, at: 2, why: "duplicate" });
      const lost = [insert("c"), { update: "workspaces", set: { name: "z" }, where: { name: "gone" } }] as const;
      expect(await store.write(lost)).toEqual({ done: false, at: 1, why: "absent" });
      const rename = { update: "workspaces", set: { name: "e" }, where: { name: "d" } } as const;
      expect((await store.write([insert("d"), insert("f"), rename])).done).toBe(true);
      expect(await names()).toEqual(["e", "f"]);
      expect(await store.write([rename, { ...rename, set: { name: "f" } }])).toMatchObject({ why: "absent", at: 0 });
      const back = [{ ...rename, where: { name: "e" }, set: { name: "g" } }, insert("h"), insert("f")] as const;
      expect(await store.write(back)).toEqual({ done: false, at: 2, why: "duplicate" });
      expect(await names()).toEqual(["e", "f"]);
      expect(await store.find("workspaces", { name: ["f", "e", "x"] })).toHaveLength(2);
      expect(await store.find("workspaces", { name: [] })).toEqual([]);
      await store.close();
    });

    it("returns the right records on pages far from the first", async () => {
      const scope = fresh();
      const wanted = Array.from({ length: 2345 }, (_, at) => `name ${at}`);
      await notes().named(scope, wanted, (name) => ({ ...note(name), uniqueName: name }));
      const newest = wanted.toReversed();
      for (const pageSize of [7, 100]) {
        for (const offset of [0, 994, 1050, 1400, 2240, 2338, 2345, 2401, 5000]) {
          const pageIndex = Math.floor(offset / pageSize) + 1;
          const from = (pageIndex - 1) * pageSize;
          expect(await names(scope, { pageIndex, pageSize })).toEqual([newest.slice(from, from + pageSize), 2345]);
        }
      }
      expect(await names(scope, { search: "E 234", pageSize: 3 })).toEqual([
        ["name 2344", "name 2343", "name 2342"],
        6,
      ]);
      expect(await names(scope, { search: "name 234", pageIndex: 3, pageSize: 3 })).toEqual([[], 6]);
      expect(await notes().remove(scope, "name 2344")).toBeDefined();
      expect((await names(scope, { pageSize: 1 }))[1]).toBe(2344);
    });

    it("leaves a record unchanged when the decision returns no change or throws", async () => {
      const scope = fresh();
      const made = await notes().create(scope, note("n1"));
      expect(await notes().change(scope, "n1", () => undefined)).toEqual({ before: made, after: made });
      const thrown = notes().change(scope, "n1", () => {
        throw new Error("no");
      });
      await expect(thrown).rejects.toThrow("no");
      expect(await notes().get(scope, "n1")).toEqual(made);
      expect(await notes().change(scope, "n2", () => undefined)).toBeUndefined();
    });

    it("removes a record with all that belongs to it, once", async () => {
      const scope = fresh();
      const made = await notes().create(scope, note("n1", "n1", { terms: ["t"], content: 1, uniqueName: "n1" }));
      const removed = await Promise.all([1, 2, 3].map(() => notes().remove(scope, "n1")));
      expect(removed.filter((each) => each !== undefined)).toEqual([made]);
      expect(await notes().whole(scope, "n1")).toBeUndefined();
      await notes().create(scope, note("n1", "again", { uniqueName: "n1" }));
      expect((await notes().whole(scope, "n1"))?.content).toBeUndefined();
      expect(await names(scope, { anyTerm: ["t"] })).toEqual([[], 0]);
    });

    it("records who changed what and when", async () => {
      const scope = fresh();
      seconds = 1_700_009_000;
      await notes().create(scope, note("n1", "first"));
      await notes().change(scope, "n1", ({ document }) => ({
        name: "second",
        document: { ...document, name: "second" },
      }));
      await notes().change(scope, "n1", () => undefined);
      await notes().remove(scope, "n1");
      const { rows, totalCount } = await metadata.audit({ workspace: scope.workspace, limit: 10, offset: 0 });
      expect(totalCount).toBe(3);
      expect(rows.map(({ action, change }) => [action, JSON.parse(change)])).toEqual([
        ["delete", { name: { before: "second" }, count: { before: 0 } }],
        ["modify", { name: { before: "first", after: "second" } }],
        ["create", { name: { after: "first" }, count: { after: 0 } }],
      ]);
      expect(rows[0]).toMatchObject({
        at: 1_700_009_000_000,
        actor: "wsak_1",
        trace_id: "t-1",
        kind: "note",
        uuid: "n1",
        workspace: scope.workspace,
      });
      const others = await metadata.audit({ workspace: "wksp_other", limit: 10, offset: 0 });
      expect(others).toEqual({ rows: [], totalCount: 0 });
    });

    it("forgets the entries of the audit log that are older than a time", async () => {
      const scope = fresh();
      for (const at of [10, 20, 30]) {
        seconds = 1_600_000_000 + at;
        await notes().create(scope, note(`n${at}`));
      }
      await metadata.forgetAudit(1_600_000_020_000);
      const { rows } = await metadata.audit({ workspace: scope.workspace, limit: 10, offset: 0 });
      expect(rows.map(({ uuid }) => uuid)).toEqual(["n30", "n20"]);
    });

    it("stores only the digest of a key; the key opens its workspace until it is revoked", async () => {
      const row = (await metadata.workspaces.create("keys", "points-of-keys"))!;
      const scope = scopeOf(row.uuid);
      const { row: made, secret } = await metadata.keys.create(scope, { name: "ci", roles: ["readOnly"] });
      expect(secret).toMatch(/^[A-Za-z0-9]{32}$/);
      expect(made.uuid).toMatch(/^wsak_[0-9a-f]{32}$/);
      expect(JSON.stringify(made)).not.toContain(secret);
      expect(await metadata.keys.open(secret)).toEqual({
        workspace: row.uuid,
        pointsId: "points-of-keys",
        actor: { uuid: made.uuid, name: "ci", roles: ["readOnly"] },
      });
      for (const wrong of ["", secret.slice(1), `${secret}x`, secret.toLowerCase() + secret, made.uuid, made.digest]) {
        expect(await metadata.keys.open(wrong)).toBeUndefined();
      }
      expect((await metadata.keys.list(row.uuid)).map(({ uuid }) => uuid)).toEqual([made.uuid]);
      expect(await metadata.keys.revoke(fresh(), made.uuid)).toBeUndefined();
      expect(await metadata.keys.open(secret)).toBeDefined();
      expect((await metadata.keys.revoke(scope, made.uuid))?.uuid).toBe(made.uuid);
      expect(await metadata.keys.open(secret)).toBeUndefined();
      expect(await metadata.keys.revoke(scope, made.uuid)).toBeUndefined();
      expect(await metadata.keys.get(row.uuid, made.uuid)).toBeUndefined();
      const audit = await metadata.audit({ workspace: row.uuid, limit: 10, offset: 0 });
      expect(audit.rows.map(({ action }) => action)).toEqual(["delete", "create"]);
      expect(JSON.stringify(audit)).not.toContain(secret);
    });

    it("refuses a key at once after another connection has revoked it", async () => {
      const row = (await metadata.workspaces.create("revoked keys", "points-of-revoked"))!;
      const other = await open();
      for (let at = 0; at < 3; at++) {
        const { row: key, secret } = await metadata.keys.create(scopeOf(row.uuid), { name: "k", roles: [] });
        for (let time = 0; time < 3; time++) expect(await metadata.keys.open(secret)).toBeDefined();
        expect(await other.keys.open(secret)).toBeDefined();
        await other.keys.revoke(scopeOf(row.uuid), key.uuid);
        expect(await metadata.keys.open(secret)).toBeUndefined();
        expect(await other.keys.open(secret)).toBeUndefined();
      }
      await other.close();
    });

    it("assigns each name, and the points of each token, to one workspace only", async () => {
      const made = await metadata.workspaces.create("own", "points-1");
      expect(made?.uuid).toMatch(/^wksp_[0-9a-f]{32}$/);
      expect(await metadata.workspaces.create("own", "points-2")).toBeUndefined();
      expect(await metadata.workspaces.create("another", "points-1")).toBeUndefined();
      expect(await metadata.workspaces.byName("own")).toEqual(made);
      expect(await metadata.workspaces.byPoints("points-1")).toEqual(made);
      expect(await metadata.workspaces.byPoints("points-2")).toBeUndefined();
    });
  });
}
