// Kills an agent whose writes are accepted by several processes (intake processes): all its processes at once, only its
// main process, or only one of the other processes. Every point answered with 200 arrives at the gateway.
// `MILLRACE_FAULT_ROUNDS` sets the number of kills as in fault.test.ts.

import { expect, it } from "vitest";
import { childrenOf } from "../server/support/processes.ts";
import { type AgentProcess, startAgent } from "../server/support/running-agent.ts";
import { createLedger, writeUntil } from "./ledger.ts";
import { configOf, gatewayOfTest, settle } from "./setting.ts";

const rounds = Math.ceil(Number(process.env.MILLRACE_FAULT_ROUNDS ?? 20) / 20);

const pause = () => new Promise((resolve) => setTimeout(resolve, 50 + Math.random() * 300));

const kills: Readonly<Record<string, (agent: AgentProcess) => Promise<void>>> = {
  "all processes": async (agent) => {
    for (const pid of childrenOf(agent.pid)) process.kill(pid, "SIGKILL");
    await agent.kill();
  },
  "the main process": (agent) => agent.kill(),
  "one intake process": async (agent) => {
    const pids = childrenOf(agent.pid);
    const victim = pids[Math.floor(Math.random() * pids.length)];
    if (victim !== undefined) process.kill(victim, "SIGKILL");
    // The other processes keep running, and the agent starts a new process in place of the killed one.
    await pause();
    await agent.kill();
  },
};

it.each(Object.entries(kills))(
  `no acknowledged point is lost after kill -9 of %s (of three), ${rounds} rounds`,
  {
    timeout: 180_000 + rounds * 15_000,
  },
  async (name, kill) => {
    const gateway = await gatewayOfTest();
    const ledger = createLedger();
    const config = configOf(gateway).replace("[http_api]", "[http_api]\nprocesses = 3");
    let dataDir: string | undefined;
    for (let round = 0; round < rounds; round++) {
      const agent = await startAgent({ config, ...(dataDir === undefined ? {} : { dataDir }) });
      dataDir = agent.dataDir;
      let killed = false;
      const before = ledger.accepted.size;
      const writing = writeUntil(agent, ledger, 8, () => killed);
      await pause();
      if (round % 2 === 0) await expect.poll(() => ledger.accepted.size, { interval: 5 }).toBeGreaterThan(before);
      await kill(agent);
      killed = true;
      await writing;
    }
    const last = await startAgent({ config, dataDir: dataDir! });
    await settle(`kill -9 of ${name} of three`, ledger, gateway, last);
    await last.stop();
  },
);
