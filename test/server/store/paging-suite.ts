// Reads 100,000 logs page by page with `search_after`, while more logs arrive. Each of the 100,000 logs must appear
// exactly once and in order.

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type DqlValue, type Engine, readRequest, runQuery, valueJson } from "../../../lib/dql/index.ts";
import { Point } from "../../../lib/point/point.ts";
import { Key } from "../../../lib/point/view.ts";
import type { PointsDatabase } from "../../../server/store/points-database.ts";

const start = 1_672_531_200_000;
const count = 100_000;
/** Number of logs in each group of logs that have the same time in nanoseconds. */
const together = 37;

function log(time: bigint, number: number): Point {
  const point = new Point("app", time);
  point.setField(new Key("number"), number);
  point.setField(new Key("level"), ["info", "warn", "error"][Math.abs(number) % 3]!);
  // Every tenth log lacks the field `size`.
  if (number % 10 !== 0) point.setField(new Key("size"), (number * 7919) % 1000);
  return point;
}

/** Returns the time of a log in nanoseconds. Some logs are one nanosecond apart, within the same millisecond. */
function timeOf(number: number): bigint {
  const group = Math.floor(number / together);
  return BigInt(start) * 1_000_000n + BigInt(Math.floor(group / 2)) * 1_000_000n + BigInt(group % 2);
}

/** Runs the suite. `open` opens an empty store whose clock is `now`. */
export function describePages(title: string, open: (now: () => number) => Promise<PointsDatabase>): void {
  describe(title, () => {
    let store: PointsDatabase;
    let engine: Engine;
    const now = start;

    beforeAll(async () => {
      store = await open(() => now);
      await fill();
      engine = await store.engine("paged");
    });

    afterAll(() => store?.close());

    async function fill(): Promise<void> {
      for (let from = 0; from < count; from += 20_000) {
        const batch = Array.from({ length: 20_000 }, (_, at) => log(timeOf(from + at), from + at));
        await store.ingest("paged", "logging", `first-${from}`, batch);
      }
    }

    /** Runs a query page by page and returns the rows of all pages. Calls `meanwhile` between two pages. */
    async function pages(
      query: string,
      limit: number,
      meanwhile: (page: number) => Promise<unknown>,
    ): Promise<DqlValue[][]> {
      const rows: DqlValue[][] = [];
      let key: unknown = [];
      for (let page = 0; ; page++) {
        const member = { query, limit, search_after: key, time_range: [start, start + 3_600_000] };
        const { series, searchAfter } = await runQuery(readRequest({ queries: [member] }).queries[0]!, engine, { now });
        const found = series[0]?.values ?? [];
        rows.push(...found.map((row) => [...row]));
        if (found.length < limit) return rows;
        key = JSON.parse(`[${searchAfter!.map((each) => valueJson(each as DqlValue))}]`);
        await meanwhile(page);
      }
    }

    it.each([
      ["L::app:(number, size AS bytes) {level = 'error'} ORDER BY bytes DESC", "desc"],
      ["L::app:(number, size) {level = 'error'} ORDER BY size ASC, level DESC", "asc"],
    ])("%s: the pages contain every row once, rows without the sort key last", async (query, direction) => {
      const rows = await pages(query, 4000, async () => {});
      expect(new Set(rows.map(([, number]) => Number(number))).size).toBe(rows.length);
      expect(rows).toHaveLength(Math.floor(count / 3));
      const sizes = rows.map(([, , size]) => (size === null ? null : Number(size)));
      const present = sizes.filter((size) => size !== null);
      expect(sizes.slice(present.length).every((size) => size === null)).toBe(true);
      expect(present).toEqual([...present].sort((a, b) => (direction === "asc" ? a - b : b - a)));
    });

    it("a page reads no more rows than it returns", async () => {
      const explained = async (query: string, member = {}) => {
        const { query: resolved } = await runQuery(
          readRequest({ queries: [{ query, ...member }] }).queries[0]!,
          engine,
          {
            now,
          },
        );
        return (await engine.explain!(resolved!)).statement;
      };
      const range = { time_range: [start, start + 3_600_000], limit: 10 };
      const key = [start + 5, 1, `L_${start + 5}_${"0".repeat(19)}1`];
      expect(await explained("L::app:(number)", { ...range, search_after: key })).toMatch(/ LIMIT 10$/);
      const ordered = { ...range, search_after: [5, ...key] };
      expect(await explained("L::app:(number) ORDER BY size", ordered)).toMatch(/ LIMIT 10$/);
      // In this value of search_after, the id has the form that another kind of store uses. The tested store cannot
      // compute a position from this id. So the database must read more rows to find the start of the page.
      const foreign = { ...range, search_after: [start + 5, 1, "elsewhere"] };
      expect(await explained("L::app:(number)", foreign)).toMatch(/ LIMIT 2000001$/);
    });

    it("newest first: pages are complete with equal times and with points that arrive between pages", async () => {
      let arrived = 0;
      const rows = await pages("L::app:(number)", 5000, async (page) => {
        // Two points arrive between the pages: one is newer than all others, one has the time at which the next page
        // begins.
        const times = [timeOf(count + page), timeOf(Math.max(0, count - (page + 1) * 5000 - 1))];
        await store.ingest(
          "paged",
          "logging",
          `later-${page}`,
          times.map((time, at) => log(time, -1 - page * 2 - at)),
        );
        arrived += 2;
      });
      expect(arrived).toBe(40);
      const numbers = rows.map(([, number]) => Number(number)).filter((number) => number >= 0);
      expect(numbers).toEqual(Array.from({ length: count }, (_, at) => count - 1 - at));
      const { series } = await runQuery(
        readRequest({ queries: [{ query: `L::app:(count(*)) [${start}:${start + 3_600_000}]` }] }).queries[0]!,
        engine,
        { now },
      );
      expect(Number(series[0]!.values[0]![1])).toBe(count + arrived);
    });
  });
}
