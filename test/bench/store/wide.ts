// A load with very many keys in one category. Each point has a few of 20,000 fields, a few of 5,000 tags, and one field
// that all points have; very few points have the rare field. The store must accept the points within bounded memory,
// stop and start quickly, and find the rare field fast.

import { rmSync } from "node:fs";
import { temporary } from "../http/targets.ts";
import { createRandom, epochMs, senders } from "./bodies.ts";
import { type Figure, median } from "./figures.ts";
import type { LoadOptions } from "./loads.ts";
import { ask, type Body, sendAll, startPlatform, timeOf } from "./platform.ts";

const stepNs = 4_000_000n;
const bodySizes = [500, 5000];
/** One point in `rareEvery` points has the field `rare`. */
const rareEvery = 10_000;
const fieldsPerPoint = 5;
const tagsPerPoint = 2;
const rounds = 11;
/**
 * Number of fields, and of tags, for which the benchmark compares the number of stored points with the number of sent
 * points.
 */
const compared = 20;
const gigabyte = 1024 ** 3;

export async function* wide({ scale }: LoadOptions): AsyncGenerator<Figure> {
  const points = Math.ceil(2_000_000 * scale);
  const all = new WidePoints(points, Math.max(20, 20_000 * scale), Math.max(10, 5000 * scale));
  const range = [epochMs, epochMs + Math.ceil((points * Number(stepNs)) / 1e6)] as const;
  const dataDir = temporary();
  let platform = await startPlatform({ dataDir });
  try {
    const sent = await sendAll(platform, all.bodies(), senders);
    yield { name: "writes not answered with 200", unit: "", measured: sent.refused, goal: { exactly: 0 } };
    yield { name: "points taken in a second", unit: "points/s", measured: Math.round(sent.points / sent.seconds) };
    const stopped = await platform.stop();
    yield { name: "SIGTERM to exit", unit: "s", measured: stopped, goal: { atMost: 5 } };
    const first = platform.peakBytes();

    const began = performance.now();
    platform = await startPlatform({ dataDir });
    const [count] = await ask(platform, { dql: "M::wide:(count(*))", range });
    const answered = (performance.now() - began) / 1000;
    yield { name: "restart to the first answer", unit: "s", measured: answered, goal: { atMost: 10 } };
    yield { name: "points that DQL counts", unit: "", measured: count!, goal: { exactly: sent.points } };
    let differing = 0;
    for (const [key, expected] of all.countsOf(compared)) {
      const [found] = await ask(platform, { dql: `M::wide:(count(${key}))`, range });
      if (found !== expected) differing++;
    }
    yield { name: "keys whose count differs", unit: "", measured: differing, goal: { exactly: 0 } };

    const times = { rare: [] as number[], common: [] as number[] };
    for (let round = -2; round < rounds; round++) {
      for (const key of ["rare", "common"] as const) {
        const dql = `M::wide:(count(${key}), avg(${key}))`;
        const ms = await timeOf(() => ask(platform, { dql, range }));
        if (round >= 0) times[key].push(ms);
      }
    }
    const [rare, common] = [median(times.rare), median(times.common)];
    yield { name: "query of the common field", unit: "ms", measured: common };
    yield { name: "query of the rare field", unit: "ms", measured: rare, goal: { atMost: 10 * common } };
    const peak = Math.max(first, platform.peakBytes()) / gigabyte;
    yield { name: "resident memory, most", unit: "GB", measured: peak, goal: { atMost: 1.5 } };
  } finally {
    await platform.kill();
    rmSync(dataDir, { recursive: true, force: true });
  }
}

/** Makes the points of the load and counts how many of them have each key. The points are the same in each run. */
class WidePoints {
  private readonly points: number;
  private readonly fieldCounts: Uint32Array;
  private readonly tagCounts: Uint32Array;
  private readonly random = createRandom();

  constructor(points: number, fields: number, tags: number) {
    this.points = points;
    this.fieldCounts = new Uint32Array(fields);
    this.tagCounts = new Uint32Array(tags);
  }

  *bodies(): Generator<Body> {
    for (let from = 0, size = 0; from < this.points; from += size) {
      size = Math.min(this.points - from, bodySizes[from % (bodySizes[0]! + bodySizes[1]!) === 0 ? 0 : 1]!);
      const lines = Array.from({ length: size }, (_, at) => this.line(from + at)).join("\n");
      yield { category: "metric", lines, points: size };
    }
  }

  /**
   * Returns `limit` of the field keys, `limit` of the tag keys, the field key that all points have, and the rare field
   * key. Each key comes with the number of points that have it.
   */
  countsOf(limit: number): (readonly [key: string, count: number])[] {
    const spread = (counts: Uint32Array, nameOf: (index: number) => string) =>
      Array.from({ length: Math.min(limit, counts.length) }, (_, at) => {
        const index = Math.floor((at * counts.length) / Math.min(limit, counts.length));
        return [nameOf(index), counts[index]!] as const;
      });
    return [
      ...spread(this.fieldCounts, fieldName),
      ...spread(this.tagCounts, tagName),
      ["common", this.points],
      ["rare", Math.ceil(this.points / rareEvery)],
    ];
  }

  private line(at: number): string {
    const tags = this.pick(tagsPerPoint, this.tagCounts).map((tag) => `${tagName(tag)}=v${this.below(10)}`);
    const fields = this.pick(fieldsPerPoint, this.fieldCounts).map(
      (field) => `${fieldName(field)}=${this.value(field)}`,
    );
    fields.push(`common=${(this.random() * 100).toFixed(2)}`);
    if (at % rareEvery === 0) fields.push(`rare=${at}.5`);
    const time = BigInt(epochMs) * 1_000_000n + BigInt(at) * stepNs;
    return `wide,host=web-${at % 100},region=eu-${at % 3},service=shop-${at % 20},${tags} ${fields} ${time}`;
  }

  /**
   * Returns a value for a field. A field has the same type in all points, and never a string, because metric points
   * cannot hold strings.
   */
  private value(field: number): string {
    if (field % 3 === 0) return (this.random() * 1000).toFixed(3);
    return field % 3 === 1 ? `${this.below(1_000_000)}i` : String(this.below(2) === 1);
  }

  /**
   * Picks `size` different indexes of `counts` at random, adds one to the count at each of these indexes, and returns
   * the indexes.
   */
  private pick(size: number, counts: Uint32Array): number[] {
    const picked = new Set<number>();
    while (picked.size < size) picked.add(this.below(counts.length));
    for (const index of picked) counts[index]!++;
    return [...picked];
  }

  private below(limit: number): number {
    return Math.floor(this.random() * limit);
  }
}

const fieldName = (index: number) => `field_${String(index).padStart(5, "0")}`;
const tagName = (index: number) => `tag_${String(index).padStart(4, "0")}`;
