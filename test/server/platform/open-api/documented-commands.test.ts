// Runs the commands of docs/reference/open-api.md unchanged against a platform, and checks that the page names every
// route.

import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { routes } from "../../../../server/platform/open-api/routes.ts";
import { type Envelope, type RunningPlatform, startPlatform } from "./running-platform.ts";

const page = readFileSync(new URL("../../../../docs/reference/open-api.md", import.meta.url), "utf8");

interface Command {
  readonly text: string;
  readonly status: number;
}

const commands = [...page.matchAll(/^```sh(?: status=(\d+))?\n(.*?)^```$/gms)].map(
  ([, status = "200", text]): Command => ({ status: Number(status), text: text! }),
);

let platform: RunningPlatform;
const folder = mkdtempSync(path.join(tmpdir(), "millrace-commands-"));
beforeAll(async () => {
  platform = await startPlatform();
});
afterAll(async () => {
  await platform.stop();
  rmSync(folder, { recursive: true, force: true });
});

/**
 * Runs all commands in one shell, because later commands use variables of earlier ones. After each command the shell
 * prints a marker line, by which the test separates the outputs.
 */
async function run(): Promise<readonly string[]> {
  const end = "-- end of a command --";
  const script = commands.map(({ text }) => `${text}\nprintf '\\n%s\\n' '${end}'\n`).join("");
  const token = readFileSync(path.join(platform.dataDir, "platform", "token"), "utf8").trim();
  const child = spawn("bash", ["-euc", script], {
    cwd: folder,
    env: { ...process.env, KEY: platform.key, API: `${platform.url}/api/v1`, TOKEN: token },
  });
  let out = "";
  let err = "";
  child.stdout.on("data", (chunk) => (out += chunk));
  child.stderr.on("data", (chunk) => (err += chunk));
  const code = await new Promise((resolve) => child.once("close", resolve));
  expect([code, err]).toEqual([0, ""]);
  return out.split(`${end}\n`).slice(0, -1);
}

it("every command on the page returns the documented status", async () => {
  const outputs = await run();
  expect(outputs).toHaveLength(commands.length);
  for (const [at, output] of outputs.entries()) {
    const answer = JSON.parse(output.trim()) as Envelope;
    expect([commands[at]!.text, answer.message === "" ? 200 : answer.code]).toEqual([
      commands[at]!.text,
      commands[at]!.status,
    ]);
  }
});

it("every route has a command on the page", () => {
  const text = commands.map((command) => command.text).join("\n");
  const missing = routes.filter(({ path: at }) => {
    const pattern = at.replace(/\{\w+\}/g, "\\$\\w+");
    return !new RegExp(`\\$API${pattern}(?=[\\s"?])`).test(text);
  });
  expect(missing.map(({ name }) => name)).toEqual([]);
});
