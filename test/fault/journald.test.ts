// An agent with [inputs.journald] is killed with `kill -9` again and again while entries are written to the journal.
// Every entry must arrive, and only entries that were being sent at a kill may arrive twice.
// `MILLRACE_FAULT_ROUNDS` sets the number of kills (default 5; `npm run fault`: 1,000).

import { setTimeout as wait } from "node:timers/promises";
import { expect, it } from "vitest";
import { journalOfTest } from "../server/support/fake-journal.ts";
import { startAgent } from "../server/support/running-agent.ts";
import { Arrivals } from "./arrivals.ts";
import { print } from "./ledger.ts";
import { configOf, gatewayOfTest } from "./setting.ts";

const rounds = Number(process.env.MILLRACE_FAULT_ROUNDS ?? 5);

it(`no journal entry is lost after kill -9 while the journal grows, ${rounds} rounds`, {
  timeout: 120_000 + rounds * 20_000,
}, async () => {
  const journal = journalOfTest();
  const gateway = await gatewayOfTest();
  const arrivals = new Arrivals(gateway);
  const config = `${configOf(gateway)}\n[inputs.journald]\nenable = true\nfrom = "start"\n`;
  let written = 0;
  const write = (entries: number) => {
    journal.write(Array.from({ length: entries }, () => `entry ${written++} end`));
  };
  const lost = () => arrivals.lost("entry", written);
  /**
   * Prints how many entries were written and how many have arrived. The test calls this function when no entry is
   * missing.
   */
  const printCounts = (kills: number) => {
    const { different, repeated } = arrivals.look();
    print(`journald, kill -9, ${kills} rounds`, {
      sent: written,
      refused: 0,
      arrived: different,
      repeated,
      lost: [],
    });
  };
  let dataDir: string | undefined;
  for (let round = 0; round < rounds; round++) {
    const agent = await startAgent({ config, ...journal, ...(dataDir === undefined ? {} : { dataDir }) });
    dataDir = agent.dataDir;
    if (round % 4 === 3) {
      await expect.poll(lost, { timeout: 120_000, interval: 100 }).toEqual([]);
      await wait(1000);
      expect(arrivals.look().settledAgain).toEqual([]);
      // Every entry so far has arrived, and the agent has saved its read position after the last of them. So none of
      // these entries may arrive again.
      arrivals.settle("entry", written);
      if (round % 50 < 4) printCounts(round);
    }
    const before = arrivals.look().different;
    let isKilled = false;
    const writing = (async () => {
      while (!isKilled) {
        write(5);
        await wait(10);
      }
    })();
    await wait(30 + Math.random() * 300);
    // Every second round waits for a new entry before the kill, so that the agent is killed while it reads the journal.
    if (round % 2 === 0)
      await expect.poll(() => arrivals.look().different, { timeout: 60_000, interval: 20 }).toBeGreaterThan(before);
    await agent.kill();
    isKilled = true;
    await writing;
    write(10);
  }
  const last = await startAgent({ config, ...journal, dataDir: dataDir! });
  await expect.poll(lost, { timeout: 120_000, interval: 500 }).toEqual([]);
  printCounts(rounds);
  expect(arrivals.different).toBe(written);
  expect(arrivals.settledAgain).toEqual([]);
  await last.stop();
});
