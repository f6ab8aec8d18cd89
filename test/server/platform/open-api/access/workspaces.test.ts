// Workspaces through the Open API. A client sees and changes the workspace of its API key and the members of this
// workspace. It can also make new workspaces, which other keys do not see.

import { afterAll, beforeAll, expect, it } from "vitest";
import { send } from "../../../support/running-agent.ts";
import { type RunningPlatform, startPlatform } from "../running-platform.ts";

let platform: RunningPlatform;
beforeAll(async () => {
  platform = await startPlatform();
});
afterAll(() => platform.stop());

interface Workspace {
  readonly uuid: string;
  readonly name: string;
  readonly desc: string;
  readonly memberCount: number;
  readonly token: string;
  readonly accessKey: { readonly sk: string; readonly uuid: string };
}

const get = async (key = platform.key) => (await platform.call("/workspace/get", { key })).body.content as Workspace;

it("returns the workspace of the key", async () => {
  const [one, two] = [await get(), await get(platform.otherKey)];
  expect([one.name, two.name]).toEqual(["one", "two"]);
  expect(one).toMatchObject({
    uuid: expect.stringMatching(/^wksp_[0-9a-f]{32}$/),
    desc: "",
    memberCount: 1,
    status: 0,
    versionType: "unlimited",
  });
});

it("accepts a unique name and a description, and keeps absent members", async () => {
  const modify = (body: object) => platform.call("/workspace/modify", { body });
  expect((await modify({ desc: "first" })).body.content).toMatchObject({ name: "one", desc: "first" });
  expect((await modify({ name: "uno" })).body.content).toMatchObject({ name: "uno", desc: "first" });
  expect((await modify({})).body.content).toEqual(await get());
  expect((await modify({ name: "two" })).body).toMatchObject({
    code: 400,
    errorCode: "NameDuplicated",
    message: 'name: "two" already exists',
  });
  expect((await modify({ name: "" })).body.message).toBe("name: must not be empty");
  expect((await modify({ desc: "x".repeat(2049) })).body.message).toBe("desc: longer than 2048 characters");
  expect(await get()).toMatchObject({ name: "uno", desc: "first" });
  expect(await get(platform.otherKey)).toMatchObject({ name: "two", desc: "" });
});

it("creates a workspace with a write token and a key that sees only this workspace", async () => {
  const answer = await platform.call("/workspace/create", { body: { name: "three", desc: "made here" } });
  const made = answer.body.content as Workspace;
  expect(made).toMatchObject({ name: "three", desc: "made here", memberCount: 1 });
  const { token, accessKey, ...record } = made;
  expect(await get(accessKey.sk)).toEqual(record);
  const write = await send(`${platform.url}/v1/write/object?token=${token}`, {
    method: "POST",
    headers: { "content-type": "text/plain" },
    body: `HOST,name=h3 load=1 ${Date.now()}000000\n`,
  });
  expect(write.status, write.text).toBe(200);
  const hosts = async (key: string) => {
    const { body } = await platform.call("/object/host/list", { key });
    return (body.content as { name: string }[]).map(({ name }) => name);
  };
  expect(await hosts(accessKey.sk)).toEqual(["h3"]);
  expect(await hosts(platform.key)).toEqual([]);
  const again = await platform.call("/workspace/create", { body: { name: "three" } });
  expect(again.body).toMatchObject({ code: 400, errorCode: "NameDuplicated" });
});

it("lists the keys of a workspace as its members", async () => {
  const { body } = await platform.call("/workspace/members/list");
  const [member, ...more] = body.content as { uuid: string }[];
  expect(more).toEqual([]);
  expect(member).toEqual({
    createAt: expect.any(Number),
    email: "",
    iconUrl: "",
    name: "key",
    roles: [{ name: "wsAdmin", uuid: "wsAdmin" }],
    status: 0,
    updateAt: expect.any(Number),
    username: `AK(${member.uuid})`,
    uuid: expect.stringMatching(/^wsak_/),
  });
  expect(body.pageInfo).toEqual({ count: 1, pageIndex: 1, pageSize: 50, totalCount: 1 });
});
