// A seed is a file with workspaces and API keys that a new metadata store starts with. One suite runs on SQLite, memory
// and PostgreSQL; other tests check the file format.

import { existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { pointsIdOf } from "../../../../server/platform/metadata/ids.ts";
import { databaseKinds, type Place } from "./stores.ts";

// Imports the compiled JavaScript, because the database thread starts from a file beside it.
const built = (name: string) => new URL(`../../../../dist/server/platform/${name}.js`, import.meta.url).href;
const { openMetadata } = (await import(
  /* @vite-ignore */ built("metadata/database")
)) as typeof import("../../../../server/platform/metadata/database.ts");
const { parseSeed, seedMetadata } = (await import(
  /* @vite-ignore */ built("seed")
)) as typeof import("../../../../server/platform/seed.ts");

const id = (prefix: string, digit: number) => `${prefix}_${String(digit).repeat(32)}`;
const seed = parseSeed(
  JSON.stringify({
    workspaces: [
      { uuid: id("wksp", 1), name: "web", more: "ignored" },
      { uuid: id("wksp", 2), name: "shop", token: "token-of-shop" },
      { uuid: id("wksp", 3), name: "third" },
    ],
    keys: [
      { sk: "secret-of-web", uuid: id("wsak", 1), name: "ci", workspaceUUID: id("wksp", 1), roles: ["readOnly"] },
      { sk: "secret-of-shop", uuid: id("wsak", 2), name: "reports", workspaceUUID: id("wksp", 2) },
    ],
  }),
);
const localToken = "token-of-this-machine";

for (const { kind, isHere, start } of databaseKinds) {
  describe.skipIf(!isHere)(kind, () => {
    let newPlace: () => Place;
    let stop: () => Promise<void> = async () => {};
    beforeAll(async () => {
      const databases = await start();
      newPlace = databases.newPlace;
      stop = databases.stop;
    });
    afterAll(() => stop());
    it("applies the seed once when several platforms start at the same time", async () => {
      const place = newPlace();
      const opened = [await openMetadata(place), await openMetadata(place)];
      try {
        await Promise.all(opened.map((metadata) => seedMetadata(metadata, seed, localToken)));
        for (const metadata of opened) {
          expect(await metadata.workspaces.all()).toHaveLength(3);
          expect((await metadata.audit({ workspace: id("wksp", 1), limit: 10, offset: 0 })).totalCount).toBe(1);
        }
      } finally {
        for (const metadata of opened) await metadata.close();
      }
    });

    const open = async (work: (metadata: Awaited<ReturnType<typeof openMetadata>>) => Promise<void>) => {
      const metadata = await openMetadata({ ...newPlace(), now: () => 1_700_000_000_000 });
      try {
        await work(metadata);
      } finally {
        await metadata.close();
      }
    };

    it("makes workspaces with their points, and keys that open them", () =>
      open(async (metadata) => {
        await seedMetadata(metadata, seed, localToken);
        const workspaces = await metadata.workspaces.all();
        expect(workspaces.map(({ uuid, name }) => [uuid, name])).toEqual([
          [id("wksp", 1), "web"],
          [id("wksp", 2), "shop"],
          [id("wksp", 3), "third"],
        ]);
        const points = workspaces.map((row) => row.points_id);
        expect(points.slice(0, 2)).toEqual([pointsIdOf(localToken), pointsIdOf("token-of-shop")]);
        expect(points[2]).toMatch(/^[0-9a-f]{32}$/);
        expect(new Set(points).size).toBe(3);
        expect(await metadata.keys.open("secret-of-web")).toEqual({
          workspace: id("wksp", 1),
          pointsId: pointsIdOf(localToken),
          actor: { uuid: id("wsak", 1), name: "ci", roles: ["readOnly"] },
        });
        expect((await metadata.keys.open("secret-of-shop"))?.actor.roles).toEqual(["wsAdmin"]);
        expect(await metadata.keys.open("secret")).toBeUndefined();
        const { rows } = await metadata.audit({ workspace: id("wksp", 1), limit: 10, offset: 0 });
        expect(rows.map(({ actor, action, uuid }) => [actor, action, uuid])).toEqual([
          ["seed", "create", id("wsak", 1)],
        ]);
      }));

    it("leaves existing records unchanged: a renamed workspace, a revoked key", () =>
      open(async (metadata) => {
        await seedMetadata(metadata, seed, localToken);
        const actor = { uuid: "wsak_me", name: "me", roles: [] };
        const scope = { workspace: id("wksp", 1), pointsId: "", traceId: "", actor };
        await metadata.workspaces.modify(scope, { name: "renamed" });
        await metadata.keys.revoke(scope, id("wsak", 1));
        const before = await metadata.workspaces.all();
        await seedMetadata(metadata, seed, "token-of-another-machine");
        expect(await metadata.workspaces.all()).toEqual(before);
        expect(await metadata.keys.open("secret-of-web")).toBeUndefined();
        expect(await metadata.keys.list(id("wksp", 1))).toEqual([]);
      }));

    const key = (more: object) => ({ ...seed.keys[0]!, uuid: id("wsak", 9), sk: "another-secret", ...more });
    it.each([
      ["a workspace's name", { workspaces: [{ uuid: id("wksp", 9), name: "web" }], keys: [] }, "has its name"],
      [
        "a workspace's points",
        { workspaces: [{ uuid: id("wksp", 9), name: "other", token: "token-of-shop" }], keys: [] },
        "has its name or its points",
      ],
      ["a key's secret", { workspaces: [], keys: [key({ sk: "secret-of-shop" })] }, "another key has its secret"],
      ["the secret of a key", { workspaces: [], keys: [key({ uuid: id("wsak", 1) })] }, "there with another secret"],
      [
        "no workspace of a key",
        { workspaces: [{ uuid: id("wksp", 8), name: "eight" }], keys: [key({ workspaceUUID: id("wksp", 9) })] },
        `there is no workspace ${id("wksp", 9)}`,
      ],
    ])("refuses the whole seed because of %s", (_, other, message) =>
      open(async (metadata) => {
        await seedMetadata(metadata, seed, localToken);
        await expect(seedMetadata(metadata, other, localToken)).rejects.toThrow(message);
        expect(await metadata.workspaces.all()).toHaveLength(3);
        expect(await metadata.keys.open("another-secret")).toBeUndefined();
      }),
    );
  });
}

it("memory: each opening has its own data and writes no file", async () => {
  const folder = mkdtempSync(path.join(tmpdir(), "millrace-memory-"));
  const [one, two] = await Promise.all([1, 2].map(() => openMetadata({ url: "memory:", folder })));
  await seedMetadata(one!, seed, localToken);
  expect([(await one!.workspaces.all()).length, (await two!.workspaces.all()).length]).toEqual([3, 0]);
  expect([readdirSync(folder), existsSync(":memory:")]).toEqual([[], false]);
  await one!.close();
  await two!.close();
  rmSync(folder, { recursive: true });
});

it.each([
  ["{", "not JSON"],
  ["[]", "body: expected object"],
  ['{"workspaces":[]}', "keys: required"],
  ['{"workspaces":[{"uuid":"web","name":"web"}],"keys":[]}', "workspaces[0].uuid: does not match ^wksp_[0-9a-f]{32}$"],
  [JSON.stringify({ workspaces: [], keys: [{ ...seed.keys[0], sk: "a b" }] }), "keys[0].sk: does not match"],
  [JSON.stringify({ workspaces: [], keys: [{ ...seed.keys[0], roles: [] }] }), "keys[0].roles: must not be empty"],
  [
    JSON.stringify({ workspaces: [], keys: [{ ...seed.keys[0], roles: ["root"] }] }),
    "keys[0].roles[0]: must be one of",
  ],
])("reports the mistake in the seed file %s", (text, message) => {
  expect(() => parseSeed(text)).toThrow(message);
});
