// Runs the commands of docs/reference/agent.md unchanged against an agent, and checks that the page names every route.

import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { afterAll, beforeAll, expect, it } from "vitest";
import { declaredErrors } from "../../../server/http/errors.ts";
import { type AgentProcess, startAgent } from "../support/running-agent.ts";

const page = readFileSync(new URL("../../../docs/reference/agent.md", import.meta.url), "utf8");

/**
 * The shell commands of the page. Each has the status and the error code that the server's answer must have, and the
 * body of the answer if the page shows it.
 */
const commands = [
  ...page.matchAll(/^```sh status=(\d+)(?: error=(\S+))?\n(.*?)^```\n(?:\n```json\n(.*?)^```\n)?/gms),
].map(([, status, code, text, body]) => ({ status: Number(status), code, text: text!, body }));

let agent: AgentProcess;
beforeAll(async () => {
  agent = await startAgent();
});
afterAll(() => agent.stop());

it("the page contains commands", () => {
  expect(commands.length).toBeGreaterThan(20);
});

it.each(commands)("$text", ({ status, code, text, body }) => {
  const script = `curl() { command curl -sS -w '\\n%{http_code}' "$@"; }\n${text}`;
  const { stdout, stderr } = spawnSync("bash", ["-euc", script], {
    env: { ...process.env, AGENT: agent.url },
    encoding: "utf8",
  });
  const [, answer, shown] = /^(.*)\n(\d+)$/s.exec(stdout) ?? [];
  expect([stderr, shown, answer]).toEqual(["", String(status), expect.anything()]);
  if (code !== undefined) expect(JSON.parse(answer!)).toMatchObject({ error_code: code });
  if (body !== undefined) expect(`${answer}\n`).toBe(body);
});

it("every route is on the page", () => {
  const folder = new URL("../../../server/agent/routes/", import.meta.url);
  const urls = readdirSync(folder).flatMap((file) =>
    [...readFileSync(new URL(file, folder), "utf8").matchAll(/\burl(?:: |\s*=\s*)"(\/[^"]+)"/g)].map(([, url]) => url!),
  );
  expect(urls.length).toBeGreaterThan(12);
  // The page need not describe the route by which a browser loads the assets of the playground.
  expect(urls.filter((url) => url !== "/assets/:file" && !page.includes(url))).toEqual([]);
});

it("all errors on the page are declared", () => {
  const named = [...page.matchAll(/\bagent\.[A-Za-z_]+(?=`|$|\n)/g)]
    .map(([name]) => name)
    .filter((name) => name !== "agent.md");
  expect(named.filter((name) => !Object.hasOwn(declaredErrors, name))).toEqual([]);
});
