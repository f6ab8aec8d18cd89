// An ordinary load: metric points and access logs in bodies of 5,000 points, from one sender and from many
// senders. It shows that the store has not become slower or larger for ordinary data because of changes for the
// extreme loads.

import { rmSync } from "node:fs";
import { temporary } from "../http/targets.ts";
import { bodies, epochMs, perBody, senders, timeOfPoint } from "./bodies.ts";
import type { Figure } from "./figures.ts";
import type { LoadOptions } from "./loads.ts";
import { ask, type Body, diskBytes, quiet, sendAll, startPlatform } from "./platform.ts";

const kinds = [
  { category: "metric", counted: "M::cpu:(count(*))", bytesPerPoint: 9.8 },
  { category: "logging", counted: "L::nginx:(count(*))", bytesPerPoint: 65.5 },
] as const;

export async function* ordinary({ scale, quietSeconds }: LoadOptions): AsyncGenerator<Figure> {
  const points = Math.ceil(1_000_000 * scale);
  const range = [epochMs, Number(timeOfPoint(points) / 1_000_000n)] as const;
  for (const { category, counted, bytesPerPoint } of kinds) {
    // The bodies are made before the measured time begins.
    const all = Array.from(bodies(category, points), (lines, at): Body => {
      return { category, lines, points: Math.min(perBody, points - at * perBody) };
    });
    for (const count of [1, senders]) {
      const name = `${category}, ${count} ${count === 1 ? "sender" : "senders"}`;
      const dataDir = temporary();
      let platform = await startPlatform({ dataDir });
      try {
        const [empty, used] = [diskBytes(dataDir), platform.cpuSeconds()];
        const sent = await sendAll(platform, all, count);
        yield { name: `${name}: writes not answered with 200`, unit: "", measured: sent.refused, goal: { exactly: 0 } };
        yield { name: `${name}: taken`, unit: "points/s", measured: Math.round(sent.points / sent.seconds) };
        await quiet(platform, quietSeconds);
        const micros = ((platform.cpuSeconds() - used) / points) * 1e6;
        yield { name: `${name}: processor time until quiet`, unit: "us a point", measured: micros };
        const [stored] = await ask(platform, { dql: counted, range });
        yield { name: `${name}: points that DQL counts`, unit: "", measured: stored!, goal: { exactly: sent.points } };
        await platform.stop();
        platform = await startPlatform({ dataDir });
        await quiet(platform, quietSeconds);
        const bytes = (diskBytes(dataDir) - empty) / points;
        yield { name: `${name}: disk`, unit: "bytes a point", measured: bytes, goal: { atMost: bytesPerPoint } };
      } finally {
        await platform.kill();
        rmSync(dataDir, { recursive: true, force: true });
      }
    }
  }
}
