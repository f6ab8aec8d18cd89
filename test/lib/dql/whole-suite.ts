// Test queries about three topics: outer functions over complete inner answers, warnings, and calendar days. Every
// engine must give the same answers over the same points.

import { describe, expect, it } from "vitest";
import { type Engine, entryJson, type Outcome, readRequest, runQuery } from "../../../lib/dql/index.ts";
import { namespaces } from "../../../lib/dql/syntax/namespaces.ts";
import { hosts, now } from "./whole-data.ts";

export async function outcomeOf(
  engine: Engine,
  query: string,
  member: Readonly<Record<string, unknown>> = {},
): Promise<Outcome> {
  return await runQuery(readRequest({ queries: [{ query, ...member }] }).queries[0]!, engine, { now });
}

interface Shown {
  readonly series: readonly { readonly tags?: Readonly<Record<string, string>>; readonly values: unknown[][] }[] | null;
  readonly csv?: string;
  readonly query_warning?: string;
}

/** Runs a query and returns its answer as a client parses it from JSON. */
async function entryOf(engine: Engine, query: string, member: Readonly<Record<string, unknown>> = {}): Promise<Shown> {
  const outcome = await outcomeOf(engine, query, member);
  const outputFormat = member.output_format === "csv" ? "csv" : "json";
  const options = { engine: "test", cost: 0n, rawQuery: null, withQueryParse: false, describeColumns: false };
  return JSON.parse(entryJson(outcome, { ...options, outputFormat })) as Shown;
}

const shop = "L::shop:(count(*) AS n) [1h] BY host";
const minutes = "M::load:(sum(v) AS v) [1d::1m]";

/** Queries with an outer function, and the value in the only row of each answer. */
const sums: readonly (readonly [query: string, value: number])[] = [
  [`series_sum(\`${shop}\`)`, 528],
  [`sum(\`${minutes}\`)`, 1441],
  [`count(\`${minutes}\`)`, 1441],
];

/**
 * Queries. For each query, the list has the number of series in the answer and the number of rows in the first series.
 */
const sizes: readonly (readonly [query: string, series: number, rows: number])[] = [
  [`eval(A.n * 2, A='${shop}')`, 32, 1],
  [`eval(A.n / B.n, A='${shop} SORDER BY n DESC', B='${shop}')`, 32, 1],
  [`cumsum(\`${minutes}\`)`, 1, 1441],
  // The inner query of an outer function has no default limits, but keeps a limit that it states itself.
  [`series_sum(\`${shop} SLIMIT 3\`)`, 1, 1],
  [`cumsum(\`${minutes} LIMIT 5\`)`, 1, 5],
  [`abs(\`${shop} SLIMIT 30\`)`, 30, 1],
  [shop, 20, 1],
  [minutes, 1, 1000],
];

const warned: readonly (readonly [query: string, warning: string | undefined])[] = [
  [shop, "20 of 32 series are given, as without SLIMIT; write SLIMIT 32 to get all"],
  [`${shop} SLIMIT 32`, undefined],
  [`${shop} SLIMIT 4`, undefined],
  [minutes, "1000 of 1441 rows of a series are given, as without LIMIT; write LIMIT 1441 to get all"],
  [`${minutes} LIMIT 1441`, undefined],
  [`${minutes} LIMIT 7`, undefined],
  [
    "M::load:(v) [1d] BY host",
    "1000 rows of a series are given, as without LIMIT, and there are more; write LIMIT n to get them",
  ],
  ["M::load [1d]", "1000 rows of a series are given, as without LIMIT, and there are more; write LIMIT n to get them"],
  [`sum(\`${minutes}\`)`, undefined],
  [`series_sum(\`${shop}\`)`, undefined],
  ["L::shop:(ms) [1h] LIMIT 3", undefined],
  ["L::shopp:(ms) [1h]", 'no stored point of L has the source "shopp"; did you mean "shop"?'],
  ["M::nowhere", 'no stored point of M has the source "nowhere"'],
  ["M::re(`nowhere`):(v)", undefined],
  ["L::shop:(sum(mss)) [1h]", 'no stored point of the source has the field "mss"; did you mean "ms"?'],
  [
    "L::shop:(count(*)) [1h] BY hots SLIMIT 1",
    'no stored point of the source has the field "hots"; did you mean "host"?',
  ],
  [
    "L::shop:(ms) {hots != 'a'} [1h] LIMIT 1",
    'no stored point of the source has the field "hots"; did you mean "host"?',
  ],
  ["L::shop:(`note@json.a`, __docid, source, `index`, create_time) [1h] LIMIT 1", undefined],
  [
    "L::shop:(ms) {ms_text > 100} [1h] LIMIT 1",
    '"ms_text" holds texts, which > compares with "100" byte by byte; write int() or float() around it',
  ],
  ["L::shop:(ms) {ms_text = 100} [1h] LIMIT 1", undefined],
  ["L::shop:(ms) {int(ms_text) > 100} [1h] LIMIT 1", undefined],
  ["L::shop:(ms) {ms > 'fast'} [1h]", '"ms" holds numbers, which are never > the text "fast"'],
  ["L::shop:(ms) {ms > '3'} [1h] LIMIT 1", undefined],
  [
    "L::shop:(ms) {note = ok} [1h] LIMIT 1",
    '"note =" takes the unquoted "ok" as a text; write \'ok\', or + 0 behind the name of a field',
  ],
  [
    "L::shop:(ms) {note IN [ok, 'b']} [1h] LIMIT 1",
    '"note in" takes the unquoted "ok" as a text; write \'ok\', or + 0 behind the name of a field',
  ],
  ["L::shop:(ms) {note = `ok`} [1h] LIMIT 1", undefined],
  ["L::shop:(ms) {note = 'ok', ms >= ms + 0} [1h] LIMIT 1", undefined],
  ["L::shop:(count(*) AS n) {n > 5} [1h] BY host SLIMIT 1", 'the alias "n" is known in BY, HAVING and the orders only'],
  [
    "L::shop:(count(*) AS total) [1h] BY host SORDER BY totl DESC SLIMIT 1",
    'no column of the answer and no field has the name "totl"; did you mean "total"?',
  ],
  ["L::shop:(count(*) AS n) [1h] BY host HAVING n > 5 SORDER BY n DESC, max(ms), `#1` SLIMIT 1", undefined],
  ["L::(L::shop:(count(*) AS n) [1h] BY host):(sum(n), max(m))", 'the inner answer has no column "m"'],
  [
    "L::shop:(ms) {host IN (L::shop:(hots) [1h])} [1h] LIMIT 1",
    'no stored point of the source has the field "hots"; did you mean "host"?',
  ],
  ["show_measurement()", undefined],
];

/** Queries with mistakes, each with the warning that it causes. The warning is the same in every namespace. */
const mistakes: readonly (readonly [query: string, warning: string | undefined])[] = [
  ["checkout:(ms) {note = 'ok'} [1h]", undefined],
  ["basket:(ms) [1h]", undefined],
  ["re(`check.*`):(ms) [1h]", undefined],
  ["checkotu:(ms) [1h]", 'no stored point of NS has the source "checkotu"; did you mean "checkout"?'],
  ["checkotu:(count(*)) [1h::10m]", 'no stored point of NS has the source "checkotu"; did you mean "checkout"?'],
  ["checkout, baskte:(count(*)) [1h]", 'no stored point of NS has the source "baskte"; did you mean "basket"?'],
  ["nowhere:(ms)", 'no stored point of NS has the source "nowhere"'],
  // The points of the source checkout are older than the queried time range. They are stored, so there is no warning
  // about the source.
  ["checkout:(ms) [1ms]", undefined],
  ["checkout:(sum(mss)) [1h]", 'no stored point of the source has the field "mss"; did you mean "ms"?'],
  [
    "checkout:(ms) {ms_text > 100} [1h]",
    '"ms_text" holds texts, which > compares with "100" byte by byte; write int() or float() around it',
  ],
  ["checkout:(ms) {ms > 'fast'} [1h]", '"ms" holds numbers, which are never > the text "fast"'],
  [
    "checkout:(ms) {note = ok} [1h]",
    '"note =" takes the unquoted "ok" as a text; write \'ok\', or + 0 behind the name of a field',
  ],
];

const berlin = "tz('Europe/Berlin')";
const at = (text: string) => Date.parse(text);

/** Queries with the times and values of the only series of their answer, oldest first. */
const calendars: readonly (readonly [query: string, ...rows: (readonly [time: string, value: number])[]])[] = [
  [
    `M::hourly:(count(v)) [2025-10-25 00:00:00:2025-10-28 12:00:00:1d] ${berlin} ORDER BY time`,
    ["2025-10-24T22:00Z", 22],
    ["2025-10-25T22:00Z", 25],
    ["2025-10-26T23:00Z", 24],
    ["2025-10-27T23:00Z", 14],
  ],
  [
    `M::hourly:(count(v)) [2025-03-28 23:00:00:2025-04-01 00:00:00:1d] ${berlin} ORDER BY time`,
    ["2025-03-28T23:00Z", 24],
    ["2025-03-29T23:00Z", 23],
    ["2025-03-30T22:00Z", 24],
    ["2025-03-31T22:00Z", 3],
  ],
  [
    `M::hourly:(count(v)) [2025-10-25 22:00:00:2025-10-26 22:59:59:6h] ${berlin} ORDER BY time`,
    ["2025-10-25T22:00Z", 7],
    ["2025-10-26T05:00Z", 6],
    ["2025-10-26T11:00Z", 6],
    ["2025-10-26T17:00Z", 6],
  ],
  [
    `M::hourly:(count(v)) [2025-10-25 23:00:00:2025-10-26 02:59:59:1h] ${berlin} ORDER BY time`,
    ["2025-10-25T23:00Z", 1],
    ["2025-10-26T00:00Z", 1],
    ["2025-10-26T01:00Z", 1],
    ["2025-10-26T02:00Z", 1],
  ],
  // The range begins on Monday, October 20, 2025, so it begins with a calendar week.
  [
    "M::hourly:(count(v)) [2025-10-20:2025-11-03:1w] ORDER BY time",
    ["2025-10-20T00:00Z", 168],
    ["2025-10-27T00:00Z", 168],
  ],
  [
    `M::hourly:(count(v)) [2025-10-20:2025-11-03:7d] ${berlin} ORDER BY time`,
    ["2025-10-19T22:00Z", 167],
    ["2025-10-26T23:00Z", 168],
    ["2025-11-02T23:00Z", 1],
  ],
  [
    "M::hourly:(count(v)) [2025-03-01:2025-12-01:1mo] ORDER BY time",
    ["2025-03-01T00:00Z", 192],
    ["2025-04-01T00:00Z", 144],
    ["2025-10-01T00:00Z", 288],
    ["2025-11-01T00:00Z", 48],
  ],
  [
    `M::hourly:(count(v)) [2025-10-01:2025-12-01:1mo] ${berlin} ORDER BY time`,
    ["2025-09-30T22:00Z", 287],
    ["2025-10-31T23:00Z", 49],
  ],
  [
    "M::hourly:(count(v)) [2025-03-01:2025-12-01:3mo] ORDER BY time",
    ["2025-01-01T00:00Z", 192],
    ["2025-04-01T00:00Z", 144],
    ["2025-10-01T00:00Z", 336],
  ],
  ["M::hourly:(count(v)) [2025-03-01:2025-12-01:1y] ORDER BY time", ["2025-01-01T00:00Z", 672]],
  [
    "M::hourly:(fill(count(v), 0)) [2025-08-15:2025-11-15:1mo] ORDER BY time",
    ["2025-08-01T00:00Z", 0],
    ["2025-09-01T00:00Z", 0],
    ["2025-10-01T00:00Z", 288],
    ["2025-11-01T00:00Z", 48],
  ],
];

const ascending = `series_sum(\`M::load:(sum(v) AS v) [3m::1m] BY host ORDER BY time ASC\`)`;

export function describeWhole(title: string, engine: () => Engine): void {
  describe(title, () => {
    it.each(sums)("%s", async (query, value) => {
      const { series } = await entryOf(engine(), query);
      expect(series!.map(({ values }) => values.map((row) => row[1]))).toEqual([[value]]);
    });

    it.each(sizes)("%s returns %i series, the first of %i rows", async (query, count, rows) => {
      const { series } = await entryOf(engine(), query);
      expect([series!.length, series![0]!.values.length]).toEqual([count, rows]);
    });

    it.each(warned)("%s: %s", async (query, warning) => {
      expect((await entryOf(engine(), query)).query_warning).toBe(warning);
    });

    it.each(
      namespaces.flatMap(({ short }) =>
        mistakes.map(([query, warning]) => [`${short}::${query}`, warning?.replace("NS", short)] as const),
      ),
    )("%s: %s", async (query, warning) => {
      expect((await entryOf(engine(), query)).query_warning).toBe(warning);
    });

    it("adds no warning when the request has disable_slimit, slimit or limit", async () => {
      expect((await entryOf(engine(), shop, { disable_slimit: true })).query_warning).toBeUndefined();
      expect((await entryOf(engine(), shop, { slimit: 5 })).query_warning).toBeUndefined();
      expect((await entryOf(engine(), minutes, { limit: 5 })).query_warning).toBeUndefined();
    });

    it("adds no warning for logs when LIMIT covers all hits or the request has search_after", async () => {
      const raw = "L::shop:(ms) [1h] LIMIT 528";
      expect((await entryOf(engine(), raw)).query_warning).toBeUndefined();
      expect((await entryOf(engine(), "L::shop:(ms) [1h]", { search_after: [] })).query_warning).toBeUndefined();
    });

    it("shortens a long list of warnings and the long names in it", async () => {
      const many = Array.from({ length: 40 }, (_, each) => `${"x".repeat(500)}${each}\u0007`);
      const { query_warning: warning } = await entryOf(
        engine(),
        `L::shop:(${many.map((name) => `\`${name}\``).join(", ")}) [1h] LIMIT 1`,
      );
      expect(warning).toMatch(/; and \d+ more$|x{60}\.\.\."$/);
      expect(warning!.length).toBeLessThan(2000);
      expect(warning).not.toContain("\u0007");
    });

    it("series_sum keeps the order of the rows", async () => {
      const times = async (query: string) =>
        (await entryOf(engine(), query)).series![0]!.values.map(([time]) => Number(time));
      const oldestFirst = await times(ascending);
      expect(oldestFirst).toEqual([...oldestFirst].sort((a, b) => a - b));
      expect(oldestFirst).toHaveLength(4);
      expect(await times(ascending.replace(" ORDER BY time ASC", ""))).toEqual([...oldestFirst].reverse());
      const { series } = await entryOf(
        engine(),
        "series_sum(`L::shop:(count(*) AS n) [32m::1m] BY host ORDER BY time ASC`).difference()",
      );
      // In earlier minutes, fewer hosts have a point. So the sum over all hosts becomes larger from minute to minute.
      expect(series![0]!.values.slice(0, -1).every(([, change]) => Number(change) > 0)).toBe(true);
    });

    it.each(calendars.map(([query, ...wanted]) => [query, wanted] as const))("%s", async (query, wanted) => {
      const { series } = await entryOf(engine(), query);
      expect(series![0]!.values.map(([time, value]) => [new Date(Number(time)).toISOString(), value])).toEqual(
        wanted.map(([time, value]) => [new Date(at(time)).toISOString(), value]),
      );
    });

    it.each([
      ["L::shop:(count(*)) [1h] BY host ORDER BY count(*) DESC LIMIT 3", ["web-31", "web-30", "web-29"]],
      ["L::shop:(count(*) AS n) [1h] BY host ORDER BY n DESC LIMIT 2 OFFSET 1", ["web-30", "web-29"]],
      ["L::shop:(count(*)) [1h] BY host SORDER BY count(*) DESC SLIMIT 2", ["web-31", "web-30"]],
      ["L::shop:(count(*)) [1h::1h] BY host SORDER BY count(*) DESC SLIMIT 2", ["web-31", "web-30"]],
      ["L::shop:(count(*) AS n) [1h] BY host ORDER BY n DESC", hosts.slice(12).reverse()],
      ["L::shop:(count(*) AS n) [1h] BY host ORDER BY n DESC LIMIT 32", [...hosts].reverse()],
      ["L::shop:(last(ms)) [1h] BY host ORDER BY time DESC LIMIT 1", hosts.slice(0, 20)],
      ["L::shop:(max(ms)) [1h] BY host HAVING max(int(ms_text)) > 1450", ["web-30", "web-31"]],
      ["L::shop:(max(int(ms_text)) AS m) [1h] BY host SORDER BY m DESC SLIMIT 2", ["web-31", "web-30"]],
      ["L::shop:(last(ms)) [1h] BY host SORDER BY max(int(ms_text)) DESC SLIMIT 2", ["web-31", "web-30"]],
      ["L::shop:(count(*)) {int(ms_text) >= 1500} [1h] BY host", ["web-30", "web-31"]],
    ] as const)("%s", async (query, wanted) => {
      const { series } = await entryOf(engine(), query);
      expect(series!.map(({ tags }) => tags!.host)).toEqual(wanted);
    });

    it.each([
      ["L::shop:(int(ms_text) AS n, float(ms_text) / 100 AS f) [1h] LIMIT 1 ORDER BY n DESC", [1550, 15.5]],
      ["L::shop:(int(note) AS n) [1h] LIMIT 1", [null]],
      ["M::load:(float(v) AS f) [1d] LIMIT 1", [1]],
    ] as const)("%s", async (query, wanted) => {
      const { series } = await entryOf(engine(), query);
      expect(series![0]!.values[0]!.slice(1)).toEqual(wanted);
    });

    it("returns CSV as one table of all series", async () => {
      const { csv, series } = await entryOf(engine(), `${shop} SLIMIT 2`, { output_format: "csv" });
      expect(series).toBeNull();
      expect(csv).toBe("host,time,n\nweb-00,,1\nweb-01,,2\n");
      const { csv: metric } = await entryOf(engine(), `${minutes} LIMIT 1`, { output_format: "csv" });
      expect(metric).toBe(`name,time,v\nload,${now},1\n`);
    });
  });
}
