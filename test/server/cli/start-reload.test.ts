// `millrace start` after the signal SIGHUP: agent, gateway and platform use their new settings. The tests also use a
// data folder that cannot be created.

import { existsSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, it } from "vitest";
import { millrace } from "../support/millrace.ts";
import { send } from "../support/running-agent.ts";
import { addressOf, folder, run } from "../support/running-platform.ts";

it("SIGHUP reloads the settings of all services; an invalid configuration changes nothing", async () => {
  const dataDir = folder();
  const file = path.join(dataDir, "start.toml");
  const configure = (
    bytes: { readonly agent: number; readonly gateway: number; readonly platform: number },
    more = "",
  ) =>
    writeFileSync(
      file,
      `reload_interval = "1ms"
[http_api]
max_body_bytes = ${bytes.agent}
[gateway_api]
max_http_body_bytes = ${bytes.gateway}
[platform]
max_body_bytes = ${bytes.platform}
${more}`,
    );
  configure({ agent: 100_000, gateway: 100_000, platform: 100_000 });
  const args = ["--config", file, "--listen", "127.0.0.1:0", "--gateway-listen", "127.0.0.1:0"];
  const running = await run({
    command: "start",
    dataDir,
    args: [...args, "--platform-listen", "127.0.0.1:0"],
    service: ["agent", "gateway", "platform"],
  });
  const last = (service: string) => {
    const out = running.out();
    return addressOf(service, out.slice(out.lastIndexOf(`${service} listening on `)));
  };
  const body = `m v="${"x".repeat(50_000)}"`;
  const status = async (url: string) => (await send(`${url}/v1/write/metric?token=${running.token}`, { body })).status;
  // While a service restarts, it does not listen. A request that fails for this reason counts as status 0.
  const looked = async () => [
    await status(running.url).catch(() => 0),
    await status(last("platform")).catch(() => 0),
    /max_body="(\d+)"/.exec((await send(`${last("gateway")}/metrics`).catch(() => undefined))?.text ?? "")?.[1],
  ];
  expect(await looked()).toEqual([200, 200, "100000"]);

  configure({ agent: 1000, gateway: 2000, platform: 1000 });
  running.child.kill("SIGHUP");
  await expect.poll(looked, { timeout: 20_000 }).toEqual([413, 413, "2000"]);
  for (const service of ["gateway", "platform"]) {
    expect(running.log()).toContain(`the settings of the ${service} are read anew`);
  }

  // The new configuration file is not valid. So all services keep their settings.
  configure({ agent: 100_000, gateway: 500, platform: 100_000 }, "no TOML");
  running.child.kill("SIGHUP");
  await expect.poll(running.log, { timeout: 20_000 }).toContain("the configuration stays as it was");
  expect(await looked()).toEqual([413, 413, "2000"]);
});

// Node's recursive mkdir hangs for a path below /proc, so the commands must notice beforehand that the folder cannot be
// created.
it.skipIf(!existsSync("/proc/self")).each([
  ["agent", ["--listen", "127.0.0.1:0"]],
  ["gateway", ["--listen", "127.0.0.1:0"]],
  ["platform", ["--listen", "127.0.0.1:0"]],
  ["start", ["--listen", "127.0.0.1:0", "--gateway-listen", "none", "--platform-listen", "127.0.0.1:0"]],
])("millrace %s reports at once that a data folder cannot be created", async (command, args) => {
  const { code, err } = await millrace([command, ...args, "--data-dir", "/proc/x"]);
  expect([code, err]).toEqual([1, expect.stringContaining("ENOENT: no such file or directory, mkdir '/proc/x'")]);
});
