// kill -9 of a platform that takes batches, checkpoints and deletes old points: what was acknowledged is there once, whatever was sent
// again, at the same time or after the restart. `MILLRACE_FAULT_ROUNDS` sets the number of kills (npm run fault: a quarter of 1,000).

import { expect, it } from "vitest";
import { send } from "../server/running-agent.ts";
import { ask, folder, platform } from "../server/running-platform.ts";

const rounds = Math.ceil(Number(process.env.MILLRACE_FAULT_ROUNDS ?? 20) / 4);
const clients = 4;

interface Sent {
  readonly id: string;
  readonly numbers: readonly number[];
  acknowledged: boolean;
}

interface Running {
  readonly url: string;
  readonly token: string;
}

/** The answer; undefined when the platform is gone. */
async function put({ url, token }: Running, category: string, id: string, lines: readonly string[]) {
  try {
    const { status, text } = await send(`${url}/v1/write/${category}?token=${token}`, {
      headers: { "x-pkg-id": id },
      body: lines.join("\n"),
    });
    return { status, content: (JSON.parse(text) as { content?: { points: number; repeated: boolean } }).content };
  } catch {
    return undefined;
  }
}

const linesOf = ({ numbers }: Sent, at: number) =>
  numbers.map((number) => `fault,host=h${number % 7} number=${number}i,text="point ${number}" ${at}`);

it(`kill -9 during ingest, ${rounds} rounds: each acknowledged batch is there once`, {
  timeout: 180_000 + rounds * 20_000,
}, async () => {
  const dataDir = folder();
  // What is old goes every 100 ms, with a checkpoint: kills hit those, too.
  const env = { PLATFORM_RETENTION: "network=1h", PLATFORM_RETENTION_INTERVAL: "100ms" };
  const time = Date.now() * 1e6;
  const batches: Sent[] = [];
  let number = 0;
  for (let round = 0; round < rounds; round++) {
    const running = await platform(dataDir, env);
    let killed = false;
    const client = async () => {
      while (!killed) {
        const numbers = Array.from({ length: 1 + Math.floor(Math.random() * 200) }, () => ++number);
        const batch: Sent = { id: `batch-${batches.length}`, numbers, acknowledged: false };
        batches.push(batch);
        // Twice at the same time, as a sender does that lost an answer: one is taken, the other told apart.
        const answers = await Promise.all([1, 2].map(() => put(running, "logging", batch.id, linesOf(batch, time))));
        const taken = answers.filter((answer) => answer?.status === 200);
        batch.acknowledged = taken.length > 0;
        if (taken.length === 2) expect(taken.map((answer) => answer!.content!.repeated).sort()).toEqual([false, true]);
        await put(running, "network", `old-${batch.id}`, [`old n=1i ${time - 7_200e9}`]);
      }
    };
    const writing = Promise.all(Array.from({ length: clients }, client));
    const acknowledged = () => batches.filter((batch) => batch.acknowledged).length;
    const enough = acknowledged() + 3;
    await new Promise((resolve) => setTimeout(resolve, 100 + Math.random() * 900));
    // On a busy machine that may be too early for any answer, but not each time.
    if (round % 2 === 0) await expect.poll(acknowledged, { interval: 5 }).toBeGreaterThanOrEqual(enough);
    await running.kill();
    killed = true;
    await writing;
  }
  const last = await platform(dataDir, env);
  const stored = async () => {
    const { status, series } = await ask(last.url, "L::fault:(number) [1d] LIMIT 100000", last.token);
    expect(status).toBe(200);
    const counts = new Map<number, number>();
    for (const [, value] of series[0]?.values ?? []) counts.set(Number(value), (counts.get(Number(value)) ?? 0) + 1);
    return counts;
  };
  const after = await stored();
  const acknowledged = batches.filter((batch) => batch.acknowledged);
  const lost = acknowledged.flatMap(({ numbers }) => numbers.filter((each) => after.get(each) !== 1));
  const parts = batches.filter(({ numbers }) => {
    const present = numbers.filter((each) => after.get(each) === 1).length;
    return present !== 0 && present !== numbers.length;
  });
  process.stdout.write(
    `fault platform: ${rounds} kills, ${batches.length} batches, acknowledged ${acknowledged.length}, lost or doubled ${lost.length}, in part ${parts.length}\n`,
  );
  expect(acknowledged.length).toBeGreaterThan(rounds);
  expect([lost, parts]).toEqual([[], []]);
  // All are sent again: those acknowledged before the kill are known, the others are taken now or are known, too.
  for (const batch of batches) {
    const answer = await put(last, "logging", batch.id, linesOf(batch, time));
    expect(answer?.status).toBe(200);
    expect(answer!.content!.repeated).toBe(after.has(batch.numbers[0]!));
  }
  const end = await stored();
  expect(end.size).toBe(number);
  expect([...end.values()].every((count) => count === 1)).toBe(true);
});
