// Session replays through an agent: the agent stores them unchanged on disk until the gateway accepts them, and
// a platform stores them for a limited time.

import { brotliCompressSync, gzipSync } from "node:zlib";
import { expect, it, onTestFinished } from "vitest";
import { startPlatform } from "../../platform/open-api/running-platform.ts";
import { millrace } from "../../support/millrace.ts";
import { send, startAgent } from "../../support/running-agent.ts";
import { startWorkspaces } from "../../support/running-gateway.ts";
import { addressOf, folder, run } from "../../support/running-platform.ts";

const path = "/v1/write/rum/replay";

it("session replays are sent again until they are accepted, each one alone and unchanged", async () => {
  const workspaces = await startWorkspaces();
  const agent = await startAgent({
    config: `[gateway]\nurls = ["${workspaces.url}/?token=abc"]\nretry_delay = "50ms"\n[io]\nflush_interval = "20ms"\n`,
  });
  onTestFinished(async () => {
    await agent.stop();
    await workspaces.close();
  });
  workspaces.behave("abc", { status: 503 });
  const bodies = [Buffer.from([0, 255, 10, 13]), Buffer.from([0, 255, 10, 13]), Buffer.from("x")];
  for (const body of bodies) {
    const headers = { "content-type": "multipart/form-data; boundary=b", "content-encoding": "br" };
    expect((await agent.send(path, { body, headers })).status).toBe(200);
  }
  await expect
    .poll(() => agent.log())
    .toContain("WARN requests of rum_replay wait on disk and are sent again in 1 s: ");
  const { out } = await millrace(["queue", "ls", "--data-dir", agent.dataDir]);
  expect(out).toMatch(/^rum_replay +3 +0 /m);
  workspaces.behave("abc", { status: 200 });
  // The agent also sends requests for filters to the same workspace. So only the requests to the path of replays count.
  const replays = () => workspaces.of("abc").filter((each) => each.path === path);
  await expect.poll(() => replays().length).toBe(3);
  const taken = replays();
  expect(taken.map(({ body }) => body)).toEqual(bodies);
  expect(new Set(taken.map(({ headers }) => headers["x-pkg-id"])).size).toBe(3);
  for (const each of taken) {
    expect(each).toMatchObject({
      path,
      headers: { "content-type": "multipart/form-data; boundary=b", "content-encoding": "br" },
    });
    expect(each.headers["x-global-tags"]).toBeUndefined();
  }
  expect((await agent.send(path, { method: "POST" })).status).toBe(400);
  workspaces.behave("abc", { status: 400 });
  await agent.send(path, { body: "refused" });
  await expect.poll(() => agent.log()).toContain("ERROR requests of rum_replay refused, kept as dead letters: ");
});

it("session replays need a gateway", async () => {
  const agent = await startAgent();
  onTestFinished(() => agent.stop());
  const answer = await agent.send(path, { body: "x" });
  expect([answer.status, JSON.parse(answer.text).error_code]).toEqual([500, "agent.noGatewayAvailable"]);
});

const form = (values: Readonly<Record<string, string>>) => {
  const parts = Object.entries(values).map(
    ([name, value]) => `--boundary7MA4\r\ncontent-disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`,
  );
  const file =
    '--boundary7MA4\r\ncontent-disposition: form-data; name="segment"; filename="s"\r\n\r\n\u0000\u00ff\r\n--boundary7MA4--\r\n';
  return Buffer.from(parts.join("") + file, "latin1");
};
const formType = { "content-type": "multipart/form-data; boundary=boundary7MA4" };

it.each([
  ["with a gateway between", ["--gateway-listen", "127.0.0.1:0"]],
  ["without one", ["--gateway-listen", "none"]],
])("session replays go from the agent of millrace start to the platform, %s", async (_, gateway) => {
  const dataDir = folder();
  const args = ["--listen", "127.0.0.1:0", ...gateway, "--platform-listen", "127.0.0.1:0"];
  const running = await run({ command: "start", dataDir, args, service: ["agent", "platform"] });
  const body = form({ app_id: "shop", session_id: "s-1" });
  const headers = { ...formType, "content-encoding": "br" };
  expect((await send(`${running.url}${path}`, { body: brotliCompressSync(body), headers })).status).toBe(200);
  const key = (await millrace(["key", "create", "--workspace", "web", "--data-dir", dataDir])).out
    .trimEnd()
    .split("\n")
    .at(-1)!;
  const ask = async (at: string) => {
    const url = `${addressOf("platform", running.out())}/api/v1/replay/${at}`;
    return JSON.parse((await send(url, { headers: { "df-api-key": key } })).text).content;
  };
  await expect.poll(() => ask("list")).toMatchObject([{ session: "s-1", parts: 1 }]);
  const { body: kept, ...part } = await ask("s-1/get");
  expect(Buffer.from(kept, "base64")).toEqual(body);
  expect(part).toMatchObject({ contentType: formType["content-type"], values: { app_id: "shop", session_id: "s-1" } });
  expect(running.log()).not.toContain("dead letter");
});

it("session replays are visible only to their workspace, stored once, and refused without a session", async () => {
  const platform = await startPlatform({ config: "[platform]\nmax_replay_bytes = 2000\n" });
  onTestFinished(() => platform.stop());
  const put = async (body: Uint8Array, headers: Readonly<Record<string, string>> = {}) => {
    const url = `${platform.url}${path}?token=${platform.tokens.get("two")}`;
    const { status, text } = await send(url, { body, headers: { ...formType, ...headers } });
    return status === 200 ? text : [status, ...Object.values(JSON.parse(text))];
  };
  const first = form({ session_id: "a" });
  for (const id of ["1", "1", "2"]) expect(await put(first, { "x-pkg-id": id })).toBe("");
  expect(await put(gzipSync(form({ session_id: "b", n: "1" })), { "content-encoding": "gzip" })).toBe("");
  const rows = async (at: string) => (await platform.call(`/replay/${at}`, { key: platform.otherKey })).body;
  const all = await rows("list");
  expect(all.pageInfo!.totalCount).toBe(2);
  expect(all.content).toEqual(
    expect.arrayContaining([
      expect.objectContaining({ session: "a", parts: 2 }),
      expect.objectContaining({ session: "b", parts: 1 }),
    ]),
  );
  const parts = (await rows("a/part/list")).content as { uuid: string }[];
  expect(parts).toHaveLength(2);
  for (const { uuid } of parts) {
    const { body } = (await rows(`a/get?part=${uuid}`)).content as { body: string };
    expect(Buffer.from(body, "base64")).toEqual(first);
  }
  for (const at of ["list", "a/part/list", "a/get", `a/get?part=${parts[0]!.uuid}`]) {
    const { body } = await platform.call(`/replay/${at}`);
    expect([at, body.errorCode]).toEqual([at, at === "list" ? "" : "ObjectNotFound"]);
    if (at === "list") expect(body.content).toEqual([]);
  }
  const shape = "the form of a session replay needs session_id: 1 to 128 letters, digits, - and _";
  for (const session of ["", "..", "a/b", "x".repeat(129)]) {
    expect(await put(form({ session_id: session }))).toEqual([400, "platform.invalidRequest", shape]);
  }
  expect(await put(Buffer.from("x"), { "content-type": "text/plain" })).toEqual([
    400,
    "platform.invalidRequest",
    expect.stringMatching(/^a session replay is a form: ./),
  ]);
  expect(await put(form({ session_id: "c", long: "x".repeat(2000) }))).toEqual([
    503,
    "platform.storeFailed",
    expect.stringMatching(/^the session replay is not kept: session replays take \d+ of 2000 bytes$/),
  ]);
});

it("session replays are accepted from pages of any origin, which may read a refusal", async () => {
  const agent = await startAgent();
  onTestFinished(() => agent.stop());
  const origin = "https://shop.example";
  const preflight = await agent.send(path, {
    method: "OPTIONS",
    headers: { origin, "access-control-request-method": "POST" },
  });
  const refused = await agent.send(path, { body: "x", headers: { origin } });
  expect([preflight.status, refused.status]).toEqual([204, 403]);
  for (const { headers } of [preflight, refused]) expect(headers["access-control-allow-origin"]).toBe(origin);
  expect(JSON.parse(refused.text).error_code).toBe("agent.publicAccessDisabled");
});
