// API keys managed through the Open API (the platform's HTTP API for management): a key is made, shown once, listed and
// deleted. The tests also check what a key of each role may do.

import { afterAll, beforeAll, expect, it } from "vitest";
import { type RunningPlatform, startPlatform } from "../running-platform.ts";

let platform: RunningPlatform;
beforeAll(async () => {
  platform = await startPlatform();
});
afterAll(() => platform.stop());

interface Key {
  readonly uuid: string;
  readonly name: string;
  readonly sk: string;
}

async function add(body: object, key?: string): Promise<Key> {
  const answer = await platform.call("/workspace/accesskey/add", { body, ...(key === undefined ? {} : { key }) });
  expect(answer.status, answer.text).toBe(200);
  return answer.body.content as Key;
}

const statusOf = async (at: string, key: string, body?: unknown) =>
  (await platform.call(at, { key, ...(body === undefined ? {} : { body }) })).status;

it("shows the secret of a key once, and later only the record without the secret", async () => {
  const made = await add({ name: "deploys", remark: "of the pipeline" });
  expect(made).toMatchObject({
    name: "deploys",
    remark: "of the pipeline",
    roleUUIDs: ["wsAdmin"],
    status: 0,
    deleteAt: -1,
    uuid: expect.stringMatching(/^wsak_[0-9a-f]{32}$/),
    sk: expect.stringMatching(/^[A-Za-z0-9]{32}$/),
    workspaceUUID: expect.stringMatching(/^wksp_[0-9a-f]{32}$/),
    creator: expect.stringMatching(/^wsak_[0-9a-f]{32}$/),
  });
  expect(await statusOf("/validate", made.sk)).toBe(200);
  const got = await platform.call(`/workspace/accesskey/${made.uuid}/get`);
  expect(got.body.content).toEqual({ ...made, sk: "" });
  const listed = await platform.call("/workspace/accesskey/list?search=DEPLOY");
  expect(listed.body.content).toEqual([{ ...made, sk: "" }]);
  expect(listed.body.pageInfo).toEqual({ count: 1, pageIndex: 1, pageSize: 50, totalCount: 1 });
  expect(got.text + listed.text).not.toContain(made.sk);
});

it("lists the newest keys first, in pages", async () => {
  const names = ["page a", "page b", "page c"];
  for (const name of names) await add({ name });
  const { body } = await platform.call("/workspace/accesskey/list?search=page&pageSize=2&pageIndex=2");
  expect((body.content as Key[]).map(({ name }) => name)).toEqual(["page a"]);
  expect(body.pageInfo).toEqual({ count: 1, pageIndex: 2, pageSize: 2, totalCount: 3 });
});

it("refuses a deleted key at once, and does not delete a key twice", async () => {
  const made = await add({ name: "short-lived" });
  const deleted = await platform.call(`/workspace/accesskey/${made.uuid}/delete`, { method: "POST" });
  expect(deleted.body.content).toEqual({ [made.uuid]: "short-lived" });
  expect(await statusOf("/validate", made.sk)).toBe(403);
  expect((await platform.call(`/workspace/accesskey/${made.uuid}/delete`, { method: "POST" })).status).toBe(404);
  expect((await platform.call(`/workspace/accesskey/${made.uuid}/get`)).status).toBe(404);
});

it("refuses a key with invalid fields or with a role that the API cannot assign", async () => {
  const cases: readonly (readonly [object, string])[] = [
    [{}, "name: required"],
    [{ name: "" }, "name: must not be empty"],
    [{ name: "a", remark: "x".repeat(513) }, "remark: longer than 512 characters"],
    [{ name: "a", roleUUIDs: "wsAdmin" }, "roleUUIDs: expected array"],
    [{ name: "a", roleUUIDs: [] }, "roleUUIDs: must not be empty"],
    [{ name: "a", roleUUIDs: ["readOnly", "owner"] }, "roleUUIDs[1]: must be one of [wsAdmin, general, readOnly]"],
  ];
  for (const [body, message] of cases) {
    const answer = await platform.call("/workspace/accesskey/add", { body });
    expect(answer.body).toMatchObject({ code: 400, errorCode: "InvalidParameter", message });
  }
});

it("lets a general key change objects but not keys, and a read-only key change neither", async () => {
  const general = await add({ name: "general", roleUUIDs: ["general"] });
  const reader = await add({ name: "reader", roleUUIDs: ["readOnly", "readOnly"] });
  const both = await add({ name: "both", roleUUIDs: ["readOnly", "wsAdmin"] });
  expect(reader).toMatchObject({ roleUUIDs: ["readOnly"] });
  const body = { name: "x" };
  const answers = await Promise.all(
    [general, reader, both].map(async ({ sk }) => [
      await statusOf("/workspace/accesskey/list", sk),
      await statusOf("/dashboard/create", sk, body),
      await statusOf("/workspace/accesskey/add", sk, body),
      await statusOf("/workspace/modify", sk, {}),
    ]),
  );
  expect(answers).toEqual([
    [200, 200, 403, 403],
    [200, 403, 403, 403],
    [200, 200, 200, 200],
  ]);
  // The permission is checked before the body is read, so the answer reports the missing permission and not the invalid
  // body.
  const refused = await platform.call("/workspace/accesskey/add", { key: reader.sk, body: "{" });
  expect(refused.body).toMatchObject({ errorCode: "NoPermission", message: "No permission to access this data." });
});

it("lets only an owner key delete the key of an owner", async () => {
  const owner = await platform.newKey("one", "--name", "the owner", "--role", "owner");
  const { body } = await platform.call("/workspace/accesskey/list?search=the%20owner");
  const at = `/workspace/accesskey/${(body.content as Key[])[0].uuid}/delete`;
  expect(await statusOf(at, platform.key, {})).toBe(403);
  expect(await statusOf("/validate", owner)).toBe(200);
  expect(await statusOf(at, owner, {})).toBe(200);
  expect(await statusOf("/validate", owner)).toBe(403);
});
