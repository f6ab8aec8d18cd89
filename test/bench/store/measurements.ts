// A load with very many measurements of a few points each. It shows that the store does not need a file, table or lock
// for each measurement.

import { rmSync } from "node:fs";
import { temporary } from "../http/targets.ts";
import { createRandom, epochMs, perBody, senders } from "./bodies.ts";
import type { Figure } from "./figures.ts";
import type { LoadOptions } from "./loads.ts";
import { ask, type Body, countAll, medianMs, type Question, sendAll, startPlatform } from "./platform.ts";

const pointsPerName = 5;
/** Distance in time between two points of the same measurement, in milliseconds. */
const stepMs = 60_000;
const range = [epochMs, epochMs + pointsPerName * stepMs] as const;
const asked = 20;

export async function* measurements({ scale }: LoadOptions): AsyncGenerator<Figure> {
  const names = Math.ceil(100_000 * scale);
  const dataDir = temporary();
  const platform = await startPlatform({ dataDir });
  try {
    const sent = await sendAll(platform, bodies(names), senders);
    yield { name: "writes not answered with 200", unit: "", measured: sent.refused, goal: { exactly: 0 } };
    yield { name: "points taken in a second", unit: "points/s", measured: Math.round(sent.points / sent.seconds) };
    const count = await countAll(platform, { dql: "M::*:(count(*))", range });
    yield { name: "points that DQL counts", unit: "", measured: count, goal: { exactly: sent.points } };

    const questions = Array.from({ length: Math.min(asked, names) }, (_, at): Question => {
      const name = nameOf(Math.floor((at * names) / asked));
      return { dql: `M::${name}:(count(used), avg(used))`, range };
    });
    let differing = 0;
    for (const question of questions) if ((await ask(platform, question))[0] !== pointsPerName) differing++;
    yield { name: "measurements whose count differs", unit: "", measured: differing, goal: { exactly: 0 } };
    const ms = await medianMs(platform, questions);
    yield { name: "query of one measurement", unit: "ms", measured: ms, goal: { atMost: 100 } };
    yield { name: "SIGTERM to exit", unit: "s", measured: await platform.stop(), goal: { atMost: 5 } };
    yield { name: "resident memory, most", unit: "GB", measured: platform.peakBytes() / 1024 ** 3 };
  } finally {
    await platform.kill();
    rmSync(dataDir, { recursive: true, force: true });
  }
}

/** Yields bodies with the first point of each measurement, then the second point of each, and so on. */
function* bodies(names: number): Generator<Body> {
  const random = createRandom();
  const points = names * pointsPerName;
  for (let from = 0; from < points; from += perBody) {
    const size = Math.min(perBody, points - from);
    const lines = Array.from({ length: size }, (_, at) => line((from + at) % names, Math.floor((from + at) / names)));
    yield { category: "metric", lines: lines.join("\n"), points: size };
  }

  function line(name: number, round: number): string {
    const time = (epochMs + round * stepMs) * 1000;
    const [used, load] = [(random() * 100).toFixed(2), (random() * 4).toFixed(3)];
    return `${nameOf(name)},host=web-${name % 100},region=eu-${name % 3},unit=u${name % 7} used=${used},load=${load},switches=${name * 7 + round}i,up=true ${time}000`;
  }
}

const nameOf = (index: number) => `measurement_${String(index).padStart(6, "0")}`;
