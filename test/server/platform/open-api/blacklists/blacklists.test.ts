// Blacklists (rules by which agents drop points) in the Open API: the filter conditions that are generated from them,
// requests that are refused, and agents that fetch and apply them.

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { compileCondition } from "../../../../../lib/filter/index.ts";
import type { Key } from "../../../../../lib/point/view.ts";
import { conditionOf } from "../../../../../server/platform/open-api/blacklists/blacklist-record.ts";
import { type RunningPlatform, startPlatform } from "../running-platform.ts";

interface Blacklist {
  readonly uuid: string;
  readonly type: string;
  readonly source: string;
  readonly conditions: string;
  readonly filters: readonly object[];
  readonly updateAt: number;
}

describe("the condition", () => {
  const host = { name: "host", operation: "in", condition: "and", value: ["127.0.0.1"] } as const;

  it("is written in the filter language", () => {
    expect(conditionOf({ type: "logging", source: "app", filters: [host] })).toBe(
      "{ source =  'app'  and ( host in [ '127.0.0.1' ] )}",
    );
    const status = { name: "status", operation: "not_match", condition: "or", value: ["err.*", "warn"] } as const;
    expect(conditionOf({ type: "metric", source: "", filters: [host, status] })).toBe(
      "{ measurement = re(`.*`) and ( host in [ '127.0.0.1' ] or status not_match [ 'err.*', 'warn' ] )}",
    );
  });

  it.each([
    ["object", "class"],
    ["custom_object", "class"],
    ["logging", "source"],
    ["keyevent", "source"],
    ["network", "source"],
    ["tracing", "service"],
    ["profiling", "service"],
    ["rum", "app_id"],
    ["security", "category"],
    ["metric", "measurement"],
  ] as const)("of %s names the source by %s", (type, key) => {
    expect(conditionOf({ type, source: "x", filters: [] })).toBe(`{ ${key} =  'x'  }`);
  });

  it("quotes any text and any name correctly", () => {
    const odd = 'it\'s \\ a \n "b" `c` 😀 \u0001';
    const names = ["and", "in", "a b", "größe", "host"];
    for (const name of names) {
      const text = conditionOf({
        type: "logging",
        source: odd,
        filters: [{ name, operation: "in", condition: "and", value: [odd, ""] }],
      });
      const { matches } = compileCondition(text);
      const subject = (value: string) => ({
        get: ({ text: key }: Key) => (key === "source" ? odd : key === name ? value : undefined),
      });
      expect([text, matches(subject(odd)), matches(subject("x"))]).toEqual([text, true, false]);
    }
  });
});

describe("over HTTP", () => {
  let platform: RunningPlatform;
  beforeAll(async () => {
    platform = await startPlatform();
  });
  afterAll(() => platform.stop());

  const filters = [{ name: "host", operation: "in", condition: "and", value: ["a", "b"] }];
  const add = async (body: object) => (await platform.call("/blacklist/add", { body })).body.content as Blacklist;

  it("a blacklist can be created, read, listed, changed, exported, imported and deleted", async () => {
    const made = await add({ type: "logging", source: "nginx", filters, name: "noise" });
    expect(made).toMatchObject({
      uuid: expect.stringMatching(/^blist_[0-9a-f]{32}$/),
      conditions: "{ source =  'nginx'  and ( host in [ 'a', 'b' ] )}",
      deleteAt: -1,
    });
    const all = await add({ type: "metric" });
    expect(all).toMatchObject({ source: "", filters: [], conditions: "{ measurement = re(`.*`) }" });
    expect((await platform.call(`/blacklist/${made.uuid}/get`)).body.content).toEqual(made);
    const listed = async (query: string) => {
      const { body } = await platform.call(`/blacklists/list?${query}`);
      return (body.content as Blacklist[]).map(({ uuid }) => uuid);
    };
    expect(await listed("search=NGI")).toEqual([made.uuid]);
    expect(await listed("search=noise&type=logging")).toEqual([made.uuid]);
    expect(await listed("type=metric")).toEqual([all.uuid]);
    expect(await listed("type=rum")).toEqual([]);
    const change = await platform.call(`/blacklist/${made.uuid}/modify`, { body: { type: "tracing" } });
    expect(change.body.content).toMatchObject({
      conditions: "{ service =  'nginx'  and ( host in [ 'a', 'b' ] )}",
      source: "nginx",
    });
    const { updateAt } = change.body.content as Blacklist;
    const same = await platform.call(`/blacklist/${made.uuid}/modify`, { body: {} });
    expect((same.body.content as Blacklist).updateAt).toBe(updateAt);
    const exported = await platform.call("/blacklist/export", { body: {} });
    const imported = await platform.call("/blacklist/import", { body: exported.body.content, key: platform.otherKey });
    const { data } = imported.body.content as { data: Blacklist[] };
    expect(data.map(({ conditions }) => conditions)).toEqual([
      "{ service =  'nginx'  and ( host in [ 'a', 'b' ] )}",
      "{ measurement = re(`.*`) }",
    ]);
    const wrong = await platform.call("/blacklist/delete", { body: { blacklistUUIDs: [made.uuid, data[0]!.uuid] } });
    expect(wrong.body.errorCode).toBe("ObjectNotFound");
    const gone = await platform.call("/blacklist/delete", { body: { blacklistUUIDs: [made.uuid, all.uuid] } });
    expect(gone.body.content).toEqual({ [made.uuid]: "noise", [all.uuid]: "" });
    expect(await listed("")).toEqual([]);
  });

  it.each([
    [{}, "type: required"],
    [
      { type: "logs" },
      "type: must be one of [metric, network, keyevent, object, custom_object, logging, tracing, rum, security, profiling]",
    ],
    [{ type: "logging", filters: [{ name: "host" }] }, "filters[0].operation: required"],
    [
      { type: "logging", filters: [...filters, { ...filters[0], operation: "is" }] },
      "filters[1].operation: must be one of [in, not_in, match, not_match]",
    ],
    [{ type: "logging", filters: [{ ...filters[0], value: [] }] }, "filters[0].value: must not be empty"],
  ])("refuses %j", async (body, message) => {
    expect((await platform.call("/blacklist/add", { body })).body.message).toBe(message);
  });

  it("refuses a filter that no agent could use", async () => {
    for (const filter of [
      { ...filters[0], operation: "match", value: ["("] },
      { ...filters[0], name: "a`b" },
    ]) {
      const answer = await platform.call("/blacklist/add", {
        body: { type: "logging", filters: [filters[0], filter] },
      });
      expect(answer.body.message).toMatch(/^filters\[1\]: /);
    }
  });

  it("a blacklist is sent only to the agents of its workspace", async () => {
    const created = await platform.call("/workspace/create", { body: { name: "with agents" } });
    const { token, accessKey } = created.body.content as { token: string; accessKey: { sk: string } };
    const pull = async (of: string) => {
      const answer = await fetch(`${platform.url}/v1/agent/pull?token=${of}&filters=true`);
      return (await answer.json()) as { filters: Record<string, string[]> };
    };
    expect(await pull(token)).toEqual({ filters: {} });
    for (const source of ["b", "a"]) {
      await platform.call("/blacklist/add", { body: { type: "logging", source }, key: accessKey.sk });
    }
    await platform.call("/blacklist/add", { body: { type: "rum", source: "x" } });
    expect(await pull(token)).toEqual({ filters: { logging: ["{ source =  'a'  }", "{ source =  'b'  }"] } });
  });
});
