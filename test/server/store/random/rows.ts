// Makes small random data for queries: keys with values of several types, keys that some points lack, keys that are
// tags in some points and fields in others, equal times, numbers at the limits of 64 bits, empty strings, and strings
// in many writing systems.

import type { DqlValue } from "../../../../lib/dql/index.ts";
import type { CategoryName } from "../../../../lib/point/category.ts";
import { Point } from "../../../../lib/point/point.ts";
import { Float, PointArray, type PointValue, Uint } from "../../../../lib/point/value.ts";
import { Key } from "../../../../lib/point/view.ts";
import type { Random } from "../../../properties/random.ts";

/** A random point in two forms: as the store gets it, and with the values that a query sees. */
export interface RandomPoint {
  readonly point: Point;
  readonly time: bigint;
  readonly name: string;
  readonly tags: ReadonlyMap<string, string>;
  readonly fields: ReadonlyMap<string, DqlValue>;
}

type Field = readonly [PointValue, DqlValue];

export const texts = [
  ..."|a|b|A|ab|a b|GET /a 200|GET /b 500 timeout|error: bad gateway|10|010|1.5|1e3|true|nil".split("|"),
  ...["日本語 テスト", "温度 高い", "naïve café", "a\nb", "50%_x\\y", "10.0.0.7", "192.168.1.9", "::1", "😀 x"],
  ...['{"n":7,"s":"x","l":[1,{"k":"v"}]}', '{"n":1.5,"o":{"p":true}}', "{broken"],
];
const hosts = ["h1", "h2", "h3", ""];
const extremes = [2n ** 63n - 1n, -(2n ** 63n), 2n ** 53n + 1n, 0n, 1n, -1n];

export const names = ["a", "b", "ab", "cpu", "Cpu", "日本"];

export function randomPoints(random: Random, category: CategoryName, epochMs: number, count: number): RandomPoint[] {
  // There are few different times, so some points have the same time. Some times lie between two milliseconds.
  const times = random.many(8, 20, () => {
    const ms = BigInt(epochMs + (random.chance(0.3) ? random.below(600_000) : random.below(600) * 1000));
    return ms * 1_000_000n + (random.chance(0.2) ? BigInt(random.below(1_000_000)) : 0n);
  });
  return random.many(count, count, () => randomPoint(random, category, random.pick(times)));
}

function randomPoint(random: Random, category: CategoryName, time: bigint): RandomPoint {
  const name = random.pick(names);
  const tags = new Map<string, string>();
  const fields = new Map<string, Field>();
  const tag = (key: string, probability: number, values: readonly string[]) => {
    if (random.chance(probability)) tags.set(key, random.pick(values));
  };
  const field = (key: string, probability: number, make: () => Field) => {
    if (random.chance(probability)) fields.set(key, make());
  };
  tag("host", 0.9, hosts);
  tag("region", 0.5, ["eu", "us", "日本"]);
  // The key `both` is a tag in some points and a field in others.
  if (random.chance(0.5)) tag("both", 0.7, ["x", "10", ""]);
  else field("both", 0.7, () => random.pick([() => int(random), () => text(random)])());
  field("i", 0.8, () => int(random));
  field("f", 0.8, () => float(random));
  field("s", 0.8, () => text(random));
  field("message", 0.7, () => text(random));
  field("t", 0.5, () => bool(random));
  field("big", 0.5, () => {
    const value = random.pick(extremes);
    return [value, value];
  });
  field("u", 0.5, () => {
    const value = random.pick([0n, 3n, 2n ** 64n - 1n, 2n ** 63n]);
    return [new Uint(value), value];
  });
  field("mix", 0.8, () => random.pick([int, float, text, bool])(random));
  field("num", 0.7, () => random.pick([int, float])(random));
  // Values whose sums and squares are too large for a float.
  field("huge", 0.3, () => {
    const value = random.pick([1.5e308, 1e308, 1e200]);
    return [new Float(value), value];
  });
  field("list", 0.2, () => {
    const values = random.many(0, 3, () => random.pick(["a", "b", "10"]));
    return [new PointArray(values), values];
  });
  // Keys by which queries select the source in some namespaces, such as `service` in tracing, and the key `name`, which
  // identifies objects.
  if (category === "tracing" || category === "profiling") tag("service", 0.6, ["shop", "a", "pay"]);
  if (category === "security") tag("category", 0.6, ["a", "web"]);
  if (category === "keyevent") {
    field("source", 0.5, () => same(random.pick(["a", "monitor"])));
    field("df_monitor_checker_event_ref", 0.8, () => same(random.pick(["e1", "e2", "e3"])));
    field("df_status", 0.8, () => same(random.pick(["ok", "error"])));
  }
  if (category.endsWith("object")) tag("name", 0.9, ["o1", "o2", "o3"]);
  const point = new Point(name, time);
  for (const [key, value] of tags) point.setTag(new Key(key), value);
  for (const [key, [stored]] of fields) point.setField(new Key(key), stored);
  return { point, time, name, tags, fields: new Map([...fields].map(([key, [, seen]]) => [key, seen])) };
}

function same(value: string): Field {
  return [value, value];
}

function int(random: Random): Field {
  const value = BigInt(random.below(12) - 3);
  return [value, value];
}

/**
 * Returns a multiple of 0.25. Sums of such numbers are exact, so they are equal in whatever order an engine adds the
 * numbers.
 */
function float(random: Random): Field {
  const value = (random.below(80) - 20) / 4;
  return [new Float(value), value];
}

function text(random: Random): Field {
  return same(random.pick(texts));
}

function bool(random: Random): Field {
  const value = random.chance(0.5);
  return [value, value];
}
