// Pipelines (scripts for points) through the Open API: they are compiled before they are stored, each category has one
// default, and they can be disabled, exported, imported and fetched by agents.

import { readFileSync } from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { send } from "../../../support/running-agent.ts";
import { type RunningPlatform, startPlatform } from "../running-platform.ts";

let platform: RunningPlatform;
beforeAll(async () => {
  platform = await startPlatform();
});
afterAll(() => platform.stop());

interface Pipeline {
  readonly uuid: string;
  readonly name: string;
  readonly category: string;
  readonly content: string;
  readonly status: number;
  readonly asDefault: number;
  readonly updateAt: number;
}

const base64 = (text: string) => Buffer.from(text).toString("base64");
const content = base64('add_key(a, "b")');
const post = (at: string, body: unknown, key = platform.key) => platform.call(`/pipeline${at}`, { body, key });

async function add(body: object, key = platform.key): Promise<Pipeline> {
  const answer = await post("/add", { category: "logging", content, ...body }, key);
  expect(answer.status, answer.text).toBe(200);
  return answer.body.content as Pipeline;
}

async function list(query = "", key = platform.key): Promise<Pipeline[]> {
  return ((await platform.call(`/pipeline/list?pageSize=100&${query}`, { key })).body.content as { data: Pipeline[] })
    .data;
}

async function get(uuid: string): Promise<Pipeline> {
  return (await platform.call(`/pipeline/${uuid}/get`)).body.content as Pipeline;
}

describe("a pipeline", () => {
  it("is created, read, listed and found by name and category", async () => {
    const testData = base64('["one","two"]');
    const made = await add({ name: "access-日志_1", testData, source: ["nginx"], extend: { note: 1 } });
    expect(made).toMatchObject({
      uuid: expect.stringMatching(/^pl_[0-9a-f]{32}$/),
      name: "access-日志_1",
      category: "logging",
      content,
      testData,
      source: ["nginx"],
      asDefault: 0,
      status: 0,
      extend: { note: 1 },
      deleteAt: -1,
    });
    expect(await get(made.uuid)).toEqual(made);
    const other = await add({ name: "access-cpu", category: "metric" });
    const { body } = await platform.call("/pipeline/list?search=ACCESS&pageSize=1");
    expect(body.content).toEqual({ data: [other] });
    expect(body.pageInfo).toEqual({ count: 1, pageIndex: 1, pageSize: 1, totalCount: 2 });
    expect(await list("search=access&categories=logging,%20object")).toEqual([made]);
    expect((await platform.call("/pipelines/list?search=access&categories=metric")).body.content).toEqual({
      data: [other],
    });
  });

  it("changes only in the members that are sent, and not at all when none is sent", async () => {
    const made = await add({ name: "changed" });
    const modify = async (body: object) => (await post(`/${made.uuid}/modify`, body)).body.content as Pipeline;
    expect(await modify({})).toEqual(made);
    const renamed = await modify({ name: "renamed", category: "object", source: ["HOST"] });
    expect(renamed).toMatchObject({ name: "renamed", category: "object", source: ["HOST"], content });
    expect(renamed.updateAt).toBeGreaterThanOrEqual(made.updateAt);
    expect(Number.isInteger(renamed.updateAt)).toBe(true);
    expect(await get(made.uuid)).toEqual(renamed);
    expect(await list("search=renamed&categories=logging")).toEqual([]);
  });

  it("has a name that is unique in its category", async () => {
    const first = await add({ name: "same" });
    const duplicated = { code: 400, errorCode: "NameDuplicated", message: 'name: "same" already exists' };
    expect((await post("/add", { name: "same", category: "logging", content })).body).toMatchObject(duplicated);
    const second = await add({ name: "same", category: "rum" });
    expect((await post(`/${second.uuid}/modify`, { category: "logging" })).body).toMatchObject(duplicated);
    expect(await get(first.uuid)).toEqual(first);
    expect(await get(second.uuid)).toEqual(second);
  });

  const valid = { name: "a", category: "logging", content };
  it.each([
    [{}, "name: required"],
    [{ ...valid, name: "a b" }, /^name: does not match \^/],
    [{ ...valid, name: "a.p" }, /^name: does not match \^/],
    [{ ...valid, name: "x".repeat(257) }, "name: longer than 256 characters"],
    [{ ...valid, category: "logs" }, /^category: must be one of \[metric, /],
    [{ ...valid, content: "" }, "content: must not be empty"],
    [{ ...valid, content: "*" }, "content: expected base64"],
    [{ ...valid, content: "/w==" }, "content: expected base64 of UTF-8"],
    [{ ...valid, testData: base64("{}") }, "testData: expected base64 of a JSON list"],
    [{ ...valid, testData: base64("[") }, "testData: expected base64 of a JSON list"],
    [{ ...valid, source: "nginx" }, "source: expected array"],
    [{ ...valid, asDefault: 2 }, "asDefault: must be one of [0, 1]"],
    [{ ...valid, asDefault: true }, "asDefault: expected integer"],
    [{ ...valid, content: base64("add_key(a,\n  1 +)") }, /^content: a\.p:2:6: ./],
    [{ ...valid, content: base64("no_such_function()") }, /^content: a\.p:1:1: .*no_such_function/],
    [{ ...valid, content: base64('use("nowhere.p")') }, /^content: a\.p:1:[0-9]+: .*nowhere\.p/],
    [{ ...valid, content: base64("nothing(1)\nnothing(2)") }, /^content: a\.p:1:1: .* \(and 1 more\)$/],
  ])("with the body %j is refused", async (body, message) => {
    const answer = await post("/add", body);
    expect(answer.body).toMatchObject({ code: 400, content: {}, errorCode: "InvalidParameter" });
    if (typeof message === "string") expect(answer.body.message).toBe(message);
    else expect(answer.body.message).toMatch(message);
  });

  it("can use the enabled pipelines of its category, and a change with a mistake is refused", async () => {
    await add({ name: "used" });
    const body = { content: base64('use("used.p")') };
    const user = await add({ name: "user", ...body });
    expect((await post("/add", { name: "user", category: "rum", ...body })).body.message).toMatch(/used\.p/);
    const refused = await post(`/${user.uuid}/modify`, { content: base64("1 +") });
    expect(refused.body).toMatchObject({
      errorCode: "InvalidParameter",
      message: expect.stringMatching(/^content: user\.p:1:/),
    });
    expect(await get(user.uuid)).toEqual(user);
  });
});

describe("the default of a category", () => {
  it("is unique: another pipeline replaces it only with isForce", async () => {
    const first = await add({ name: "default-1", category: "tracing", asDefault: 1 });
    const body = { name: "default-2", category: "tracing", content, asDefault: 1 };
    expect((await post("/add", body)).body).toMatchObject({
      code: 400,
      errorCode: "InvalidParameter",
      message: 'asDefault: tracing has the default "default-1"; isForce replaces it',
    });
    expect(await list("categories=tracing")).toEqual([first]);
    const second = await add({ ...body, isForce: true });
    expect([(await get(first.uuid)).asDefault, (await get(second.uuid)).asDefault]).toEqual([0, 1]);
    const modify = (each: Pipeline, change: object) => post(`/${each.uuid}/modify`, change);
    expect((await modify(first, { asDefault: 1 })).status).toBe(400);
    expect((await modify(second, { asDefault: 1 })).status).toBe(200);
    expect((await modify(second, { asDefault: 0 })).body.content).toMatchObject({ asDefault: 0 });
    expect((await modify(first, { asDefault: 1 })).body.content).toMatchObject({ asDefault: 1 });
    expect((await modify(first, { extend: { a: 1 } })).body.content).toMatchObject({ asDefault: 1 });
    expect((await post("/delete", { pipelineUUIDs: [first.uuid] })).status).toBe(200);
    expect((await modify(second, { asDefault: 1 })).body.content).toMatchObject({ asDefault: 1 });
  });

  it("stays unique when many are created at the same time", async () => {
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, at) =>
        post("/add", { name: `race-${at}`, category: "profiling", content, asDefault: 1 }),
      ),
    );
    const made = answers.filter(({ status }) => status === 200).map(({ body }) => (body.content as Pipeline).uuid);
    expect(made).toHaveLength(1);
    const kept = await list("categories=profiling");
    expect(kept.map(({ uuid, asDefault }) => [uuid, asDefault])).toEqual([[made[0], 1]]);
  });
});

describe("many pipelines", () => {
  const absent = `pl_${"0".repeat(32)}`;

  it("are disabled and enabled, all or none", async () => {
    const [a, b] = [await add({ name: "set-a" }), await add({ name: "set-b" })];
    const set = (isDisable: boolean, pipelineUUIDs: string[]) =>
      post("/batch_set_disable", { isDisable, pipelineUUIDs });
    expect((await set(true, [a.uuid, b.uuid])).body.content).toEqual({ [a.uuid]: 2, [b.uuid]: 2 });
    expect([(await get(a.uuid)).status, (await get(b.uuid)).status]).toEqual([2, 2]);
    expect((await set(false, [b.uuid, absent])).body).toMatchObject({ code: 404, errorCode: "ObjectNotFound" });
    expect((await get(b.uuid)).status).toBe(2);
    expect((await set(false, [b.uuid])).body.content).toEqual({ [b.uuid]: 0 });
    expect((await set(true, [])).body.message).toBe("pipelineUUIDs: must not be empty");
    expect((await post("/batch_set_disable", {})).body.message).toBe("isDisable: required");
  });

  it("are deleted, all or none", async () => {
    const made = await add({ name: "gone" });
    expect((await post("/delete", { pipelineUUIDs: [made.uuid, absent] })).status).toBe(404);
    expect((await post("/delete", { pipelineUUIDs: [made.uuid] })).body.content).toEqual({ [made.uuid]: "gone" });
    expect((await post("/delete", { pipelineUUIDs: [made.uuid] })).status).toBe(404);
    expect((await platform.call(`/pipeline/${made.uuid}/get`)).status).toBe(404);
  });

  it("of another workspace are not found", async () => {
    const theirs = await add({ name: "theirs" }, platform.otherKey);
    const body = { pipelineUUIDs: [theirs.uuid] };
    for (const at of ["/delete", "/batch_set_disable", "/export"]) {
      expect((await post(at, { ...body, isDisable: true })).body).toMatchObject({
        code: 404,
        errorCode: "ObjectNotFound",
      });
    }
    expect((await platform.call(`/pipeline/export?pipelineUUIDs=${theirs.uuid}`)).status).toBe(404);
    expect(await list("", platform.otherKey)).toEqual([theirs]);
    expect((await list()).map(({ name }) => name)).not.toContain("theirs");
  });

  it("are exported and imported unchanged, also into another workspace", async () => {
    const made = await add({ name: "moved", category: "network", asDefault: 1, source: ["flow"], extend: { a: [1] } });
    const off = await add({ name: "moved-off", category: "network" });
    await post("/batch_set_disable", { isDisable: true, pipelineUUIDs: [off.uuid] });
    const chosen = { pipelineUUIDs: [made.uuid, off.uuid] };
    const exported = (await post("/export", chosen)).body.content as { pipelines: object[] };
    expect(exported.pipelines[0]).toEqual({
      name: "moved",
      category: "network",
      content,
      testData: "",
      source: ["flow"],
      asDefault: 1,
      status: 0,
      extend: { a: [1] },
    });
    const byQuery = await platform.call(`/pipeline/export?pipelineUUIDs=${made.uuid},${off.uuid}`);
    expect(byQuery.body.content).toEqual(exported);
    const all = (await platform.call("/pipeline/export")).body.content as { pipelines: object[] };
    expect(all.pipelines).toEqual(expect.arrayContaining(exported.pipelines));
    const imported = await post("/import", exported, platform.otherKey);
    expect((imported.body.content as { data: Pipeline[] }).data).toMatchObject(exported.pipelines);
    const again = (await platform.call("/pipeline/export", { key: platform.otherKey })).body.content;
    expect((again as { pipelines: object[] }).pipelines).toEqual(expect.arrayContaining(exported.pipelines));
    // An imported pipeline replaces the stored pipeline of the same name.
    const replaced = await post("/import", { pipelines: [{ ...exported.pipelines[0], source: ["other"] }] });
    expect((replaced.body.content as { data: Pipeline[] }).data).toMatchObject([
      { uuid: made.uuid, source: ["other"] },
    ]);
  });

  it("are imported all or none", async () => {
    const good = { name: "import-1", category: "security", content: base64('use("import-2.p")') };
    const second = { name: "import-2", category: "security", content };
    const cases: readonly (readonly [object[], RegExp])[] = [
      [[], /^pipelines: must not be empty$/],
      [[good], /^pipelines\[0\]\.content: import-1\.p:1:[0-9]+: .*import-2\.p/],
      [[good, { ...second, content: base64("(") }], /^pipelines\[[01]\]\.content: import-2\.p:1:/],
      [[second, second], /^pipelines\[1\]\.name: "import-2" is there twice$/],
      [
        [
          { ...good, asDefault: 1 },
          { ...second, asDefault: 1 },
        ],
        /^pipelines\[1\]\.asDefault: security has two defaults$/,
      ],
      [[good, { name: "x" }], /^pipelines\[1\]\.category: required$/],
    ];
    for (const [pipelines, message] of cases) {
      const answer = await post("/import", { pipelines });
      expect(answer.body).toMatchObject({ code: 400, errorCode: "InvalidParameter" });
      expect(answer.body.message).toMatch(message);
    }
    expect(await list("categories=security")).toEqual([]);
    expect((await post("/import", { pipelines: [good, second] })).status).toBe(200);
  });
});

describe("agents", () => {
  interface Pulled {
    readonly remote_pipelines: {
      readonly update_time: number;
      readonly pipelines: readonly {
        readonly name: string;
        readonly base64text: string;
        readonly asDefault: boolean;
      }[];
      readonly relation_update_time: number;
      readonly relation: readonly object[];
    };
  }

  it("fetch the enabled pipelines of their workspace with their sources and defaults", async () => {
    const own = await startPlatform();
    try {
      const token = readFileSync(path.join(own.dataDir, "platform", "token"), "utf8").trim();
      const pull = async (query = "", used = token) => {
        const at = `${own.url}/v1/agent/pull?token=${used}&remote_pipelines=true${query}`;
        const answer = await send(at, { method: "GET" });
        return { status: answer.status, pulled: (JSON.parse(answer.text) as Pulled).remote_pipelines };
      };
      const empty = { update_time: 1, pipelines: [], relation_update_time: 1, relation: [] };
      expect((await pull()).pulled).toEqual(empty);
      const made = await own.call("/pipeline/add", {
        body: { name: "nginx", category: "logging", content, asDefault: 1, source: ["access", "ingress"] },
      });
      const { uuid } = made.body.content as Pipeline;
      await own.call("/pipeline/add", { body: { name: "theirs", category: "logging", content }, key: own.otherKey });
      const first = (await pull()).pulled;
      expect(first).toEqual({
        update_time: expect.any(Number),
        pipelines: [{ name: "nginx.p", base64text: content, category: "logging", asDefault: true }],
        relation_update_time: expect.any(Number),
        relation: [
          { category: "logging", source: "access", name: "nginx.p" },
          { category: "logging", source: "ingress", name: "nginx.p" },
        ],
      });
      expect(first.update_time).toBeGreaterThan(1);
      // The version of the pipelines that agents fetch stays the same until a pipeline changes.
      const again = (await pull(`&relation_ts=${first.relation_update_time}`)).pulled;
      expect(again).toEqual({ ...first, relation_update_time: -1 });
      await own.call(`/pipeline/${uuid}/modify`, { body: { content: base64("drop()") } });
      const second = (await pull()).pulled;
      expect(second.update_time).not.toBe(first.update_time);
      expect(second.relation_update_time).toBe(first.relation_update_time);
      await own.call("/pipeline/batch_set_disable", { body: { isDisable: true, pipelineUUIDs: [uuid] } });
      expect((await pull()).pulled).toEqual(empty);
      expect((await pull("", `${token.slice(0, -1)}x`)).status).toBe(403);
    } finally {
      await own.stop();
    }
  });
});
