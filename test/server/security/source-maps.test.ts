// Source maps that are expensive to read: the agent refuses an upload of such a map, and reads a map that is already on
// disk only once.

import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { measure } from "../support/attack.ts";
import { type AgentProcess, startAgent } from "../support/running-agent.ts";
import { form, sourceMap, zip } from "../support/source-map-zip.ts";

const map = (mappings: string) => `{"version":3,"sources":["a.js"],"names":[],"mappings":"${mappings}"}`;
/** Returns a compressed archive of 100 KB, which contains a source map of 63 MB. */
const manyLines = () => zip({ "a.js.map": map(";".repeat(63_000_000)) });

async function start(): Promise<AgentProcess> {
  const agent = await startAgent({
    config: '[http_api]\nrequest_rate_limit = 0\nworkers = 1\n[gateway]\nurls = ["http://127.0.0.1:9?token=t1"]',
  });
  onTestFinished(() => agent.stop());
  return agent;
}

const error = (app: string) => ({
  body: `error,app_id=${app},sdk_name=web error_stack="f @ http://h/a.js:1:2" 1`,
});

it("the upload of a map with 63 million lines is refused with the reason", async () => {
  const agent = await start();
  const archive = manyLines();
  const attack = {
    name: "map of many lines",
    url: agent.url,
    pid: agent.pid,
    sent: `a zip of ${archive.length} bytes`,
  };
  const { peakMb, answer } = await measure(attack, async () => {
    const { text } = await agent.send("/v1/sourcemap?token=t1&app_id=app", form(archive));
    return text;
  });
  const file = path.join(agent.dataDir, "rum", "web", "app-none-none.zip");
  expect(JSON.parse(answer)).toEqual({
    content: null,
    errorMsg: `source map file [${file}] is refused: a.js.map has more than 2000000 lines`,
    success: false,
  });
  expect(peakMb).not.toBeGreaterThan(512);
  expect((await agent.send("/v1/write/rum", error("app"))).status).toBe(200);
  expect(agent.exitCode()).toBeNull();
});

it("a stored archive with such a map and an invalid archive are read once for many errors", async () => {
  const agent = await start();
  const folder = path.join(agent.dataDir, "rum", "web");
  mkdirSync(folder, { recursive: true });
  writeFileSync(path.join(folder, "app-none-none.zip"), manyLines());
  writeFileSync(path.join(folder, "torn-none-none.zip"), "no zip");
  const attack = { name: "errors of a costly map", url: agent.url, pid: agent.pid, sent: "20 errors" };
  await measure(attack, async () => {
    for (let at = 0; at < 20; at++)
      expect((await agent.send("/v1/write/rum", error(at % 2 === 0 ? "app" : "torn"))).status).toBe(200);
    return "200";
  });
  expect(agent.log().match(/is left out: more than 2000000 lines/g)).toHaveLength(1);
  expect(agent.exitCode()).toBeNull();
});

it("an entry of more than max_map_bytes is refused, and others are stored", async () => {
  const agent = await startAgent({
    config: '[gateway]\nurls = ["http://127.0.0.1:9?token=t1"]\n[rum]\nmax_map_bytes = 1000',
  });
  onTestFinished(() => agent.stop());
  const upload = async (files: Record<string, string>) =>
    JSON.parse((await agent.send("/v1/sourcemap?token=t1&app_id=app", form(zip(files)))).text);
  expect((await upload({ "a.js.map": map("A".repeat(1000)) })).errorMsg).toContain("a.js.map has more than 1000 bytes");
  expect((await upload({ "mapping.txt": "#".repeat(1001) })).errorMsg).toContain(
    "mapping.txt has more than 1000 bytes",
  );
  expect((await upload({ "a.js.map": sourceMap(["a.ts"], [[[0, 0, 0, 0]]]), "b.js.map": "{" })).success).toBe(true);
});
