// The worked set over rows in memory.

import { describe, expect, it } from "vitest";
import { type Answer, memoryEngine, readRequest, runQuery } from "../../../lib/dql/index.ts";
import { epoch, labels, now, rows } from "./sample-data.ts";
import { statements } from "./statements.ts";
import { type Worked, workedSet } from "./worked-set.ts";

const engine = memoryEngine(
  (category) => rows[category] ?? [],
  (category) => (category === "object" ? labels : []),
);

async function answer({ query, member = {} }: Pick<Worked, "query" | "member">): Promise<Answer> {
  const { queries } = readRequest({ queries: [{ query, ...member }] });
  return await runQuery(queries[0]!, engine, { now });
}

/** Times as seconds, integers as numbers. */
function plain(answered: Answer, worked: Worked) {
  return answered.series.map(({ name, tags, columns, values }, at) => {
    const wanted = worked.series?.[at];
    const shown = values.map((row) =>
      row.map((value, place) => {
        const number = typeof value === "bigint" ? Number(value) : value;
        return place === 0 && worked.plain !== true && typeof number === "number" ? (number - epoch) / 1000 : number;
      }),
    );
    return {
      ...(wanted?.name === undefined ? {} : { name }),
      ...(wanted?.tags === undefined ? {} : { tags: Object.fromEntries(tags ?? []) }),
      ...(wanted?.columns === undefined ? {} : { columns }),
      rows: worked.more === true ? shown.slice(0, wanted?.rows.length) : shown,
    };
  });
}

describe("the worked set and further statements", () => {
  it.each([...workedSet, ...statements].map((worked) => [worked.number, worked.query, worked] as const))(
    "%d %s",
    async (_number, _query, worked) => {
      if (worked.error !== undefined) {
        await expect(answer(worked)).rejects.toThrow(new RegExp(`^${worked.error}$`));
        return;
      }
      const answered = await answer(worked);
      expect(plain(answered, worked)).toEqual(worked.series!.map(close));
      if (worked.hits !== undefined) expect(answered.totalHits).toBe(worked.hits);
    },
  );
});

/** Numbers within 1e-9. */
function close(series: NonNullable<Worked["series"]>[number]) {
  const rows = series.rows.map((row) =>
    row.map((value) => (typeof value === "number" ? expect.closeTo(value, 9) : value)),
  );
  return { ...series, rows };
}

it("all columns of logs: time and what every point has first, hits told", async () => {
  const answered = await answer({ query: "L::re(`.*`):(`*`) {`index` = 'default'} [10m] LIMIT 2" });
  expect(answered.totalHits).toBe(8);
  const [series] = answered.series;
  expect(series!.columns).toEqual([
    ...["time", "time_us", "__docid", "__source", "__namespace", "message"],
    ...["client_ip", "host", "http_status", "latency", "service", "status"],
  ]);
  expect(series!.values.map((row) => row[2])).toEqual(["L8", "L7"]);
});

it("search_after pages through all rows once", async () => {
  const pages: unknown[][] = [];
  let key: readonly unknown[] = [];
  for (let page = 0; page < 4; page++) {
    const member = { limit: 3, search_after: key.map((each) => (typeof each === "bigint" ? Number(each) : each)) };
    const { series, searchAfter } = await answer({ query: "L::re(`.*`):(__docid) [10m]", member });
    pages.push((series[0]?.values ?? []).map((row) => row[1]));
    key = searchAfter!;
  }
  expect(pages).toEqual([["L8", "L7", "L6"], ["L5", "L4", "L3"], ["L2", "L1"], []]);
  expect(key.map(String)).toEqual([String(epoch + 10_000), "0", "L1"]);
});

it("points of metrics of one time come by the values of their tags", async () => {
  const hosts = ["a\u00e9", "b", "a b", "a", "a!"];
  const [first] = rows.metric!;
  const points = hosts.map((host) => ({ ...first!, tags: new Map([["host", host]]) }));
  const { queries } = readRequest({ queries: [{ query: "M::cpu:(host) [10m]" }] });
  const { series } = await runQuery(
    queries[0]!,
    memoryEngine(() => points),
    { now },
  );
  expect(series[0]!.values.map((row) => row[1])).toEqual(["a", "a b", "a!", "a\u00e9", "b"]);
});
