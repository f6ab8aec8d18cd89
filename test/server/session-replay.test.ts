// Session replays on their way through an agent: kept on disk until the gateway takes them, bytes untouched.

import { expect, it, onTestFinished } from "vitest";
import { millrace } from "./millrace.ts";
import { startAgent } from "./running-agent.ts";
import { startWorkspaces } from "./running-gateway.ts";

const path = "/v1/write/rum/replay";

it("are sent again until they are taken, each by itself and unchanged", async () => {
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
  // The agent asks for filters, too.
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

it("need a gateway", async () => {
  const agent = await startAgent();
  onTestFinished(() => agent.stop());
  const answer = await agent.send(path, { body: "x" });
  expect([answer.status, JSON.parse(answer.text).error_code]).toEqual([500, "agent.noGatewayAvailable"]);
});
