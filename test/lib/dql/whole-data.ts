// A large set of points, so that default limits shorten some answers: 32 hosts of a shop, a load value for each
// of the 1,441 minutes from the beginning to the end of a day, and one point an hour in two fortnights in which
// the clocks of Berlin change.

import type { DqlValue, Row } from "../../../lib/dql/index.ts";
import type { CategoryName } from "../../../lib/point/category.ts";

export const now = Date.UTC(2026, 0, 2);
const dayMs = 86_400_000;

let arrivals = 0;

function row(
  name: string,
  time: number,
  tags: Readonly<Record<string, string>>,
  fields: Readonly<Record<string, DqlValue>>,
): Row {
  return {
    time: BigInt(time) * 1_000_000n,
    name,
    docid: `W${String(++arrivals).padStart(6, "0")}`,
    index: "default",
    received: now,
    tags: new Map(Object.entries(tags)),
    fields: new Map(Object.entries(fields)),
  };
}

export const hosts = Array.from({ length: 32 }, (_, at) => `web-${String(at).padStart(2, "0")}`);

/**
 * The first host has one point, each next host has one point more, and the last host has 32 points. All points lie
 * within the last hour.
 */
const shop = hosts.flatMap((host, at) =>
  Array.from({ length: at + 1 }, (_, back) =>
    row("shop", now - back * 60_000 - 1, { host }, { ms: BigInt(back), ms_text: String(back * 50), note: "ok" }),
  ),
);

const minutes = Array.from({ length: 1441 }, (_, at) =>
  row("load", now - dayMs + at * 60_000, { host: "a" }, { v: 1n }),
);

function hourly(from: number, days: number): Row[] {
  return Array.from({ length: days * 24 }, (_, at) => row("hourly", from + at * 3_600_000, {}, { v: 1n }));
}

/**
 * Returns two points, one with the source `checkout` and one with the source `basket`. Normally the name of a point is
 * its source. With `key`, the first point has its source in the tag `key`, and the name of the category as its name.
 */
function checkouts(category: CategoryName, key?: string): Row[] {
  const fields = { ms: 5n, ms_text: "5", note: "ok", df_status: "ok" };
  const tags: Readonly<Record<string, string>> = key === undefined ? {} : { [key]: "checkout" };
  return [
    row(key === undefined ? "checkout" : category, now - 1000, { name: "a", ...tags }, fields),
    row("basket", now - 1000, { name: "b" }, fields),
  ];
}

export const rows: Readonly<Partial<Record<CategoryName, readonly Row[]>>> = {
  logging: [...shop, ...checkouts("logging")],
  metric: [
    ...minutes,
    ...hourly(Date.UTC(2025, 2, 24), 14),
    ...hourly(Date.UTC(2025, 9, 20), 14),
    ...checkouts("metric"),
  ],
  object: checkouts("object"),
  custom_object: checkouts("custom_object"),
  keyevent: checkouts("keyevent", "source"),
  tracing: checkouts("tracing", "service"),
  profiling: checkouts("profiling", "service"),
  rum: checkouts("rum"),
  security: checkouts("security", "category"),
  network: checkouts("network"),
};
