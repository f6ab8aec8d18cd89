// The audit log over HTTP: each change has one entry with its API key, request and difference. A workspace sees only
// its own changes.

import { afterAll, beforeAll, expect, it } from "vitest";
import { type RunningPlatform, startPlatform } from "../running-platform.ts";

let platform: RunningPlatform;
beforeAll(async () => {
  platform = await startPlatform();
});
afterAll(() => platform.stop());

interface Entry {
  readonly action: string;
  readonly actor: string;
  readonly at: number;
  readonly change: Readonly<Record<string, unknown>>;
  readonly kind: string;
  readonly traceId: string;
  readonly uuid: string;
}

async function changes(query = "", key?: string) {
  const { body } = await platform.call(`/audit/list${query}`, key === undefined ? {} : { key });
  return { entries: body.content as readonly Entry[], totalCount: body.pageInfo!.totalCount };
}

it("lists every change of an object, and no request that changed nothing", async () => {
  const before = Date.now();
  const made = await platform.call("/dashboard/create", { body: { name: "a" }, headers: { "x-trace-id": "made" } });
  const { uuid, creator } = made.body.content as { uuid: string; creator: string };
  const post = (action: string, body: object, trace: string) =>
    platform.call(`/dashboard/${uuid}/${action}`, { body, headers: { "x-trace-id": trace } });
  await post("modify", { name: "b", tagNames: ["t"] }, "changed");
  await post("modify", { name: "b" }, "the same");
  await post("modify", { name: "" }, "refused");
  await platform.call(`/dashboard/${uuid}/get`);
  const main = { charts: [{ name: "c", type: "text", queries: [] }] };
  await post("import", { templateInfo: { main } }, "imported");
  await post("delete", {}, "deleted");
  await post("delete", {}, "not there");

  const { entries, totalCount } = await changes(`?uuid=${uuid}`);
  expect(entries.map(({ action, traceId }) => [action, traceId])).toEqual([
    ["delete", "deleted"],
    ["import", "imported"],
    ["modify", "changed"],
    ["create", "made"],
  ]);
  expect(totalCount).toBe(4);
  for (const { actor, at, kind } of entries) {
    expect([actor, kind]).toEqual([creator, "dashboard"]);
    expect(at).toBeGreaterThanOrEqual(before);
    expect(at).toBeLessThanOrEqual(Date.now());
  }
  expect(Object.keys(entries[2]!.change).sort()).toEqual(["name", "tags"]);
  expect(entries[2]!.change.name).toEqual({ before: "a", after: "b" });
  expect(entries[1]!.change.createdWay).toEqual({ before: "manual", after: "import" });
  expect(entries[0]!.change.name).toEqual({ before: "b" });
  // The request with the trace id `changed` was the first request that used the tag `t`, so it created the tag. The
  // audit log has one entry for this.
  expect((await changes()).entries.filter(({ kind }) => kind === "tag")).toMatchObject([
    { action: "create", traceId: "changed", change: { name: { after: "t" } } },
  ]);
});

it("returns pages, lists changes of keys too, and shows nothing to another workspace", async () => {
  const all = await changes();
  const second = await changes("?pageSize=1&pageIndex=2");
  expect(second.entries).toEqual([all.entries[1]]);
  expect(second.totalCount).toBe(all.totalCount);
  expect(all.entries.at(-1)).toMatchObject({ action: "create", kind: "key", actor: "command line" });
  const others = await changes("", platform.otherKey);
  expect(others.entries.map(({ kind }) => kind)).toEqual(["key"]);
  expect(JSON.stringify([all, others])).not.toContain(platform.key);
});
