// Files that agent, gateway and platform write can be accessed by their owner only, whatever the umask of the process.

import { chmodSync, mkdirSync, mkdtempSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { startAgent } from "../support/running-agent.ts";
import { startGatewayProcess } from "../support/running-gateway.ts";
import { folder, platform, write } from "../support/running-platform.ts";
import { form, sourceMap, zip } from "../support/source-map-zip.ts";

/**
 * Returns the names of the folder and of all files below it that users other than the owner can access, with their
 * permissions.
 */
function open(root: string): string[] {
  const names = ["", ...(readdirSync(root, { recursive: true }) as string[])];
  return names.flatMap((name) => {
    const there = statSync(path.join(root, name), { throwIfNoEntry: false });
    const rights = (there?.mode ?? 0) & 0o777;
    return (rights & 0o077) === 0 || there?.isSocket() ? [] : [`${name || "."} ${rights.toString(8)}`];
  });
}

const namesIn = (root: string) => (readdirSync(root, { recursive: true }) as string[]).sort();

it("an agent makes its output and source maps private, also existing files", async () => {
  const dataDir = mkdtempSync(path.join(tmpdir(), "millrace-rights-"));
  const output = path.join(dataDir, "output");
  mkdirSync(output);
  writeFileSync(path.join(output, "metric.lp"), "m v=0i 1\n");
  chmodSync(output, 0o777);
  chmodSync(path.join(output, "metric.lp"), 0o666);
  const agent = await startAgent({ dataDir, config: '[gateway]\nurls = ["http://127.0.0.1:9?token=t1"]' });
  const map = zip({ "a.js.map": sourceMap(["a.ts"], [[[0, 0, 0, 0]]]) });
  expect((await agent.send("/v1/sourcemap?token=t1&app_id=app", form(map))).status).toBe(200);
  expect((await agent.send("/v1/write/metric", { body: "m v=1i 1" })).status).toBe(200);
  await agent.kill();
  const alone = await startAgent({ dataDir });
  onTestFinished(() => alone.stop());
  for (const category of ["metric", "logging"]) {
    expect((await alone.send(`/v1/write/${category}`, { body: "m v=1i 1" })).status).toBe(200);
  }
  expect(namesIn(output)).toEqual(["logging.lp", "metric.lp"]);
  expect(open(output)).toEqual([]);
  const rum = path.join(dataDir, "rum");
  expect(namesIn(rum)).toEqual(["web", path.join("web", "app-none-none.zip")]);
  expect(open(rum)).toEqual([]);
  expect(open(path.join(dataDir, "queue"))).toEqual([]);
});

it("a gateway makes its folder private", async () => {
  const gateway = await startGatewayProcess({ config: '[gateway_api]\nremote_host = "http://127.0.0.1:9"' });
  onTestFinished(() => gateway.stop());
  expect((await gateway.send("/v1/write/metric?token=t", { body: "m v=1i 1" })).status).toBe(200);
  expect(open(path.join(gateway.dataDir, "gateway"))).toEqual([]);
});

it("a platform makes points and metadata private, also existing files", async () => {
  const dataDir = folder();
  const kept = path.join(dataDir, "platform");
  mkdirSync(kept);
  writeFileSync(path.join(kept, "metadata.sqlite"), "");
  chmodSync(kept, 0o755);
  chmodSync(path.join(kept, "metadata.sqlite"), 0o644);
  const { url, token } = await platform(dataDir);
  expect((await write(url, token, "m v=1i")).status).toBe(200);
  expect(namesIn(kept)).toEqual(expect.arrayContaining(["metadata.sqlite", "metadata.sqlite-wal", "points", "token"]));
  expect(open(kept)).toEqual([]);
});
