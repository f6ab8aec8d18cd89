// The header Idempotency-Key (a repeated request gets the first answer again) and the languages of messages, as clients
// see them over HTTP.

import { afterAll, beforeAll, expect, it } from "vitest";
import { type RunningPlatform, startPlatform } from "./running-platform.ts";

let platform: RunningPlatform;
beforeAll(async () => {
  platform = await startPlatform();
});
afterAll(() => platform.stop());

const create = (name: string, key: string, more: object = {}) =>
  platform.call("/dashboard/create", { body: { name }, headers: { "idempotency-key": key }, ...more });
const total = async (search: string) =>
  (await platform.call(`/dashboard/list?search=${search}`)).body.pageInfo!.totalCount;

it("returns the first answer for the same Idempotency-Key, and makes the change once", async () => {
  const first = await create("once", "k-1");
  const second = await create("once", "k-1");
  expect(second.body).toEqual({ ...first.body, traceId: second.body.traceId });
  expect(second.body.traceId).not.toBe(first.body.traceId);
  expect([first.headers["idempotency-replayed"], second.headers["idempotency-replayed"]]).toEqual([undefined, "true"]);
  expect(await total("once")).toBe(1);
  expect((await create("once", "k-2")).headers["idempotency-replayed"]).toBeUndefined();
  expect(await total("once")).toBe(2);
});

it("executes one of several simultaneous requests with the same key, and answers all of them", async () => {
  const answers = await Promise.all(Array.from({ length: 8 }, () => create("meanwhile", "k-3")));
  expect(new Set(answers.map(({ body }) => (body.content as { uuid: string }).uuid)).size).toBe(1);
  expect(await total("meanwhile")).toBe(1);
});

it("refuses a key that was used for another request, and an invalid key", async () => {
  await create("a", "k-4");
  expect((await create("b", "k-4")).body).toMatchObject({
    errorCode: "InvalidParameter",
    message: "Idempotency-Key: was sent with another request",
  });
  for (const key of ["x".repeat(65), "a b"]) {
    expect((await create("c", key)).body.message).toBe("Idempotency-Key: must have 1 to 64 characters");
  }
});

it("an Idempotency-Key belongs to one API key", async () => {
  await create("mine", "k-5");
  const other = await create("theirs", "k-5", { key: platform.otherKey });
  expect((other.body.content as { name: string }).name).toBe("theirs");
});

it("returns a refusal again, even when the request would succeed now", async () => {
  const uuid = `dsbd_custom_${"r".repeat(32)}`;
  const body = { name: "taken", specifyDashboardUUID: uuid };
  const ask = (key?: string) =>
    platform.call("/dashboard/create", { body, ...(key === undefined ? {} : { headers: { "idempotency-key": key } }) });
  await ask();
  const refused = await ask("k-6");
  expect(refused.body.errorCode).toBe("NameDuplicated");
  await platform.call(`/dashboard/${uuid}/delete`, { method: "POST" });
  expect((await ask("k-6")).body).toEqual({ ...refused.body, traceId: expect.any(String) });
  expect((await ask("k-7")).status).toBe(200);
});

it("does not return a secret a second time, and does not store it", async () => {
  const add = () =>
    platform.call("/workspace/accesskey/add", { body: { name: "robot" }, headers: { "idempotency-key": "k-8" } });
  const [first, second] = [await add(), await add()];
  const { sk } = first.body.content as { sk: string };
  expect(sk).toMatch(/^[A-Za-z0-9]{32}$/);
  expect(second.body.content).toEqual({ ...(first.body.content as object), sk: "" });
  const make = () =>
    platform.call("/workspace/create", { body: { name: "staging" }, headers: { "idempotency-key": "k-9" } });
  const made = (await make()).body.content as { token: string; accessKey: { sk: string } };
  expect(made.token).toMatch(/^tkn_/);
  const again = (await make()).body.content as typeof made;
  expect(again).toEqual({ ...made, token: "", accessKey: { ...made.accessKey, sk: "" } });
});

it("ignores the Idempotency-Key of requests that change nothing", async () => {
  const headers = { "idempotency-key": "k-10" };
  const [one, two] = [
    await platform.call("/dashboard/list?search=later", { headers }),
    await platform
      .call("/dashboard/create", { body: { name: "later" } })
      .then(() => platform.call("/dashboard/list?search=later", { headers })),
  ];
  expect([one.body.pageInfo!.totalCount, two.body.pageInfo!.totalCount]).toEqual([0, 1]);
});

it.each([
  ["/nothing", {}, "请求的路由地址不存在。"],
  ["/validate", { key: "wrong" }, "无效的 API KEY。"],
  ["/validate", { method: "POST" }, "仅支持 GET 和 POST。"],
  ["/dashboard/list?pageSize=0", {}, "pageSize: 必须在 1 到 100 之间"],
  ["/dashboard/create", { body: {} }, "name: 必填"],
  ["/dashboard/create", { body: { name: "x".repeat(129) } }, "name: 长度超过 128 个字符"],
  ["/dashboard/create", { body: { name: "a", isPublic: 7 } }, "isPublic: 必须是 [1, 0, -1] 之一"],
  ["/dashboard/dsbd_xyz/get", {}, "找不到操作对象：dsbd_xyz"],
  [
    "/dashboard/create",
    { body: "a=1", headers: { "content-type": "text/plain" } },
    "Content-Type 必须是 application/json。",
  ],
] as const)("%s %j is refused in Chinese where that is asked for", async (at, asked, message) => {
  const headers = "headers" in asked ? asked.headers : {};
  const answer = await platform.call(at, {
    ...asked,
    headers: { ...headers, "accept-language": "zh-CN,zh;q=0.9,en;q=0.8" },
  });
  expect(answer.body.message).toBe(message);
  const english = await platform.call(at, { ...asked, headers: { ...headers, "accept-language": "en, zh;q=0.5" } });
  expect(english.body.message).toMatch(/^[\x20-\x7e]+$/);
});
