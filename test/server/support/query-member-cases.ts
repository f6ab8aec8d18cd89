// Test cases for the members of a query request over the sample data (docs/reference/query.md#requests): the effect of
// each member, and which other members it overrides.

import { Buffer } from "node:buffer";
import { expect } from "vitest";
import { epoch } from "../../lib/dql/sample-data.ts";
import type { Entry } from "./running-platform.ts";

export interface MemberCase {
  readonly what: string;
  readonly query: string;
  readonly member: Readonly<Record<string, unknown>>;
  readonly gives: (entry: Entry) => void;
}

export interface RefusedMember {
  readonly query?: string;
  readonly member: Readonly<Record<string, unknown>>;
  readonly message: string;
  readonly code?: string;
}

/**
 * Returns each series as one list: the values of its tags, then its rows. Times are in seconds after the start of the
 * sample data.
 */
function shown({ series }: Entry): unknown[][] {
  return series!.map(({ tags, values }) => [
    ...Object.values(tags ?? {}),
    ...values.map(([time, ...rest]) => [typeof time === "number" && time > 0 ? (time - epoch) / 1000 : time, ...rest]),
  ]);
}

const rows =
  (...wanted: unknown[][]) =>
  (entry: Entry) =>
    expect(shown(entry)).toEqual(wanted);

const entry = (members: Readonly<Record<string, unknown>>) => (given: Entry) => expect(given).toMatchObject(members);

const lines = (given: Entry) => (given.points as string[]).map((text) => Buffer.from(text, "base64").toString());

const logs = "L::re(`.*`):(message)";

export const memberCases: readonly MemberCase[] = [
  {
    what: "conditions narrow the filter of the statement, both in parentheses",
    query: "M::cpu:(last(usage_total)) {host = 'h1' OR host = 'h2'} BY host",
    member: { conditions: "region = 'us' OR region = 'asia', usage_total > 1" },
    gives: rows(["h2", [300, 95]]),
  },
  {
    what: "conditions with braces, over a statement without a filter",
    query: "M::cpu:(last(usage_total)) BY host",
    member: { conditions: "{ region = 'eu' }" },
    gives: rows(["h1", [300, 60]]),
  },
  {
    what: "conditions that are blank are none",
    query: "M::cpu:(count(*))",
    member: { conditions: " " },
    gives: rows([[0, 12]]),
  },
  {
    what: "conditions count for the inner statements of a function",
    query: "cumsum(`M::cpu:(usage_total) ORDER BY time ASC LIMIT 2`)",
    member: { conditions: "host = 'h2'" },
    gives: rows([
      [0, 5],
      [60, 20],
    ]),
  },
  {
    what: "time_range wins over start and end, and leaves the interval",
    query: "M::cpu:(max(usage_total)) [1672520000:1672530000:2m]",
    member: { time_range: [epoch, epoch + 240_000] },
    gives: rows([
      [240, 50],
      [120, 40],
      [0, 20],
    ]),
  },
  {
    what: "time_range with a start only ends now",
    query: "M::cpu:(count(*)) [5m]",
    member: { time_range: [epoch + 300_000], max_duration: "100y" },
    gives: rows([[300, 2]]),
  },
  {
    what: "time_range that is empty is none",
    query: "M::cpu:(count(*)) [1672531200:1672531260]",
    member: { time_range: [] },
    gives: rows([[0, 4]]),
  },
  {
    what: "time_range does not count for show functions",
    query: "show_measurement()",
    member: { time_range: [1, 2] },
    gives: ({ series }) => expect(series![0]!.values).toEqual([["cpu"], ["http"], ["many"], ["mem"]]),
  },
  {
    what: "max_duration as wide as the range is enough",
    query: "M::cpu:(count(*))",
    member: { max_duration: "600s" },
    gives: rows([[0, 12]]),
  },
  {
    what: "max_point widens the interval, limit wins over LIMIT, SLIMIT stays",
    query: "M::cpu:(avg(usage_total)) {host='h1'} [1h::1m] BY host LIMIT 5 SLIMIT 3",
    member: { conditions: "region = 'eu' OR region = 'us'", limit: 2, max_point: 2 },
    gives: (given) => {
      rows(["h1", [300, 60], [0, 30]])(given);
      entry({ interval: 300_000, window: 300_000, max_point: 3 })(given);
    },
  },
  {
    what: "limit wins over LIMIT, offset over OFFSET",
    query: "M::cpu:(usage_total) {host='h1'} LIMIT 5 OFFSET 4",
    member: { limit: 2, offset: 1 },
    gives: rows([
      [240, 50],
      [180, 40],
    ]),
  },
  {
    what: "0 and null are absent",
    query: "M::cpu:(usage_total) {host='h1'} LIMIT 2 OFFSET 4",
    member: { limit: 0, offset: null, slimit: 0, soffset: 0, max_point: 0, conditions: null, orderby: null, tz: null },
    gives: rows([
      [60, 20],
      [0, 10],
    ]),
  },
  {
    what: "slimit wins over SLIMIT, soffset over SOFFSET",
    query: "M::cpu:(last(usage_total)) BY host SLIMIT 2",
    member: { slimit: 1, soffset: 1 },
    gives: rows(["h2", [300, 95]]),
  },
  {
    what: "slimit splits raw points by their tags",
    query: "M::cpu:(usage_total) LIMIT 1",
    member: { slimit: 2 },
    gives: rows(["h1", "eu", [300, 60]], ["h2", "us", [300, 95]]),
  },
  {
    what: "20 series where nothing else is said",
    query: "M::many:(last(v)) BY host",
    member: {},
    gives: ({ series }) => expect(series).toHaveLength(20),
  },
  {
    what: "disable_slimit: all series",
    query: "M::many:(last(v)) BY host",
    member: { disable_slimit: true },
    gives: ({ series }) => expect(series).toHaveLength(30),
  },
  {
    what: "disable_slimit leaves SLIMIT and slimit",
    query: "M::many:(last(v)) BY host SLIMIT 25",
    member: { disable_slimit: true },
    gives: ({ series }) => expect(series).toHaveLength(25),
  },
  {
    what: "orderby replaces ORDER BY",
    query: "L::nginx:(latency) ORDER BY time ASC LIMIT 2",
    member: { orderby: [{ latency: "DESC" }] },
    gives: rows([
      [290, 400],
      [20, 250],
    ]),
  },
  {
    what: "orderby with several members in one object, in their order",
    query: "L::nginx:(host, latency) LIMIT 3",
    member: { orderby: [{ host: "asc", "`latency`": "desc" }] },
    gives: rows([
      [20, "h1", 250],
      [10, "h1", 12],
      [200, "h1", 8],
    ]),
  },
  {
    what: "order_by wins over orderby",
    query: "L::nginx:(latency) LIMIT 1",
    member: { orderby: [{ latency: "desc" }], order_by: [{ column: "`#1`", order: "ASC" }] },
    gives: rows([[200, 8]]),
  },
  {
    what: "sorder_by replaces SORDER BY",
    query: "M::cpu:(last(usage_total) AS v) BY host SORDER BY v ASC SLIMIT 1",
    member: { sorder_by: [{ v: "desc" }] },
    gives: rows(["h2", [300, 95]]),
  },
  {
    what: "disable_multiple_field takes one column beside the time",
    query: "L::nginx:(time, latency) LIMIT 1",
    member: { disable_multiple_field: true },
    gives: rows([[290, 400]]),
  },
  {
    what: "search_after that is empty asks for the first page and its key",
    query: `${logs} LIMIT 2`,
    member: { search_after: [] },
    gives: ({ search_after: key }) => expect(key).toEqual([epoch + 200_000, 0, expect.stringMatching(/^L_/)]),
  },
  {
    what: "search_after takes OFFSET away",
    query: "L::nginx:(latency) LIMIT 1 OFFSET 3",
    member: { search_after: [] },
    gives: rows([[290, 400]]),
  },
  {
    what: "search_after does not count for metrics",
    query: "M::cpu:(usage_total) {host='h1'} LIMIT 1",
    member: { search_after: [] },
    gives: (given) => {
      rows([[300, 60]])(given);
      expect(given).not.toHaveProperty("search_after");
    },
  },
  {
    what: "search_after does not count with BY",
    query: "L::nginx:(latency) BY host LIMIT 1",
    member: { search_after: [1, 2, "L_1"] },
    gives: rows(["h1", [200, 8]], ["h2", [290, 400]]),
  },
  {
    what: "search_after by a whole number beyond doubles comes as text",
    query: "CO::web:(big) ORDER BY big DESC",
    member: { search_after: [] },
    gives: ({ search_after: key }) => expect((key as unknown[])[0]).toBe("9007199254740993"),
  },
  {
    what: "highlight: words in a row, values as they are",
    query: `${logs} {message = match('Bad GATEWAY')}`,
    member: { highlight: true },
    gives: (given) => {
      expect(given.series![0]!.columns).toEqual(["time", "message", "highlight"]);
      rows([[290, "GET /b 502 bad gateway", { message: ["GET /b 502 <em>bad gateway</em>"] }]])(given);
    },
  },
  {
    what: "highlight: of the request's conditions, too; query_string, wildcard, expressions, whole values",
    query: "L::nginx:(latency) {message = query_string('upstr* OR -info'), host = 'h1'} LIMIT 1",
    member: { highlight: true, conditions: "status = wildcard('*rr*'), message = re('.*5[0-9]+.*')" },
    gives: rows([
      [
        20,
        250,
        {
          message: ["GET /b <em>500</em> <em>upstream</em> timeout"],
          host: ["<em>h1</em>"],
          status: ["e<em>rr</em>or"],
        },
      ],
    ]),
  },
  {
    what: "highlight: nothing is found by what must not be there",
    query: "L::nginx:(latency) {message != match('upstream')} LIMIT 1",
    member: { highlight: true },
    gives: rows([[290, 400, null]]),
  },
  {
    what: "highlight: HTML is text",
    query: "CO::web:(big) {message = match('get')}",
    member: { highlight: true },
    gives: ({ series }) =>
      expect(series![0]!.values[0]![2]).toEqual({
        message: ["&lt;b&gt;<em>GET</em>&lt;/b&gt; /a &amp; &quot;so on&quot;"],
      }),
  },
  {
    what: "highlight does not count for aggregates",
    query: "L::nginx:(count(*)) {message = match('get')}",
    member: { highlight: true },
    gives: ({ series }) => expect(series![0]!.columns).toEqual(["time", "count(*)"]),
  },
  {
    what: "echo_explain: the statement, and what the database was sent",
    query: "M::cpu:(max(usage_total))\n BY host",
    member: { echo_explain: true },
    gives: ({ raw_query: text }) =>
      expect(text).toMatch(/^-- M::cpu:\(max\(usage_total\)\) BY host\n-- from: {4}metric cpu\n.*\nSELECT .*max\(/s),
  },
  {
    what: "interval in seconds wins over the statement's",
    query: "M::cpu:(max(usage_total)) {host='h1'} [10m::1m]",
    member: { interval: 120 },
    gives: rows([
      [240, 60],
      [120, 40],
      [0, 20],
    ]),
  },
  {
    what: "interval does not count where it makes more than 720 buckets",
    query: "M::cpu:(max(usage_total)) [10m::5m]",
    member: { interval: 1, time_range: [epoch, epoch + 721_000] },
    gives: entry({ interval: 300_000 }),
  },
  {
    what: "align_time takes the next of the usual intervals",
    query: "M::cpu:(max(usage_total)) [10m::50s]",
    member: { align_time: true },
    gives: entry({ interval: 60_000 }),
  },
  {
    what: "tz moves buckets of a day",
    query: "M::cpu:(sum(usage_total)) [1672502400:1672588800:1d]",
    member: { tz: "Asia/Shanghai", time_range: null },
    gives: rows([[-28_800, 405]]),
  },
  {
    what: "tz of the statement wins",
    query: "M::cpu:(sum(usage_total)) [1672502400:1672588800:1d] tz('Asia/Shanghai')",
    member: { tz: "UTC", time_range: null },
    gives: rows([[-28_800, 405]]),
  },
  {
    what: "output_format csv: one table of all series in their place",
    query: "M::cpu:(last(usage_total) AS v) BY host",
    member: { output_format: "csv" },
    gives: ({ series, csv }) => {
      expect(series).toBeNull();
      expect(csv).toBe(`name,host,time,v\ncpu,h1,${epoch + 300_000},60\ncpu,h2,${epoch + 300_000},95\n`);
    },
  },
  {
    what: "disable_slimit: without it a default cut is told",
    query: "M::many:(last(v)) BY host",
    member: {},
    gives: ({ query_warning: warning }) =>
      expect(warning).toBe("20 of 30 series are given, as without SLIMIT; write SLIMIT 30 to get all"),
  },
  {
    what: "output_format lineprotocol: points in place of series, tags as tags",
    query: "M::cpu {host='h2'} LIMIT 2",
    member: { output_format: "lineprotocol" },
    gives: (given) => {
      expect(given.series).toBe(null);
      expect(lines(given)).toEqual([
        `cpu,host=h2,region=us load5s=2i,usage_total=95 ${epoch + 300_000}000000`,
        `cpu,host=h2,region=us load5s=2i,usage_total=45 ${epoch + 240_000}000000`,
      ]);
    },
  },
  {
    what: "output_format lineprotocol of logs and of groups: the source names the points, groups are tags",
    query: "L::nginx:(count(*) AS n, max(latency)) BY host",
    member: { output_format: "lineprotocol" },
    gives: (given) =>
      expect(lines(given)).toEqual(["nginx,host=h1 n=3i,max(latency)=250i", "nginx,host=h2 n=2i,max(latency)=400i"]),
  },
  {
    what: "output_format lineprotocol of texts: quotes and backslashes are escaped",
    query: "CO::web:(message)",
    member: { output_format: "lineprotocol" },
    gives: (given) => expect(lines(given)[0]).toBe(`web message="<b>GET</b> /a & \\"so on\\"" ${epoch + 1000}000000`),
  },
  {
    what: "scans by segments are answered at once, completely",
    query: logs,
    member: { cursor_time: epoch + 600_000, is_optimized: true },
    gives: (given) => {
      expect(shown(given)[0]).toHaveLength(8);
      entry({ next_cursor_time: -1, sample: 1, total_hits: 8 })(given);
    },
  },
  {
    what: "disable_query_parse leaves query_parse out",
    query: "M::cpu",
    member: { disable_query_parse: true },
    gives: (given) => expect(given).not.toHaveProperty("query_parse"),
  },
  {
    what: "members that change nothing here, and unknown ones, are not looked at",
    query: "M::cpu:(count(*))",
    member: {
      ...{
        disable_sampling: true,
        is_profile: true,
        mask_visible: true,
        disallow_large_query: true,
        index_list: ["a"],
      },
      ...{ rules: [], show_label: true, disable_expensive_query: true, qtype: "dql", no_such_member: {} },
    },
    gives: rows([[0, 12]]),
  },
  {
    what: "is_async with an answer that is there in time",
    query: "M::cpu:(count(*))",
    member: { is_async: true, async_timeout: "30s", search_timeout: "1m0s" },
    gives: (given) => {
      rows([[0, 12]])(given);
      entry({ is_running: false, async_id: "" })(given);
    },
  },
  {
    what: "members of the answer of a group",
    query: "L::re(`.*`):(count(*)) [10m::1m] BY status",
    member: {},
    gives: entry({
      points: null,
      total_hits: 8,
      group_by: ["status"],
      is_running: false,
      async_id: "",
      query_parse: {
        namespace: "logging",
        sources: { ".*": "regex" },
        fields: { "count(*)": "*" },
        funcs: { "count(*)": ["count"] },
      },
      index_name: "default",
      query_type: "duckdb",
      complete: false,
      scan_completed: false,
      next_cursor_time: -1,
      interval: 60_000,
      max_point: 11,
    }),
  },
];

const json = "platform.invalidJSON";

export const refusedMembers: readonly RefusedMember[] = [
  { query: "", member: {}, message: "1:1 parse error: unexpected: end of input" },
  { member: { query: null }, message: "1:1 parse error: unexpected: end of input" },
  { member: { query: 1 }, code: json, message: "json.Unmarshal: queries[0].query is not a string" },
  { member: { limit: "1" }, code: json, message: "json.Unmarshal: queries[0].limit is not a whole number" },
  { member: { max_point: 1.5 }, code: json, message: "json.Unmarshal: queries[0].max_point is not a whole number" },
  { member: { highlight: 1 }, code: json, message: "json.Unmarshal: queries[0].highlight is not a boolean" },
  { member: { time_range: "1h" }, code: json, message: "json.Unmarshal: queries[0].time_range is not a list" },
  { member: { search_after: {} }, code: json, message: "json.Unmarshal: queries[0].search_after is not a list" },
  { member: { orderby: ["a"] }, code: json, message: "json.Unmarshal: queries[0].orderby is not a list of objects" },
  { member: { conditions: "{a = }" }, message: 'conditions: 1:6 parse error: unexpected: "}"' },
  { member: { conditions: "a = foo(1)" }, message: 'parse error: unknown function "foo"' },
  { member: { time_range: [1, 2, 3] }, message: "parse error: time_range expects [start, end], got 3 elements" },
  { member: { time_range: [epoch, epoch] }, message: "parse error: time range: start must be before end" },
  { member: { max_duration: "5m" }, message: "parse error: time range should less than 5m0s" },
  { member: { max_duration: "1.5s" }, message: "parse error: time range should less than 1.5s" },
  {
    query: "L::nginx [30d]",
    member: { time_range: null, max_duration: "1h" },
    message: "parse error: time range should less than 1h0m0s",
  },
  { member: { max_duration: "soon" }, message: "parse error: invalid max_duration: soon" },
  { member: { limit: -1 }, message: "parse error: limit must not be negative" },
  { member: { limit: 100_001 }, message: "parse error: limit out of range, max 100000" },
  { member: { slimit: 10_001 }, message: "parse error: limit out of range, max 10000" },
  { member: { orderby: [{ host: "up" }] }, message: "parse error: invalid order: up" },
  { member: { disable_multiple_field: true }, message: "parse error: multiple fields not allowed" },
  {
    query: "L::nginx:(host, message)",
    member: { disable_multiple_field: true },
    message: "parse error: multiple fields not allowed",
  },
  { query: logs, member: { search_after: [1] }, message: "parse error: invalid search_after" },
  { query: logs, member: { search_after: [{}, 0, "L_1"] }, message: "parse error: invalid search_after" },
  { member: { tz: "Mars/Phobos" }, message: 'parse error: unknown timezone "Mars/Phobos"' },
  { member: { qtype: "promql" }, message: "parse error: qtype promql is not supported" },
  { member: { output_format: "xml" }, message: "parse error: invalid output_format: xml" },
  { member: { async_id: "no such id" }, message: "parse error: async query not found" },
  { member: { search_timeout: "soon" }, message: "parse error: invalid search_timeout: soon" },
  { member: { async_timeout: "-1s" }, message: "parse error: invalid async_timeout: -1s" },
];
