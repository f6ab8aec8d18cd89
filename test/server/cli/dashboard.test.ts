// `millrace dashboard` makes dashboards that come with the server ("ready dashboards"), and lists, exports and imports
// dashboards. It reaches the platform in two ways: through the agent of `millrace start` without an API key, and
// directly with an API key.

import { execFile } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { readyDashboard, readyDashboards } from "../../../server/dashboards/ready-dashboards.ts";
import { program, send } from "../support/running-agent.ts";
import { addressOf, launch, type Running, removeFolder, temporaryFolder } from "../support/running-platform.ts";

const dataDir = temporaryFolder();
let running: Running;
let platformAt: string;
beforeAll(async () => {
  const listen = ["--listen", "127.0.0.1:0", "--gateway-listen", "none", "--platform-listen", "127.0.0.1:0"];
  running = await launch({ command: "start", dataDir, args: listen, service: ["agent", "platform"] });
  platformAt = new URL(addressOf("platform", running.out())).host;
});
afterAll(async () => {
  await running.kill();
  removeFolder(dataDir);
});

interface Ended {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

function millrace(args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<Ended> {
  return new Promise((resolve) =>
    execFile(process.execPath, [program, ...args], { env: { ...process.env, ...env } }, (error, out, err) =>
      resolve({ code: error === null ? 0 : Number(error.code), out, err }),
    ),
  );
}

const ask = (...args: readonly string[]) => millrace(["dashboard", ...args, "--to", new URL(running.url).host]);
const made = (out: string) => /^dashboard {2}(dsbd_[0-9a-f]{32}), /.exec(out)?.[1] ?? out;

it("imports a ready-made dashboard, lists it, and exports its content", async () => {
  const imported = await ask("import", "nginx");
  expect(imported).toMatchObject({ code: 0, err: "" });
  const uuid = made(imported.out);
  expect(imported.out).toContain(`nginx, with ${readyDashboard("nginx")!.main.charts.length} charts`);
  const listed = await ask("list");
  expect(listed.out).toMatch(new RegExp(`\n${uuid} +nginx +${readyDashboard("nginx")!.main.charts.length} +20`));
  const exported = await ask("export", uuid);
  expect(JSON.parse(exported.out)).toMatchObject(JSON.parse(JSON.stringify(readyDashboard("nginx"))));
});

it("exports the bytes of the platform unchanged, and imports a file with unknown chart types", async () => {
  const file = path.join(dataDir, "mine.json");
  const chart = `{"name":"c","type":"of tomorrow","queries":[{"qtype":"x","query":{"n":9007199254740991}}],"extend":{"a":1.0}}`;
  writeFileSync(file, `{"title":"mine","main":{"charts":[${chart}]}}`);
  const uuid = made((await ask("import", file)).out);
  const again = made((await ask("import", file, "--name", "mine, \u001b[31mred")).out);
  expect(again).not.toBe(uuid);
  const { out } = await ask("export", uuid);
  const answer = await send(`${running.url}/openapi/v1/dashboard/${uuid}/export`);
  expect(answer.text).toContain(`"content":${out.trimEnd()},"errorCode"`);
  expect(out).toContain('"query":{"n":9007199254740991}');
  const listed = await ask("list");
  expect(listed.out).toMatch(/ mine /);
  // Control characters in the name of a dashboard are not sent to the terminal.
  expect(listed.out).toContain("mine, \\x1b[31mred");
  const copy = path.join(dataDir, "copy.json");
  writeFileSync(copy, out);
  expect(made((await ask("import", copy)).out)).toMatch(/^dsbd_/);
  expect(readFileSync(copy, "utf8")).toBe(out);
});

it("lists the ready-made dashboards without any request", async () => {
  const { code, out } = await millrace(["dashboard", "list", "--ready", "--to", "127.0.0.1:1"]);
  expect(code).toBe(0);
  for (const { name, needs } of readyDashboards) expect(out).toMatch(new RegExp(`\n${name} .*${needs.slice(0, 20)}`));
});

it("calls a platform with a key from the option, a file or the environment", async () => {
  const { out } = await millrace(["key", "create", "--workspace", "other", "--data-dir", dataDir]);
  const key = out.trim().split("\n").at(-1)!;
  const file = path.join(dataDir, "key");
  writeFileSync(file, `${key}\n`);
  const at = ["--host", platformAt];
  const imported = await millrace(["dashboard", "import", "host", ...at, "--key", `file:${file}`]);
  expect(imported).toMatchObject({ code: 0, err: "" });
  const uuid = made(imported.out);
  expect((await millrace(["dashboard", "export", uuid, ...at], { DF_API_KEY: key })).code).toBe(0);
  expect((await millrace(["dashboard", "list", ...at, "--key", key])).out).toContain(uuid);
  // When a user gives the key of another workspace, the agent uses this key instead of the key of this machine's
  // workspace.
  expect((await ask("list")).out).not.toContain(uuid);
  expect((await ask("list", "--key", key)).out).toContain(uuid);
  expect((await ask("list", "--key", key)).out).not.toContain(" nginx ");
});

it.each<[said: RegExp, ...args: readonly string[]]>([
  [/^Usage: millrace dashboard/],
  [/^Usage: millrace dashboard/, "list", "more"],
  [/^Usage: millrace dashboard/, "import"],
  [/^Usage: millrace dashboard/, "frob", "x"],
  [/ENOENT.*nothing\.json.*ready dashboards are millrace, host, nginx/, "import", "nothing.json"],
  [/package\.json|not the JSON object/, "import", "README.md"],
  [/\[InvalidParameter\] templateInfo\.main\.charts\[0\]\.name/, "import", "BAD"],
  [/is no identifier of a dashboard/, "export", "../list"],
  [/\[ObjectNotFound\]/, "export", "dsbd_00000000000000000000000000000000"],
  [/\[InvalidApiKey\].*millrace key create/, "list", "--key", "wrong"],
  [/ENOENT/, "list", "--key", "file:/none"],
])("prints %s", async (said, ...args) => {
  const bad = path.join(dataDir, "bad.json");
  writeFileSync(bad, '{"main":{"charts":[{"type":"x","queries":[]}]}}');
  const { code, err, out } = await ask(...args.map((each) => (each === "BAD" ? bad : each)));
  expect([code, out]).toEqual([1, ""]);
  expect(err).toMatch(said);
});

it("reports that no agent answers, and that a platform needs a key", async () => {
  const none = await millrace(["dashboard", "list", "--to", "127.0.0.1:1"]);
  expect([none.code, none.err]).toEqual([
    1,
    expect.stringMatching(/no agent answers at 127\.0\.0\.1:1.*millrace start/),
  ]);
  const keyless = await millrace(["dashboard", "list", "--host", platformAt]);
  expect([keyless.code, keyless.err]).toEqual([1, "--host: a platform needs a key: --key, or DF_API_KEY\n"]);
});
