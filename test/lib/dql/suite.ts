// Runs the documented examples and the further test queries against an engine that holds the sample data. Every engine
// must give the same answers.

import { describe, expect, it } from "vitest";
import { type Answer, type Engine, readRequest, runQuery } from "../../../lib/dql/index.ts";
import { epoch, now } from "./sample-data.ts";
import { statements } from "./statements.ts";
import { type Worked, workedSet } from "./worked-set.ts";

/**
 * Numbers of the test queries that select a point of the sample data by the point's id. In a database this point has
 * another id, so these queries find nothing there.
 */
export const askedByOwnId: readonly number[] = [76];

export async function answerOf(
  engine: Engine,
  { query, member = {} }: Pick<Worked, "query" | "member">,
): Promise<Answer> {
  const { queries } = readRequest({ queries: [{ query, ...member }] });
  return await runQuery(queries[0]!, engine, { now });
}

export function describeStatements(title: string, engine: () => Engine, except: readonly number[] = []): void {
  const asked = [...workedSet, ...statements].filter(({ number }) => !except.includes(number));
  describe(title, () => {
    it.each(asked.map((worked) => [worked.number, worked.query, worked] as const))("%d %s", async (_n, _q, worked) => {
      if (worked.error !== undefined)
        await expect(answerOf(engine(), worked)).rejects.toThrow(new RegExp(`^${worked.error}$`));
      else expectAnswer(await answerOf(engine(), worked), worked);
    });
  });
}

export function expectAnswer(answered: Answer, worked: Worked): void {
  expect(plain(answered, worked)).toEqual(worked.series!.map(close));
  if (worked.hits !== undefined) expect(answered.totalHits).toBe(worked.hits);
}

/**
 * Returns whether an answer is right. Unlike `expectAnswer`, the function does not describe the differences, which
 * would be slow for thousands of wrong answers.
 */
export function isAnswer(answered: Answer, worked: Worked): boolean {
  if (worked.hits !== undefined && answered.totalHits !== worked.hits) return false;
  return isSame(plain(answered, worked), worked.series);
}

function isSame(given: unknown, wanted: unknown): boolean {
  if (typeof given === "number" && typeof wanted === "number")
    return given === wanted || Math.abs(given - wanted) < 5e-10;
  if (typeof given !== "object" || given === null || typeof wanted !== "object" || wanted === null)
    return given === wanted;
  const keys = Object.keys(given);
  return (
    keys.length === Object.keys(wanted).length &&
    keys.every((key) => isSame(given[key as keyof typeof given], wanted[key as keyof typeof wanted]))
  );
}

/** Returns the series of an answer for comparison, with times in seconds and integers as numbers. */
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

/** Returns a series for comparison, in which numbers may differ by 1e-9. */
function close(series: NonNullable<Worked["series"]>[number]) {
  const rows = series.rows.map((row) =>
    row.map((value) => (typeof value === "number" ? expect.closeTo(value, 9) : value)),
  );
  return { ...series, rows };
}
