// `millrace platform --seed FILE` fills a new metadata store, on disk or in memory, with the workspaces and API keys of
// the file.

import { readdirSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, it } from "vitest";
import { createOpenApiClient } from "../../../../server/platform/open-api/client/client.ts";
import { millrace } from "../../support/millrace.ts";
import { type RunningPlatform, startPlatform } from "./running-platform.ts";

const workspace = (digit: number) => `wksp_${String(digit).repeat(32)}`;
const seed = {
  workspaces: [
    { uuid: workspace(1), name: "web" },
    { uuid: workspace(2), name: "shop" },
  ],
  keys: [
    { sk: "secret-of-web", uuid: `wsak_${"1".repeat(32)}`, name: "ci", workspaceUUID: workspace(1) },
    { sk: "secret-of-shop", uuid: `wsak_${"2".repeat(32)}`, name: "ci", workspaceUUID: workspace(2) },
  ],
};

const clientOf = ({ url }: RunningPlatform, key: string) => createOpenApiClient({ baseUrl: url, key, fetch });

it("keys of the seed open their workspaces, the same seed again changes nothing", async () => {
  const first = await startPlatform({ seed });
  await clientOf(first, "secret-of-web").createDashboard({ body: { name: "kept" } });
  expect((await clientOf(first, "secret-of-web").getWorkspace()).uuid).toBe(workspace(1));
  expect((await clientOf(first, "secret-of-shop").listDashboards()).content).toEqual([]);
  await first.stop("keep");
  const again = await startPlatform({ seed, dataDir: first.dataDir });
  const { content } = await clientOf(again, "secret-of-web").listDashboards();
  expect(content.map(({ name }) => name)).toEqual(["kept"]);
  expect(again.log()).not.toContain("secret-of");
  await again.stop();
});

it("a platform in memory keeps nothing after its end, and refuses keys of the command line", async () => {
  const config = '[store]\nurl = "memory:"\n';
  const first = await startPlatform({ seed, config });
  await clientOf(first, "secret-of-web").createDashboard({ body: { name: "gone" } });
  const made = await millrace([
    ...["key", "create", "--workspace", "web", "--data-dir", first.dataDir],
    ...["--config", path.join(first.dataDir, "platform.toml")],
  ]);
  expect(made).toEqual({
    code: 1,
    out: "",
    err: "store.url is memory: no other process reaches its keys; give them with millrace platform --seed\n",
  });
  await first.stop("keep");
  expect(readdirSync(path.join(first.dataDir, "platform")).filter((name) => name.includes("sqlite"))).toEqual([]);
  const again = await startPlatform({ seed, config, dataDir: first.dataDir });
  expect((await clientOf(again, "secret-of-web").listDashboards()).content).toEqual([]);
  await again.stop();
});

it("an invalid seed ends the platform with the mistake, without showing a secret", async () => {
  const platform = await startPlatform({ seed });
  await platform.stop("keep");
  const file = path.join(platform.dataDir, "other.json");
  const start = async (value: string) => {
    writeFileSync(file, value);
    return await millrace([...["platform", "--listen", "127.0.0.1:0", "--data-dir", platform.dataDir, "--seed", file]]);
  };
  const workspaces = [{ uuid: workspace(3), name: "web" }];
  expect(await start(JSON.stringify({ workspaces, keys: [] }))).toEqual({
    code: 1,
    out: "",
    err: `${file}: workspace ${workspace(3)}: another workspace has its name or its points\n`,
  });
  expect((await start('{"keys":[{"sk":"secret-of-web"')).err).toBe(`${file}: not JSON\n`);
  const missing = path.join(platform.dataDir, "missing.json");
  const gone = await millrace(["platform", "--listen", "127.0.0.1:0", "--seed", missing]);
  expect([gone.code, gone.err]).toEqual([1, `there is no file ${missing}\n`]);
  rmSync(platform.dataDir, { recursive: true, force: true });
});
