// The DQL function match() finds the same texts in DuckDB as in memory: upper and lower case, word boundaries, writing
// systems without spaces, and similar letters.

import { expect, it } from "vitest";
import { memoryEngine, readRequest, rowsOfPoints, runQuery } from "../../../lib/dql/index.ts";
import { createMillrace } from "../../../lib/index.ts";
import { Point } from "../../../lib/point/point.ts";
import { Key } from "../../../lib/point/view.ts";
import { openedStore } from "./opened.ts";

const start = 1_672_531_200_000;
const texts = [
  ...["bad gateway", "BAD Gateway", "bad, gateway!", "bad_gateway", "badgateway", "bad  \n gateway", "bad x gateway"],
  ...[
    "a bad gateways",
    "abad gateway",
    "gateway bad",
    "bad-gateway",
    "(bad)gateway",
    "bad",
    "",
    " ",
    "\u3007bad gateway",
  ],
  ...[
    "服务bad gateway超时",
    "bad服gateway",
    "bad 服 gateway",
    "b\u0301ad gateway",
    "bad\u0301 gateway",
    "bad gateway\u0301",
  ],
  ...[
    "\u212Aelvin",
    "kelvin",
    "KELVIN",
    "\u0130d",
    "id",
    "ID",
    "i\u0307d",
    "\u017Fun",
    "sun",
    "SUN",
    "é sun",
    "ésun",
    "1sun",
    "sun1",
    "👍sun",
  ],
  ...["bad\u2E80gateway", "bad・gateway", "bad\u30FCgateway", "bad½gateway", "カsun", "sunカ", "한sun"],
];
const phrases = ["bad gateway", "Bad-GATEWAY", "kelvin", "id", "sun", "bad", "gateway", "1", "k"];

it("match() finds the same texts in DuckDB and in memory", async () => {
  const mill = await createMillrace();
  const store = await openedStore({ memoryLimit: "256MB", now: () => start, mill });
  const points = texts.map((text, at) => {
    const point = new Point("app", BigInt(start + at) * 1_000_000n);
    point.setField(new Key("message"), text);
    point.setField(new Key("number"), at);
    return point;
  });
  await store.ingest("a", "logging", "one", points);
  const rows = rowsOfPoints(points);
  const engines = [memoryEngine(() => rows), await store.engine("a")];
  for (const phrase of phrases) {
    const query = `L::app:(number) {message = match('${phrase}')} [${start}:${start + 1000}]`;
    const found: unknown[] = [];
    for (const engine of engines) {
      const { series } = await runQuery(readRequest({ queries: [{ query }] }).queries[0]!, engine, { now: start });
      found.push(series.flatMap(({ values }) => values.map(([, number]) => texts[Number(number)])));
    }
    expect(found[1], phrase).toEqual(found[0]);
    expect((found[0] as string[]).length, phrase).toBeGreaterThan(phrase.length === 1 ? -1 : 0);
  }
  const [member] = readRequest({ queries: [{ query: "L::app {message = match('bad gateway')} LIMIT 3" }] }).queries;
  const { query } = await runQuery(member!, engines[1]!, { now: start });
  expect((await engines[1]!.explain!(query!)).way).toBe("page");
  await store.close();
});
