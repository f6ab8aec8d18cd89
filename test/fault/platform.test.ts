// Sends SIGKILL to a platform that stores batches with points of several days, packs and merges files and deletes old
// points. Each acknowledged point is stored exactly once, even when its batch is sent again at the same time or after
// the restart. The tests of this file do a part of the kills that `MILLRACE_FAULT_ROUNDS` sets (default 20; `npm run
// fault`: 1,000): a quarter of them with the default settings, and a fifth with settings that make the store pack and
// merge often.

import { expect, it } from "vitest";
import { send } from "../server/support/running-agent.ts";
import { ask, folder, platform } from "../server/support/running-platform.ts";

/**
 * The two configurations of the platform, each with a test of its own. `rounds` is the number of kills; `npm run fault`
 * kills the platform 250 times in the first test and 200 times in the second. `mostPoints` is the number of points in
 * the largest batch.
 */
const settings = [
  { doing: "ingest", rounds: kills(250), mostPoints: 200, env: {} },
  // The store packs after 2,000 points and merges three files at a time, so that some kills hit packing and merging.
  {
    doing: "ingest, packing and merging",
    rounds: kills(200),
    mostPoints: 1000,
    env: { PLATFORM_HOT_POINTS: "2000", PLATFORM_MERGE_FILES: "3" },
  },
] as const;
const clients = 4;
const categories = ["logging", "metric"] as const;
type Category = (typeof categories)[number];
const namespaces = { logging: "L", metric: "M" } as const;
const days = 5;
const dayNs = 86_400e9;

function kills(ofThousand: number): number {
  return Math.ceil((Number(process.env.MILLRACE_FAULT_ROUNDS ?? 20) * ofThousand) / 1000);
}

interface Sent {
  readonly id: string;
  readonly category: Category;
  readonly numbers: readonly number[];
  acknowledged: boolean;
}

interface Running {
  readonly url: string;
  readonly token: string;
}

/** Sends a batch. Returns the answer, or undefined when the platform has been killed. */
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

/**
 * Returns the points of a batch as lines. The time of each point lies on another day than that of the point before it.
 * `newest` is the latest possible time, in nanoseconds since 1970.
 */
const linesOf = ({ numbers }: Sent, newest: number) =>
  numbers.map((number) => {
    const time = BigInt(newest) - BigInt(number % days) * BigInt(dayNs);
    return `fault,host=h${number % 7} number=${number}i,text="point ${number}" ${time}`;
  });

for (const { doing, rounds, mostPoints, env: settingsEnv } of settings) {
  it(`each acknowledged batch is stored exactly once after kill -9 during ${doing}, ${rounds} rounds`, {
    timeout: 180_000 + rounds * 20_000,
  }, async () => {
    const dataDir = folder();
    // The platform deletes old points every 100 ms, so kills also hit deletions.
    const env = { PLATFORM_RETENTION: "network=1h", PLATFORM_RETENTION_INTERVAL: "100ms", ...settingsEnv };
    const time = Date.now() * 1e6;
    const batches: Sent[] = [];
    let number = 0;
    for (let round = 0; round < rounds; round++) {
      const running = await platform(dataDir, env);
      let killed = false;
      const client = async () => {
        while (!killed) {
          const numbers = Array.from({ length: 1 + Math.floor(Math.random() * mostPoints) }, () => ++number);
          const category = categories[batches.length % categories.length]!;
          const batch: Sent = { id: `batch-${batches.length}`, category, numbers, acknowledged: false };
          batches.push(batch);
          // Sends the batch twice at the same time, like a sender that lost an answer and tries again. The platform
          // must store one copy, and answer `repeated` for the second copy.
          const answers = await Promise.all(
            [1, 2].map(() => put(running, batch.category, batch.id, linesOf(batch, time))),
          );
          const taken = answers.filter((answer) => answer?.status === 200);
          batch.acknowledged = taken.length > 0;
          if (taken.length === 2)
            expect(taken.map((answer) => answer!.content!.repeated).sort()).toEqual([false, true]);
          await put(running, "network", `old-${batch.id}`, [`old n=1i ${time - 7_200e9}`]);
        }
      };
      const writing = Promise.all(Array.from({ length: clients }, client));
      const acknowledged = () => batches.filter((batch) => batch.acknowledged).length;
      const enough = acknowledged() + 3;
      await new Promise((resolve) => setTimeout(resolve, 100 + Math.random() * 900));
      // On a busy machine the platform may be killed before it has answered any batch. So every second round waits for
      // acknowledged batches before the kill.
      if (round % 2 === 0) await expect.poll(acknowledged, { interval: 5 }).toBeGreaterThanOrEqual(enough);
      await running.kill();
      killed = true;
      await writing;
    }
    const last = await platform(dataDir, env);
    const stored = async () => {
      const counts = new Map<number, number>();
      for (const category of categories) {
        // Each point has a number as its value. The platform returns at most 100,000 rows in an answer. Each query asks
        // for only 50,000 numbers, so that the answer has room for two rows of each number when points are stored
        // twice.
        for (let from = 1; from <= number; from += 50_000) {
          const within = `number >= ${from}, number < ${from + 50_000}`;
          const statement = `${namespaces[category]}::fault:(number) {${within}} [${days + 1}d] LIMIT 100000`;
          const { status, series } = await ask(last.url, statement, last.token);
          expect(status).toBe(200);
          for (const [, value] of series[0]?.values ?? [])
            counts.set(Number(value), (counts.get(Number(value)) ?? 0) + 1);
        }
      }
      return counts;
    };
    const after = await stored();
    const acknowledged = batches.filter((batch) => batch.acknowledged);
    const lost = acknowledged.flatMap(({ numbers }) => numbers.filter((each) => !after.has(each)));
    const doubled = [...after.keys()].filter((each) => after.get(each)! > 1);
    const parts = batches.filter(({ numbers }) => {
      const present = numbers.filter((each) => after.has(each)).length;
      return present !== 0 && present !== numbers.length;
    });
    process.stdout.write(
      `fault platform, ${doing}: ${rounds} kills, ${batches.length} batches, ${number} points, acknowledged ${acknowledged.length}, lost ${lost.length}, doubled ${doubled.length}, in part ${parts.length}\n`,
    );
    expect(acknowledged.length).toBeGreaterThan(rounds);
    expect({ lost, doubled, parts }).toEqual({ lost: [], doubled: [], parts: [] });
    // Sends all batches again. The platform must answer `repeated` for each batch that it has already stored, and
    // must store each batch that it has not stored yet.
    for (const batch of batches) {
      const answer = await put(last, batch.category, batch.id, linesOf(batch, time));
      expect(answer?.status).toBe(200);
      expect(answer!.content!.repeated).toBe(after.has(batch.numbers[0]!));
    }
    const end = await stored();
    expect(end.size).toBe(number);
    expect([...end.values()].every((count) => count === 1)).toBe(true);
  });
}
