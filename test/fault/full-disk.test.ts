// Agent and gateway on a real volume of 3 MB that becomes full. Both refuse writes with 503, /readyz shows the
// reason, and no write answered with 200 is lost. When they have sent the waiting writes, they accept new writes
// again. Only root may mount a volume, so the tests are skipped for other users;
// test/server/queue/outage.test.ts tests the queue alone without a volume.

import { execFileSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { millrace } from "../server/support/millrace.ts";
import { startAgent } from "../server/support/running-agent.ts";
import { startGatewayProcess, startWorkspaces } from "../server/support/running-gateway.ts";
import { createLedger, writeUntil } from "./ledger.ts";
import { configOf, during, gatewayOfTest, settle } from "./setting.ts";
import { canMount } from "./volume.ts";

/** Returns a folder on a new volume of 3 MB, which is removed when the test ends. */
function smallVolume(): string {
  const folder = mkdtempSync(path.join(tmpdir(), "millrace-volume-"));
  execFileSync("mount", ["-t", "tmpfs", "-o", "size=3m", "tmpfs", folder]);
  onTestFinished(() => {
    execFileSync("umount", ["-l", folder]);
    rmSync(folder, { recursive: true });
  });
  const data = path.join(folder, "data");
  mkdirSync(data);
  return data;
}

const linesWith = (log: string, text: string) => log.split("\n").filter((line) => line.includes(text)).length;
const cannot = "cannot be written";
const again = "can be written again";

it.skipIf(!canMount)(
  "an agent on a full volume reports the full disk, and recovers by itself once its gateway works again",
  async () => {
    const gateway = await gatewayOfTest();
    gateway.behave(500);
    const agent = await startAgent({ config: configOf(gateway), dataDir: smallVolume() });
    onTestFinished(() => agent.stop());
    const ready = async () => (await agent.send("/readyz")).status;
    const ledger = createLedger();
    await writeUntil(agent, ledger, 4, () => ledger.refused > 2000, 1000, 200);
    // The points have a tag `padding` with random text. The agent keeps large bodies compressed, and text that is not
    // random would be compressed to few bytes and would not fill the disk.
    const padding = () => randomBytes(500).toString("hex");
    const many = Array.from({ length: 200 }, (_, at) => `other,padding=${padding()} at=${at}i 1`).join("\n");
    const refused = await agent.send("/v1/write/metric", { body: many });
    expect([refused.status, refused.headers["retry-after"]]).toEqual([503, "5"]);
    expect(refused.text).toContain("the queue could not be written: ENOSPC");
    const unready = await agent.send("/readyz");
    expect([unready.status, JSON.parse(unready.text)]).toEqual([
      503,
      { status: "not ready", problems: ["the queue of metric cannot be written: ENOSPC"] },
    ]);
    expect([linesWith(agent.log(), cannot), linesWith(agent.log(), again)]).toEqual([1, 0]);
    expect((await agent.send("/monitor")).text).toMatch(
      /LAST ERRORS<\/h2><p>\S+ ago {2}queue: cannot be written: ENOSPC<\/p>/,
    );

    // No client writes while the agent recovers, so the agent must notice by itself that the disk has room again.
    gateway.behave(200);
    await expect.poll(ready, { timeout: 30_000 }).toBe(200);
    expect([linesWith(agent.log(), cannot), linesWith(agent.log(), again)]).toEqual([1, 1]);
    expect(agent.log()).toMatch(/queue metric can be written again; \d+ points of metric were refused meanwhile/);
    const before = ledger.accepted.size;
    await during(agent, ledger, 50);
    expect(ledger.accepted.size).toBeGreaterThan(before);
    await settle("a full volume of 3 MB", ledger, gateway, agent);
  },
);

/** Fills the volume with one file and returns the path of this file. Removing the file makes room again. */
function filled(dataDir: string): string {
  const filler = path.join(dataDir, "filler");
  try {
    writeFileSync(filler, Buffer.alloc(4 << 20));
  } catch (error) {
    expect(error).toMatchObject({ code: "ENOSPC" });
  }
  return filler;
}

it.skipIf(!canMount)(
  "an agent with three processes lists the disk errors of all processes among its last errors",
  async () => {
    const gateway = await gatewayOfTest();
    gateway.behave(500);
    const dataDir = smallVolume();
    const config = configOf(gateway).replace("[http_api]", "[http_api]\nprocesses = 3");
    const agent = await startAgent({ config, dataDir });
    onTestFinished(() => agent.stop());
    filled(dataDir);
    const written = ["metric", "network", "object", "custom_object", "tracing", "profiling", "security", "logging"];
    const { hostname, port } = new URL(agent.url);
    for (const category of written) {
      const body = `m,padding=${randomBytes(20_000).toString("hex")} v=1i 1`;
      const { status } = await agent.send(`/v1/write/${category}`, { body });
      expect([category, status]).toEqual([category, 503]);
      // The agent passes a connection to the process with the fewest connections. This connection stays open, so the
      // agent passes the next connection to another process.
      const stays = connect(Number(port), hostname);
      onTestFinished(() => void stays.destroy());
      await once(stays, "connect");
    }
    const { text } = await agent.send("/metrics");
    const told = [
      ...text.matchAll(/^agent_last_err\{input="queue",.*category="(\w+)",error="cannot be written: ENOSPC"\}/gm),
    ];
    expect(told.map(([, category]) => category).sort()).toEqual([...written].sort());
    const line = "queue: cannot be written: ENOSPC";
    expect((await agent.send("/monitor")).text.match(new RegExp(`<p>\\S+ ago {2}${line}</p>`, "g"))).toHaveLength(1);
    const { out } = await millrace(["monitor", "--to", new URL(agent.url).host, "--once", "-M", "E"]);
    expect(out).toMatch(new RegExp(`^LAST ERRORS\n\\d+s ago {2}${line}\n\n*$`));
  },
);

it.skipIf(!canMount)(
  "an agent without a gateway lists the disk error of its output files among its last errors",
  async () => {
    const dataDir = smallVolume();
    const agent = await startAgent({ config: "", dataDir });
    onTestFinished(() => agent.stop());
    filled(dataDir);
    const body = `m,padding=${"x".repeat(50_000)} v=1i 1`;
    expect((await agent.send("/v1/write/metric", { body })).status).toBe(503);
    const row = /LAST ERRORS<\/h2><p>\S+ ago {2}output: cannot be written: ENOSPC<\/p>/;
    expect((await agent.send("/monitor")).text).toMatch(row);
  },
);

it.skipIf(!canMount)(
  "a gateway on a full volume reports the full disk, and recovers by itself once its target works again",
  async () => {
    const workspaces = await startWorkspaces();
    onTestFinished(() => workspaces.close());
    const token = `tkn_${"a".repeat(32)}`;
    workspaces.behave(token, { status: 500 });
    const gateway = await startGatewayProcess({
      dataDir: smallVolume(),
      rules: { strict: true, rules: [{ rules: ["*"], url: `${workspaces.url}/?token=${token}` }] },
      config: '[gateway_api.cache]\nretry_delay = "20ms"\nclean_interval = "100ms"',
    });
    onTestFinished(() => gateway.stop());
    const write = (number: number) =>
      gateway.send("/v1/write/metric", {
        body: `m,padding=${"x".repeat(200_000)} number=${number}i`,
        headers: { "x-global-tags": "app=x", "x-points": "1" },
      });
    const taken: number[] = [];
    let last = await write(0);
    for (let number = 1; last.status === 200; number++) {
      taken.push(number - 1);
      last = await write(number);
    }
    expect(taken.length).toBeGreaterThan(5);
    for (let at = 0; at < 20; at++) last = await write(1000);
    expect([last.status, last.headers["retry-after"], JSON.parse(last.text).error_code]).toEqual([
      503,
      "5",
      "gateway.queueFailed",
    ]);
    const unready = await gateway.send("/readyz");
    expect(unready.status).toBe(503);
    expect(JSON.parse(unready.text).problems).toEqual([
      expect.stringMatching(/^the queue of \S+ cannot be written: ENOSPC$/),
    ]);
    expect([linesWith(gateway.log(), cannot), linesWith(gateway.log(), again)]).toEqual([1, 0]);

    workspaces.behave(token, { status: 200 });
    await expect.poll(async () => (await gateway.send("/readyz")).status, { timeout: 30_000 }).toBe(200);
    expect([linesWith(gateway.log(), cannot), linesWith(gateway.log(), again)]).toEqual([1, 1]);
    const numbers = () => workspaces.lines(token).map((line) => Number(/number=(\d+)i/.exec(line)?.[1]));
    await expect.poll(() => numbers()).toEqual(taken);
  },
);

it.skipIf(!canMount)(
  "an agent notices when another program fills the volume, and when the volume has room again",
  async () => {
    const gateway = await gatewayOfTest();
    gateway.behave(500);
    const dataDir = smallVolume();
    const agent = await startAgent({ config: configOf(gateway), dataDir });
    onTestFinished(() => agent.stop());
    const ledger = createLedger();
    await during(agent, ledger, 20);
    const filler = filled(dataDir);
    await writeUntil(agent, ledger, 4, () => ledger.refused > 0);
    expect((await agent.send("/readyz")).status).toBe(503);
    rmSync(filler);
    await expect.poll(async () => (await agent.send("/readyz")).status, { timeout: 30_000 }).toBe(200);
    gateway.behave(200);
    await settle("a volume that was filled", ledger, gateway, agent);
  },
);
