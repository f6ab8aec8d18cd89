// Dashboards through the Open API over HTTP, on each kind of metadata store.

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { SeedFile } from "../../../../../server/platform/seed.ts";
import { type Databases, databaseKinds } from "../../metadata/stores.ts";
import { type OpenApiAnswer, type RunningPlatform, startPlatform } from "../running-platform.ts";

interface Place {
  readonly chartUUID: string;
  readonly pos: { readonly i: unknown; readonly x: number; readonly y: number; readonly w: number; readonly h: number };
}

interface Dashboard {
  readonly uuid: string;
  readonly name: string;
  readonly chartPos: readonly Place[];
  readonly chartGroupPos: readonly string[];
  readonly tagInfo: readonly { readonly id: string; readonly name: string }[];
  readonly updateAt: number;
  readonly [member: string]: unknown;
}

const author = (key: string) => ({
  email: "",
  iconUrl: "",
  name: "key",
  username: `AK(${key})`,
});

const chart = (name: string, more: object = {}) => ({ name, type: "sequence", queries: [], ...more });

/**
 * The seed file with the API keys for the metadata store in memory. The command line cannot add keys to such a store.
 */
const seedOfMemory: SeedFile = {
  workspaces: ["one", "two", "list memory"].map((name, at) => ({ uuid: `wksp_${String(at).repeat(32)}`, name })),
  keys: [
    ["one", "key"],
    ["two", "other"],
    ["one", "second"],
    ["list memory", "list"],
  ].map(([workspace, name], at) => ({
    sk: `${name}-key-in-memory`,
    uuid: `wsak_${String(at).repeat(32)}`,
    name: name!,
    workspaceUUID: `wksp_${String(["one", "two", "list memory"].indexOf(workspace!)).repeat(32)}`,
  })),
};

for (const { kind, isHere, start } of databaseKinds) {
  describe.skipIf(!isHere)(`dashboards on ${kind}`, () => {
    let databases: Databases;
    let platform: RunningPlatform;
    beforeAll(async () => {
      databases = await start();
      const { url } = databases.newPlace();
      const config = `[store]\nurl = ${JSON.stringify(url)}\n`;
      platform = await startPlatform(kind === "memory" ? { config, seed: seedOfMemory } : { config });
    });
    afterAll(async () => {
      await platform?.stop();
      await databases?.stop();
    });

    const newKey = async (workspace: string, name: string) =>
      kind === "memory" ? `${name}-key-in-memory` : await platform.newKey(workspace, "--name", name);
    const post = (at: string, body: unknown, key?: string) =>
      platform.call(at, { method: "POST", body, ...(key === undefined ? {} : { key }) });
    const dashboardOf = ({ body }: OpenApiAnswer) => body.content as Dashboard;
    const create = async (body: object, key?: string) => {
      const answer = await post("/dashboard/create", body, key);
      expect(answer.body.message).toBe("");
      return dashboardOf(answer);
    };
    const get = async (uuid: string, more = "") => dashboardOf(await platform.call(`/dashboard/${uuid}/get${more}`));
    const exported = async (uuid: string) =>
      (await platform.call(`/dashboard/${uuid}/export`)).body.content as {
        readonly title: string;
        readonly main: { readonly charts: readonly { readonly pos: object }[]; readonly groups: unknown };
      };

    it("creates an empty dashboard with every member", async () => {
      const before = Math.floor(Date.now() / 1000);
      const made = await create({ name: "empty" });
      const { creator } = made as unknown as { creator: string };
      expect(creator).toMatch(/^wsak_[0-9a-f]{32}$/);
      expect(made).toEqual({
        chartGroupPos: [],
        chartPos: [],
        createAt: made.updateAt,
        createdWay: "manual",
        creator,
        creatorInfo: author(creator),
        dashboardBindSet: [],
        deleteAt: -1,
        desc: "",
        extend: {},
        iconSet: {},
        id: expect.any(Number),
        identifier: "",
        isPublic: 1,
        mapping: [],
        name: "empty",
        ownerType: "node",
        permissionSet: [],
        readPermissionSet: [],
        status: 0,
        tagInfo: [],
        tag_info: [],
        type: "CUSTOM",
        updateAt: expect.any(Number),
        updator: creator,
        updatorInfo: author(creator),
        uuid: expect.stringMatching(/^dsbd_[0-9a-f]{32}$/),
        workspaceUUID: expect.stringMatching(/^wksp_[0-9a-f]{32}$/),
      });
      expect(Number.isInteger(made.updateAt)).toBe(true);
      expect(made.updateAt - before).toBeLessThanOrEqual(5);
      const { tag_info: _, ...members } = made;
      expect(await get(made.uuid)).toEqual({ ...members, tag_info: { [made.uuid]: [] } });
    });

    it("creates a dashboard from a template, with the name of the body and its own chart positions", async () => {
      const made = await create({
        name: "CPU",
        tagNames: ["host"],
        templateInfo: {
          title: "x",
          main: {
            vars: [],
            charts: [
              {
                name: "usage",
                type: "sequence",
                pos: null,
                group: { name: null },
                queries: [{ qtype: "dql", query: { q: "M::cpu:(avg(usage_total))" } }],
              },
            ],
            groups: [],
            type: "template",
          },
        },
      });
      const [{ chartUUID, pos }] = made.chartPos;
      expect(chartUUID).toMatch(/^chrt_[0-9a-f]{32}$/);
      expect([made.name, made.chartPos.length, pos]).toEqual(["CPU", 1, { h: 9, i: chartUUID, w: 8, x: 0, y: 0 }]);
    });

    it("places charts without a position three in a row below the others, and keeps given positions", async () => {
      const charts = [
        chart("given", { pos: { i: "mine", x: 4, y: 2, w: 6, h: 5 } }),
        ...["a", "b", "c", "d"].map((name) => chart(name)),
      ];
      const made = await create({ name: "grid", templateInfo: { main: { charts } } });
      expect(made.chartPos.map(({ pos: { x, y, w, h } }) => [x, y, w, h])).toEqual([
        [4, 2, 6, 5],
        [0, 7, 8, 9],
        [8, 7, 8, 9],
        [16, 7, 8, 9],
        [0, 16, 8, 9],
      ]);
      expect(made.chartPos[0].pos.i).toBe("mine");
      expect(made.chartPos[1].pos.i).toBe(made.chartPos[1].chartUUID);
    });

    it("takes missing members from the template, and merges the tags of both", async () => {
      const templateInfo = {
        title: "t",
        dashboardExtend: { from: "template" },
        dashboardMapping: [{ field: "f" }],
        iconSet: { icon: "i", url: "u" },
        tagInfo: [{ id: "tag_elsewhere", name: "both" }, { name: "template" }],
        main: { groups: ["g1", { name: "g2", extend: { c: 1 } }], vars: [{ code: "v" }], charts: [] },
      };
      const made = await create({ name: "m", templateInfo, tagNames: ["body", "both", "body"] });
      expect(made).toMatchObject({
        extend: { from: "template" },
        mapping: [{ field: "f" }],
        iconSet: { icon: "i", url: "u" },
      });
      expect(made.tagInfo.map(({ name }) => name)).toEqual(["body", "both", "template"]);
      expect(made.chartGroupPos).toHaveLength(2);
      const own = await create({ name: "m", templateInfo, extend: { from: "body" }, mapping: [] });
      expect(own).toMatchObject({ extend: { from: "body" }, mapping: [] });
      // Two dashboards name the tag `both`. The platform stores this tag only once, and both dashboards refer to it.
      expect(own.tagInfo[0].id).toBe(made.tagInfo[1].id);
      expect(own.tagInfo[0].id).toMatch(/^tag_[0-9a-f]{32}$/);
    });

    it("accepts an identifier once, also when several requests use it at the same time", async () => {
      const specifyDashboardUUID = `dsbd_custom_${"a1".repeat(16)}`;
      const answers = await Promise.all(
        [1, 2, 3].map(() => post("/dashboard/create", { name: "mine", specifyDashboardUUID })),
      );
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 400, 400]);
      const refused = await post("/dashboard/create", { name: "mine", specifyDashboardUUID });
      expect(refused.body).toMatchObject({
        code: 400,
        errorCode: "NameDuplicated",
        message: `specifyDashboardUUID: "${specifyDashboardUUID}" already exists`,
      });
      expect((await get(specifyDashboardUUID)).name).toBe("mine");
      // The other workspace creates a dashboard with the identifier of a dashboard in this workspace. The dashboard in
      // this workspace stays unchanged.
      await create({ name: "theirs", specifyDashboardUUID }, platform.otherKey);
      expect((await get(specifyDashboardUUID)).name).toBe("mine");
    });

    it("refuses an invalid template and reports the path of the mistake", async () => {
      const charts = (third: unknown) => ({ main: { charts: [chart("a"), chart("b"), third] } });
      for (const [templateInfo, message] of [
        [{}, "templateInfo: must not be empty"],
        [[], "templateInfo: expected object"],
        [{ title: 5 }, "templateInfo.title: expected string"],
        [charts({ type: "text", queries: [] }), "templateInfo.main.charts[2].name: required"],
        [charts({ ...chart("c"), type: "" }), "templateInfo.main.charts[2].type: must not be empty"],
        [charts({ name: "c", type: "text" }), "templateInfo.main.charts[2].queries: required"],
        [charts(chart("c", { queries: [1] })), "templateInfo.main.charts[2].queries[0]: expected object"],
        [charts(chart("c", { pos: { x: "1" } })), "templateInfo.main.charts[2].pos.x: expected number"],
        [{ main: { groups: [5] } }, "templateInfo.main.groups[0]: expected string"],
        [{ main: { groups: [{}] } }, "templateInfo.main.groups[0].name: required"],
        [{ main: { vars: [{ code: "a" }, { code: "a" }] } }, "templateInfo.main.vars[1].code: must be unique"],
      ]) {
        const refused = await post("/dashboard/create", { name: "t", templateInfo });
        expect(refused.body).toMatchObject({ code: 400, errorCode: "InvalidParameter", message });
      }
      const { uuid } = await create({ name: "target" });
      for (const [body, message] of [
        [{}, "templateInfo: required"],
        [{ templateInfo: null }, "templateInfo: required"],
        [{ templateInfo: {} }, "templateInfo: must not be empty"],
      ]) {
        expect((await post(`/dashboard/${uuid}/import`, body)).body).toMatchObject({ code: 400, message });
      }
    });

    it("lists by name and tag, latest change first, page by page", async () => {
      const key = await newKey(`list ${kind}`, "list");
      const made: Dashboard[] = [];
      for (const [name, tagNames] of [
        ["Alpha One", ["x"]],
        ["Beta", ["x", "y"]],
        ["alpha two", []],
      ] as const) {
        made.push(await create({ name, tagNames }, key));
      }
      const list = async (query: Record<string, string>) => {
        const { body } = await platform.call(`/dashboard/list?${new URLSearchParams(query)}`, { key });
        return [(body.content as Dashboard[]).map(({ name }) => name), body.pageInfo];
      };
      const page = (count: number, totalCount: number, pageIndex = 1, pageSize = 50) => ({
        count,
        pageIndex,
        pageSize,
        totalCount,
      });
      expect(await list({})).toEqual([["alpha two", "Beta", "Alpha One"], page(3, 3)]);
      expect(await list({ search: "ALPHA" })).toEqual([["alpha two", "Alpha One"], page(2, 2)]);
      expect(await list({ search: "" })).toEqual([["alpha two", "Beta", "Alpha One"], page(3, 3)]);
      expect(await list({ tagNames: '["y","x"]' })).toEqual([["Beta", "Alpha One"], page(2, 2)]);
      expect(await list({ tagNames: "y,x" })).toEqual([["Beta", "Alpha One"], page(2, 2)]);
      expect(await list({ tagNames: '["nowhere"]' })).toEqual([[], page(0, 0)]);
      expect(await list({ tagNames: "[]", pageSize: "2", pageIndex: "2" })).toEqual([["Alpha One"], page(1, 3, 2, 2)]);
      expect(await list({ search: "alpha", tagNames: '["x"]' })).toEqual([["Alpha One"], page(1, 1)]);
      await post(`/dashboard/${made[0].uuid}/modify`, { desc: "changed" }, key);
      expect((await list({}))[0]).toEqual(["Alpha One", "alpha two", "Beta"]);
      const { body } = await platform.call("/dashboard/list?search=Beta", { key });
      const [beta] = body.content as Dashboard[];
      const { tag_info: _, ...members } = made[1];
      expect(beta).toEqual({
        ...members,
        isFavorite: false,
        tag_info: { sceneInfo: [], tagInfo: made[1].tagInfo },
      });
    });

    it("changes the members in the body, returns the previous name, and ignores read-only members", async () => {
      const made = await create({ name: "before", tagNames: ["a"], extend: { k: 1, l: 2 }, mapping: [{ a: 1 }] });
      const answer = await post(`/dashboard/${made.uuid}/modify`, {
        name: "after",
        extend: { k: 3 },
        tagNames: ["b", "a"],
        uuid: "dsbd_other",
        type: "OTHER",
        charts: [],
        createAt: 1,
        updateAt: 1,
      });
      const modified = dashboardOf(answer);
      expect(modified).toMatchObject({
        uuid: made.uuid,
        type: "CUSTOM",
        name: "after",
        old_name: "before",
        dashboardBidding: {},
        extend: { k: 3 },
        mapping: [{ a: 1 }],
        createAt: made.createAt,
      });
      expect(modified.updateAt).toBeGreaterThanOrEqual(made.updateAt);
      expect(Number.isInteger(modified.updateAt)).toBe(true);
      expect(modified.tagInfo.map(({ name }) => name)).toEqual(["b", "a"]);
      expect(modified.tag_info).toEqual({ sceneInfo: [], tagInfo: modified.tagInfo });
      const cleared = dashboardOf(await post(`/dashboard/${made.uuid}/modify`, { tagNames: [], desc: "" }));
      expect(cleared.tagInfo).toEqual([]);
    });

    it("changes nothing, not even times, for an empty body or for equal values", async () => {
      const made = await create({ name: "same", tagNames: ["a"], permissionSet: ["role_1"], isPublic: -1 });
      for (const body of [
        {},
        null,
        { name: "same" },
        { tagNames: ["a"], isPublic: -1, permissionSet: ["role_1"], mapping: [] },
      ]) {
        const after = dashboardOf(await post(`/dashboard/${made.uuid}/modify`, body === null ? "null" : body));
        expect(after).toMatchObject({ updateAt: made.updateAt, updator: made.updator, old_name: "same" });
      }
    });

    it("reports the key that made the last change", async () => {
      const made = await create({ name: "authors" });
      const key = await newKey("one", "second");
      const modified = dashboardOf(await post(`/dashboard/${made.uuid}/modify`, { desc: "x" }, key));
      expect(modified.creator).toBe(made.creator);
      expect(modified.updator).not.toBe(made.updator);
      expect(modified.updatorInfo).toMatchObject({ name: "second", username: `AK(${modified.updator})` });
    });

    it("refuses invalid members, and a change of a dashboard that has changed meanwhile", async () => {
      const made = await create({ name: "strict" });
      for (const [body, message] of [
        [{ name: "" }, "name: must not be empty"],
        [{ name: null }, "name: expected string"],
        [{ desc: "x".repeat(2049) }, "desc: longer than 2048 characters"],
        [{ identifier: "x".repeat(129) }, "identifier: longer than 128 characters"],
        [{ extend: [] }, "extend: expected object"],
        [{ mapping: {} }, "mapping: expected array"],
        [{ mapping: [1] }, "mapping[0]: expected object"],
        [{ tagNames: [""] }, "tagNames[0]: must not be empty"],
        [{ tagNames: ["x".repeat(51)] }, "tagNames[0]: longer than 50 characters"],
        [{ isPublic: 1.5 }, "isPublic: expected integer"],
        [{ readPermissionSet: "x" }, "readPermissionSet: expected array"],
      ]) {
        expect((await post(`/dashboard/${made.uuid}/modify`, body)).body).toMatchObject({ code: 400, message });
      }
    });

    it("changes with If-Match only the state that the client has seen, by the ETag of any answer", async () => {
      const modify = (seen: string, desc = seen) =>
        platform.call(`/dashboard/${uuid}/modify`, { body: { desc }, headers: { "if-match": seen } });
      const made = await platform.call("/dashboard/create", { body: { name: "versions" } });
      const { uuid } = dashboardOf(made);
      const tagOf = ({ headers }: { readonly headers: (typeof made)["headers"] }) => String(headers.etag);
      expect(tagOf(made)).toMatch(/^"\d+-\d+"$/);
      for (const query of ["", "?withCharts=true"])
        expect(tagOf(await platform.call(`/dashboard/${uuid}/get${query}`))).toBe(tagOf(made));
      // The changes follow each other quickly, so most of them happen within the same second. Their ETags must differ
      // nevertheless.
      let seen = made;
      for (let at = 0; at < 20; at++) {
        const next = await modify(tagOf(seen), `${at}`);
        expect([next.status, tagOf(next) === tagOf(seen)]).toEqual([200, false]);
        expect((await modify(tagOf(seen), "late")).body).toMatchObject({ code: 412, errorCode: "VersionConflict" });
        seen = next;
      }
      // This request sets `desc` to the value that it already has, so the ETag stays unchanged.
      expect(tagOf(await modify(tagOf(seen), "19"))).toBe(tagOf(seen));
      expect((await modify("*", "any")).status).toBe(200);
      expect((await modify("soon")).body.message).toBe("If-Match: expected ETag, integer or *");
    });

    it("imports with If-Match only over the state that the client has seen", async () => {
      const made = await platform.call("/dashboard/create", { body: { name: "imports" } });
      const { uuid } = dashboardOf(made);
      const importOver = (seen: string, name: string) =>
        platform.call(`/dashboard/${uuid}/import`, {
          body: { templateInfo: { main: { charts: [{ name, type: "table", queries: [] }] } } },
          headers: seen === "" ? {} : { "if-match": seen },
        });
      const nameOfChart = async () => {
        const { content } = (await platform.call(`/dashboard/${uuid}/export`)).body;
        return (content as { main: { charts: { name: string }[] } }).main.charts[0]!.name;
      };
      const first = await importOver(String(made.headers.etag), "first");
      expect(first.status).toBe(200);
      expect((await importOver(String(made.headers.etag), "late")).body).toMatchObject({
        code: 412,
        errorCode: "VersionConflict",
      });
      expect(await nameOfChart()).toBe("first");
      expect((await importOver(String(first.headers.etag), "second")).status).toBe(200);
      expect((await importOver("", "any")).status).toBe(200);
      expect(await nameOfChart()).toBe("any");
    });

    it("distinguishes changes in quick succession and keeps their order; updateAt has whole seconds", async () => {
      const made: Dashboard[] = [];
      for (const name of ["first", "second", "third"]) made.push(await create({ name: `quick ${name}` }));
      let seen = made[0]!.updateAt;
      for (let at = 0; at < 200; at++) {
        const { updateAt } = dashboardOf(await post(`/dashboard/${made[0]!.uuid}/modify`, { desc: `${at}` }));
        expect([Number.isInteger(updateAt), updateAt >= seen, updateAt <= Date.now() / 1000]).toEqual([
          true,
          true,
          true,
        ]);
        seen = updateAt;
      }
      const names = async () =>
        ((await platform.call("/dashboard/list?search=quick")).body.content as Dashboard[]).map(({ name }) => name);
      expect(await names()).toEqual(["quick first", "quick third", "quick second"]);
      await post(`/dashboard/${made[1]!.uuid}/modify`, { desc: "x" });
      // The list shows the dashboard first that was changed last. Two dashboards that change in the same millisecond
      // have no fixed order, so the test waits until the next millisecond.
      const changed = Date.now();
      while (Date.now() === changed) await new Promise(setImmediate);
      await create({ name: "quick fourth" });
      expect(await names()).toEqual(["quick fourth", "quick second", "quick first", "quick third"]);
    });

    it("loses none of many changes made at the same time", async () => {
      const { uuid } = await create({ name: "crowd" });
      const members = ["desc", "identifier"] as const;
      const answers = await Promise.all(
        Array.from({ length: 20 }, (_, at) =>
          post(`/dashboard/${uuid}/modify`, at % 2 === 0 ? { [members[0]]: `d${at}` } : { [members[1]]: `i${at}` }),
        ),
      );
      expect(answers.map(({ status }) => status)).toEqual(Array(20).fill(200));
      const after = await get(uuid);
      // One client changed only `desc`, the other one only `identifier`. The dashboard has both changes, so no change
      // has overwritten another one.
      expect(after.desc).toMatch(/^d\d+$/);
      expect(after.identifier).toMatch(/^i\d+$/);
      expect(new Set(answers.map(({ headers }) => headers.etag)).size).toBe(20);
    });

    it("deletes a dashboard once, with any kind of empty body", async () => {
      for (const body of [undefined, "null", {}]) {
        const { uuid } = await create({ name: "short-lived", templateInfo: { main: { charts: [chart("c")] } } });
        const remove = () =>
          platform.call(`/dashboard/${uuid}/delete`, { method: "POST", ...(body === undefined ? {} : { body }) });
        expect((await remove()).body).toMatchObject({ code: 200, content: { [uuid]: "short-lived" } });
        expect((await remove()).body).toMatchObject({ code: 404, errorCode: "ObjectNotFound" });
        expect((await platform.call(`/dashboard/${uuid}/get`)).status).toBe(404);
        expect((await platform.call(`/dashboard/${uuid}/export`)).status).toBe(404);
      }
    });

    it("exports the created content; importing the export changes only the names of positions", async () => {
      const charts = [
        chart("first", {
          pos: { i: "p1", x: 0, y: 0, w: 12, h: 6 },
          group: { name: "g1" },
          extend: { settings: { a: 1 } },
        }),
        chart("second", { type: "text", queries: [{ query: { content: "# hello" } }] }),
      ];
      const vars = [{ code: "host", name: "Host", seq: 0, definition: { tag: "host" } }];
      const groups = ["g1", { name: "g2", extend: { color: "red" } }];
      const { uuid } = await create({
        name: "whole",
        tagNames: ["t"],
        templateInfo: { title: "x", summary: "s", dashboardExtend: { e: 1 }, main: { groups, vars, charts } },
      });
      const first = await exported(uuid);
      expect(first).toMatchObject({
        title: "whole",
        summary: "s",
        dashboardType: "CUSTOM",
        dashboardOwnerType: "node",
        dashboardExtend: { e: 1 },
        dashboardMapping: [],
        dashboardBindSet: [],
        iconSet: {},
        tagInfo: [{ name: "t" }],
        main: { type: "template", groups, vars },
      });
      expect(first.main.charts).toMatchObject([
        { ...charts[0] },
        { ...charts[1], group: { name: null }, extend: {}, pos: { x: 0, y: 6, w: 8, h: 9 } },
      ]);
      expect(
        JSON.stringify({ ...first.main, charts: first.main.charts.map(({ pos: _, ...rest }) => rest) }),
      ).not.toContain("chrt_");

      const before = await get(uuid);
      const imported = await post(`/dashboard/${uuid}/import`, { templateInfo: first });
      expect(dashboardOf(imported)).toMatchObject({
        uuid,
        name: "whole",
        createdWay: "import",
        tagInfo: before.tagInfo,
      });
      expect(dashboardOf(imported).chartPos[0].chartUUID).not.toBe(before.chartPos[0].chartUUID);
      const unnamed = (template: typeof first) => ({
        ...template,
        main: {
          ...template.main,
          charts: template.main.charts.map((each) => ({ ...each, pos: { ...each.pos, i: "" } })),
        },
      });
      expect(unnamed(await exported(uuid))).toEqual(unnamed(first));
    });

    it("imports the content of another dashboard, and keeps identifier and name", async () => {
      const { uuid } = await create({
        name: "stays",
        desc: "stays",
        templateInfo: { main: { charts: [chart("old")] } },
      });
      await post(`/dashboard/${uuid}/import`, { templateInfo: { title: "other", main: { charts: [chart("new")] } } });
      const after = await exported(uuid);
      expect([after.title, after.main.charts]).toMatchObject(["stays", [{ name: "new" }]]);
      await post(`/dashboard/${uuid}/import`, { templateInfo: { title: "nothing in it" } });
      expect((await exported(uuid)).main.charts).toEqual([]);
      expect(await get(uuid)).toMatchObject({ name: "stays", desc: "stays", chartPos: [] });
    });

    it("copies content, tags and visibility", async () => {
      const { uuid } = await create({
        name: "n".repeat(126),
        tagNames: ["t"],
        isPublic: 0,
        templateInfo: { main: { charts: [chart("c")] } },
      });
      const copy = dashboardOf(await post(`/dashboard/${uuid}/copy`, {}));
      expect(copy).toMatchObject({ name: `${"n".repeat(123)}_copy`, isPublic: 0, createdWay: "manual" });
      expect(copy.uuid).not.toBe(uuid);
      expect(copy.tagInfo.map(({ name }) => name)).toEqual(["t"]);
      const named = dashboardOf(await post(`/dashboard/${uuid}/copy`, { name: "copied" }));
      expect(named.name).toBe("copied");
      const [one, two] = [await exported(uuid), await exported(named.uuid)];
      expect({ ...two, title: "" }).toEqual({ ...one, title: "" });
    });

    it("returns charts and variables with get when they are requested", async () => {
      const { uuid, chartPos } = await create({
        name: "with charts",
        templateInfo: { main: { charts: [chart("c")], vars: [{ code: "v" }] } },
      });
      const full = await get(uuid, "?withCharts=true");
      expect(full.charts).toMatchObject([{ name: "c", uuid: chartPos[0].chartUUID, pos: chartPos[0].pos }]);
      expect(full.vars).toEqual([{ code: "v" }]);
      expect(await get(uuid, "?withCharts=false")).not.toHaveProperty("charts");
      expect((await platform.call(`/dashboard/${uuid}/get?withCharts=1`)).body.message).toBe(
        "withCharts: expected boolean",
      );
    });

    it("stores texts unchanged that are difficult for databases", async () => {
      const odd = "nul \u0000 half \ud800 quote ' \" % _ \\ 😀 \u202e";
      const made = await create({ name: odd, desc: odd, tagNames: ["tag\u0000"], extend: { [odd]: odd } });
      expect(await get(made.uuid)).toMatchObject({ name: odd, desc: odd, extend: { [odd]: odd } });
      const found = await platform.call(`/dashboard/list?search=${encodeURIComponent("QUOTE ' \" % _ \\ 😀")}`);
      expect((found.body.content as Dashboard[]).map(({ uuid }) => uuid)).toEqual([made.uuid]);
    });
  });
}
