// An API key reaches only its own workspace: the test calls every declared route with identifiers of objects in another
// workspace.

import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { Route } from "../../../../server/platform/open-api/protocol/route.ts";
import { millrace } from "../../support/millrace.ts";
import { send } from "../../support/running-agent.ts";
import { type RunningPlatform, startPlatform } from "./running-platform.ts";

const built = new URL("../../../../dist/server/platform/open-api/routes.js", import.meta.url).href;
const { routes } = (await import(
  /* @vite-ignore */ built
)) as typeof import("../../../../server/platform/open-api/routes.ts");

let platform: RunningPlatform;
beforeAll(async () => {
  platform = await startPlatform();
});
afterAll(() => platform.stop());

/**
 * For each kind of object, a function that makes an object in the other workspace (the workspace to which the tested
 * key has no access) and returns the identifier of the object.
 */
const make: Readonly<Record<string, () => Promise<string>>> = {
  dashboard: async () => {
    const body = { name: "theirs", templateInfo: { main: { charts: [{ name: "c", type: "text", queries: [] }] } } };
    const answer = await platform.call("/dashboard/create", { body, key: platform.otherKey });
    return (answer.body.content as { uuid: string }).uuid;
  },
  pipeline: async () => {
    const body = { name: `theirs-${randomUUID()}`, category: "logging", content: "ZHJvcCgp" };
    const answer = await platform.call("/pipeline/add", { body, key: platform.otherKey });
    return (answer.body.content as { uuid: string }).uuid;
  },
  blacklist: async () => {
    const answer = await platform.call("/blacklist/add", { body: { type: "logging" }, key: platform.otherKey });
    return (answer.body.content as { uuid: string }).uuid;
  },
  session: async () => {
    const url = `${platform.url}/v1/write/rum/replay?token=${platform.tokens.get("two")}`;
    const headers = { "content-type": "multipart/form-data; boundary=b" };
    const body = '--b\r\ncontent-disposition: form-data; name="session_id"\r\n\r\ntheirs\r\n--b--\r\n';
    expect((await send(url, { body, headers })).status).toBe(200);
    return "theirs";
  },
  key: async () => {
    const answer = await platform.call("/workspace/accesskey/add", {
      body: { name: "theirs" },
      key: platform.otherKey,
    });
    return (answer.body.content as { uuid: string }).uuid;
  },
};

const named = routes.filter(({ path }) => path.includes("{"));
const idOf = ({ path }: Route) => /\{(\w+)\}/.exec(path)![1]!;
const bodyOf = ({ examples, body }: Route) => (body === undefined ? {} : (examples[0]?.body ?? {}));

it.each(named.map((route) => [route.name, route] as const))(
  "%s does not find an object of another workspace",
  async (_name, route) => {
    const uuid = await make[idOf(route)]!();
    const at = route.path.replace(/\{\w+\}/, uuid);
    const asked = { method: route.method, ...(route.method === "POST" ? { body: bodyOf(route) } : {}) };
    const foreign = await platform.call(at, asked);
    expect(foreign.body).toMatchObject({
      code: 404,
      content: {},
      errorCode: "ObjectNotFound",
      message: `The operation object cannot be found: ${uuid}`,
    });
    // With a key of the other workspace the same request succeeds. So the object exists, and the refused request has
    // not changed it.
    const own = await platform.call(at, { ...asked, key: platform.otherKey });
    expect(own.body.message).toBe("");
  },
);

const changing = routes.filter(({ method, reads }) => method === "POST" && reads !== true);

it.each(changing.map((route) => [route.name, route] as const))(
  "%s is refused to a key that may only read",
  async (_name, route) => {
    const key = await platform.newKey("two", "--role", "readOnly");
    const uuid = route.path.includes("{") ? await make[idOf(route)]!() : "";
    const answer = await platform.call(route.path.replace(/\{\w+\}/, uuid), {
      method: "POST",
      body: bodyOf(route),
      key,
    });
    expect(answer.body).toMatchObject({
      code: 403,
      errorCode: "NoPermission",
      message: "No permission to access this data.",
    });
    expect((await platform.call("/dashboard/list", { key })).status).toBe(200);
  },
);

it("lists contain only objects of the key's workspace", async () => {
  await make.dashboard!();
  const { body } = await platform.call("/dashboard/list?pageSize=100");
  expect(body.content).toEqual([]);
  expect(body.pageInfo!.totalCount).toBe(0);
});

it("a key with two roles has the permissions of both", async () => {
  const key = await platform.newKey("one", "--role", "readOnly", "--role", "general");
  expect((await platform.call("/dashboard/create", { body: { name: "a" }, key })).status).toBe(200);
});

it("a key created on the command line works at once, and stops at once when it is revoked", async () => {
  const where = ["--data-dir", platform.dataDir];
  const made = await millrace(["key", "create", "--workspace", "three", "--name", "ci", ...where]);
  const key = made.out.trimEnd().split("\n").at(-1)!;
  expect(key).toMatch(/^[A-Za-z0-9]{32}$/);
  expect(made.out).toMatch(
    /^workspace {2}made now; agents write to it with the token tkn_[0-9a-f]{32}, which is shown this once\n/,
  );
  expect((await platform.call("/validate", { key })).status).toBe(200);
  const listed = await millrace(["key", "ls", "--workspace", "three", ...where]);
  const uuid = /^(wsak_[0-9a-f]{32}) .*three.*ci.*wsAdmin.*in use$/m.exec(listed.out)![1]!;
  expect(listed.out).not.toContain(key);
  expect(await millrace(["key", "revoke", uuid, ...where])).toMatchObject({
    code: 0,
    out: `${uuid} (ci) of the workspace three opens nothing any more\n`,
  });
  expect((await platform.call("/validate", { key })).body.errorCode).toBe("InvalidApiKey");
  expect((await millrace(["key", "ls", ...where])).out).not.toContain(uuid);
  expect(await millrace(["key", "revoke", uuid, ...where])).toMatchObject({ code: 1, out: "" });
});

it("the first workspace has the points of this machine, another those of its own token", async () => {
  const made = await millrace(["key", "create", "--workspace", "four", "--data-dir", platform.dataDir]);
  const token = /tkn_[0-9a-f]{32}/.exec(made.out)![0];
  const write = (used: string) =>
    fetch(`${platform.url}/v1/write/metric?token=${used}`, { method: "POST", body: "cpu load=1" });
  expect((await write(token)).status).toBe(200);
  expect((await write(`${token.slice(0, -1)}x`)).status).toBe(403);
});

it("mistakes on the command line are reported", async () => {
  const where = ["--data-dir", platform.dataDir];
  for (const [args, message] of [
    [["create"], "name the workspace: --workspace NAME\n"],
    [["create", "--workspace", "a", "--role", "king"], "unknown role king; one of owner, wsAdmin, general, readOnly\n"],
    [["ls", "--workspace", "nowhere"], "there is no workspace nowhere\n"],
    [["revoke", "wsak_x"], "there is no key wsak_x; millrace key ls lists them\n"],
  ] as const) {
    expect(await millrace(["key", ...args, ...where])).toEqual({ code: 1, out: "", err: message });
  }
});
