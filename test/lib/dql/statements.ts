// Queries beyond the documented examples, over the sample data, with the answers that docs/reference/query.md requires:
// every function, null values, columns, errors, and members of the JSON request, which override clauses of the query.

import { filterStatements } from "./filter-statements.ts";
import { joinStatements } from "./join-statements.ts";
import type { Worked } from "./worked-set.ts";

type Rows = NonNullable<Worked["series"]>[number]["rows"];
type Row = Rows[number];

const one = (...rows: Row[]): Worked["series"] => [{ rows }];
const by = (key: string, series: Readonly<Record<string, Rows>>): Worked["series"] =>
  Object.entries(series).map(([value, rows]) => ({ tags: { [key]: value }, rows }));
const hosts = (h1: Rows, h2: Rows) => by("host", { h1, h2 });
const named = (series: Readonly<Record<string, Rows>>): Worked["series"] =>
  Object.entries(series).map(([name, rows]) => ({ name, rows }));
const columns = (names: string, ...rows: Row[]): Worked["series"] => [{ columns: names.split("|"), rows }];
const start = 1_672_531_200_000;

/**
 * Each row has the target of a query (the expression that the query computes) and the values that the query must return
 * over all nginx logs of the sample data. The latencies of these logs are 8, 12, 30, 250 and 400.
 */
const ofLogs: readonly (readonly [target: string, ...values: Row])[] = [
  ["count(*)", 5],
  ["count(latency)", 5],
  ["count(nowhere)", 0],
  ["count_distinct(status)", 2],
  ["count(distinct(client_ip))", 3],
  ["count_filter(status, [['error', 'warn']])", 2],
  ["sum(latency)", 700],
  ["avg(latency)", 140],
  ["avg(nowhere)", null],
  ["sum(status)", null],
  ["sum(int(http_status))", 1603],
  ["avg(float(client_ip))", null],
  ["min(latency)", 8],
  ["max(latency)", 400],
  ["min(status)", "error"],
  ["max(status)", "info"],
  ["spread(latency)", 392],
  ["median(latency)", 30],
  ["p50(latency)", 30],
  ["p90(latency)", 340],
  ["percentile(latency, 10)", 9.6],
  ["percentile(latency, 0)", 8],
  ["percentile(latency, 100)", 400],
  ["percentile(latency, 12.5)", 10],
  ["stddev(latency)", Math.sqrt(31_402)],
  ["mode(status)", "info"],
  ["mode(http_status)", 200],
  ["avg(latency / 10)", 14],
  ["max(latency) - min(latency)", 392],
  ["sum(latency) / count(*)", 140],
  ["sum(latency) % 9", 7],
  ["max(latency) / (min(latency) - 8)", null],
  ["abs(min(latency) - max(latency))", 392],
  ["round(avg(latency) / 3)", 47],
  ["count(*), message", 5, "GET /b 502 bad gateway"],
  ["first(latency), last(latency)", 12, 400],
  ["fill(avg(nowhere), 7)", 7],
];

/**
 * Expressions with the values that they have for the newest point of the host h1. In this point, load5s is 6 and
 * usage_total is 60.
 */
const ofRows: readonly (readonly [target: string, ...values: Row])[] = [
  ["load5s * 2", 12],
  ["load5s / 4", 1.5],
  ["load5s % 4", 2],
  ["load5s ^ 2", 36],
  ["2 ^ 3 ^ 2 + load5s * 0", 512],
  ["-load5s", -6],
  ["(load5s + 2) * 3 - 1", 23],
  ["load5s, load5s / (load5s - 6)", 6, null],
  ["load5s, load5s % (load5s - 6)", 6, null],
  ["load5s, load5s + nowhere", 6, null],
  ["abs(0 - load5s)", 6],
  ["round(usage_total / 7, 2)", 8.57],
  ["load5s, round(2.5), round(-2.5)", 6, 3, -3],
  ["floor(usage_total / 7)", 8],
  ["ceil(usage_total / 7)", 9],
  ["sqrt(load5s + 3)", 3],
  ["exp(load5s - 6)", 1],
  ["ln(load5s - 5)", 0],
  ["load5s, ln(load5s - 6)", 6, null],
  ["log2(load5s + 2)", 3],
  ["log10(load5s + 94)", 2],
  ["log(load5s + 3, 3)", 2],
];

/**
 * Results of rollup functions in buckets of two minutes, newest first. The functions compute over the field
 * load5s of the host h1, whose values rise from 1 to 6.
 */
const rollups: readonly (readonly [name: string, ...values: (number | null)[]])[] = [
  ["avg", 5.5, 3.5, 1.5],
  ["sum", 11, 7, 3],
  ["min", 5, 3, 1],
  ["max", 6, 4, 2],
  ["count", 2, 2, 2],
  ["first", 5, 3, 1],
  ["last", 6, 4, 2],
  ["median", 5.5, 3.5, 1.5],
  ["p90", 5.9, 3.9, 1.9],
  ["p99.5", 5.995, 3.995, 1.995],
  ["stddev", Math.SQRT1_2, Math.SQRT1_2, Math.SQRT1_2],
  ["deriv", 1 / 60, 1 / 60, 1 / 60],
  ["rate", 1 / 60, 1 / 60, 1 / 60],
  ["irate", 1 / 60, 1 / 60, 1 / 60],
  ["increase", 2, 2, 1],
];
/**
 * Results of rollup functions for the host h2, whose load5s is always 2. All functions that the list does not name
 * return 2.
 */
const ofTwos: Readonly<Record<string, number>> = { sum: 4, stddev: 0, deriv: 0, rate: 0, irate: 0, increase: 0 };
const usage = "M::cpu:(usage_total) {host='h1'} [10m]";
const load = "M::cpu:(load5s) {host='h1'} [10m]";

const others: readonly Omit<Worked, "number">[] = [
  // Queries that select sources in different ways.
  { query: "M::cpu,mem:(count(*)) [10m]", series: named({ cpu: [[0, 12]], mem: [[0, 6]] }) },
  { query: "M::re('p'):(count(*)) [10m]", series: named({ cpu: [[0, 12]], http: [[0, 6]] }) },
  { query: "metric::*:(count(*)) [10m]", series: named({ cpu: [[0, 12]], http: [[0, 6]], mem: [[0, 6]] }) },
  { query: "L::re('ngin'):(count(*)) [10m]", series: [] },
  { query: "L::re('ngin.'),'app':(count(*)) [10m]", series: one([null, 8]) },
  { query: "L('default')::*:(count(*)) [10m]", series: one([null, 8]) },
  { query: "L('other')::*:(count(*)) [10m]", series: [] },
  { query: "T::pay:(resource) [10m]", series: one([100, "POST /pay"]) },
  { query: "M::cpu:(count(*)) {host = re('h')} [10m]", series: one([0, 12]) },
  { query: "M::cpu:(count(*)) {region = match('e')} [10m]", series: one([0, 6]) },
  { query: "M::cpu:(count(*)) {host = match('H')} [10m]", series: [] },
  // Queries with time ranges.
  { query: "M::cpu:(usage_total) [5m]", series: one([300, 60], [300, 95]) },
  { query: "M::cpu:(load5s) [9m:8m] {host='h1'}", series: one([120, 3], [60, 2]) },
  { query: "M::cpu:(load5s) [2023-01-01 00:04:00:2023-01-01 00:05:00] {host='h1'}", series: one([300, 6], [240, 5]) },
  { query: "M::cpu:(load5s) [1672531440:1672531500000] {host='h1'}", series: one([300, 6], [240, 5]) },
  { query: "M::cpu:(load5s) [1672531440000000:1672531500000000000] {host='h1'}", series: one([300, 6], [240, 5]) },
  { query: "M::cpu:(count(*)) [today:now]", series: one([0, 12]) },
  { query: "M::cpu:(count(*)) [yesterday:today]", series: one([-86_400, 2]) },
  { query: "M::cpu:(sum(load5s)) {host='h1'} [10m::120]", series: one([240, 11], [120, 7], [0, 3]) },
  { query: "M::cpu:(sum(load5s)) {host='h1'} [10m::auto(5)]", series: one([240, 11], [120, 7], [0, 3]) },
  { query: "M::cpu:(usage_total) {host='h1'} [10m::2m]", series: one([240, 60], [120, 40], [0, 20]) },
  // Queries for columns without a function, in time buckets. In metrics, a bucket shows the last value of each stored
  // time series. In other categories, it shows the last value of each series of the answer.
  { query: "M::cpu:(usage_total) [10m::10m]", series: one([0, 60], [0, 95]) },
  { query: "L::*:(latency) [10m::10m]", series: one([0, 400]) },
  {
    query: "L::*:(latency, service, status) [10m::2m]",
    series: one([240, 400, "web", "error"], [120, 8, "billing", "info"], [0, 30, "billing", "warn"]),
  },
  {
    query: "L::*:(latency) [10m::2m] BY status",
    series: by("status", {
      error: [
        [240, 400],
        [120, 90],
        [0, 250],
      ],
      info: [
        [120, 8],
        [0, 30],
      ],
      warn: [[0, null]],
    }),
  },
  {
    query: "L::*:(latency, host) [10m::10m] BY regexp_extract(message, '[A-Z]+') AS verb SORDER BY count(latency) DESC",
    series: by("verb", { GET: [[0, 400, "h2"]], "": [[0, 90, "h2"]], POST: [[0, 30, "h2"]] }),
  },
  // Queries with functions that choose rows, and queries with functions that compute a new series.
  { query: "M::mem:(bottom(used_percent, 2)) [10m]", series: one([0, 50], [120, 55]) },
  { query: "M::cpu:(distinct(load5s)) [10m]", series: one(...[1, 2, 3, 4, 5, 6].map((value): Row => [null, value])) },
  { query: "M::cpu:(DISTINCT host) [10m]", series: one([null, "h1"], [null, "h2"]) },
  { query: "L::*:(histogram(latency, 0, 500, 100, 2)) [10m]", plain: true, series: one([0, 4]) },
  { query: "L::*:(histogram(latency, 10, 400, 50)) [10m]", plain: true, series: one([10, 2], [60, 1], [210, 1]) },
  { query: "L::nginx:(first(message)) [10m]", series: one([10, "GET /a 200"]) },
  { query: "L::nginx:(last_row(http_status)) [10m]", series: one([290, 502]) },
  { query: "L::*:(last(http_status)) {source = 'app'} [10m]", series: one([null, null]) },
  {
    query: "L::nginx:(regexp_extract(message, '/([a-z])', 1) AS p) [10m] LIMIT 2",
    series: one([290, "b"], [200, "c"]),
  },
  {
    query: "L::nginx:(regexp_extract_all(message, '[0-9]') AS d, count(*) AS c) [10m] BY d",
    series: by("d", { "[2 0 0]": [[null, 2]], "[2 0 1]": [[null, 1]], "[5 0 0]": [[null, 1]], "[5 0 2]": [[null, 1]] }),
  },
  { query: "M::cpu:(cumulative_sum(load5s)) {host='h1'} [10m] LIMIT 3", series: one([300, 21], [240, 15], [180, 10]) },
  {
    query: "M::http:(difference(requests_total)) [10m]",
    series: one([300, 60], [240, 60], [180, -200], [120, 60], [60, 60]),
  },
  {
    query: "M::http:(non_negative_difference(requests_total)) [10m]",
    series: one([300, 60], [240, 60], [120, 60], [60, 60]),
  },
  {
    query: "M::http:(derivative(requests_total, 1m)) [10m]",
    series: one([300, 60], [240, 60], [180, -200], [120, 60], [60, 60]),
  },
  {
    query: "M::http:(non_negative_derivative(requests_total)) [10m]",
    series: one([300, 1], [240, 1], [120, 1], [60, 1]),
  },
  { query: "M::http:(derivative(avg(requests_total))) [10m::2m]", series: one([240, -1 / 12], [120, -1 / 12]) },
  { query: "M::http:(moving_average(last(requests_total), 2)) [10m::2m]", series: one([240, 80], [120, 90]) },
  { query: "M::http:(sum(requests_total)) [10m::2m:increase]", series: one([240, 120], [120, 80], [0, 60]) },
  { query: "M::http:(sum(requests_total)) [10m::2m:irate]", series: one([240, 1], [120, 1 / 3], [0, 1]) },
  // Queries with groups, HAVING, ORDER BY, and pages (LIMIT, OFFSET).
  { query: "L::*:(count(*)) [10m] BY nowhere", series: by("nowhere", { "": [[null, 8]] }) },
  {
    query: "L::*:(count(*)) [10m] GROUP BY http_status SLIMIT 3",
    series: [
      { tags: { http_status: "" }, rows: [[null, 3]] },
      { tags: { http_status: "200" }, rows: [[null, 2]] },
      { tags: { http_status: "201" }, rows: [[null, 1]] },
    ],
  },
  { query: "M::cpu:(max(usage_total)) [10m] BY host HAVING `#1` > 80", series: by("host", { h2: [[0, 95]] }) },
  {
    query: "M::cpu:(max(usage_total)) [10m] BY host HAVING max(usage_total) < 80",
    series: by("host", { h1: [[0, 60]] }),
  },
  {
    query: "M::cpu:(max(usage_total)) [10m] BY host HAVING count(usage_total) = 5",
    series: by("host", { h2: [[0, 95]] }),
  },
  { query: "M::cpu:(max(usage_total) AS m) [10m] BY host HAVING m > 100", series: [] },
  {
    query: "M::cpu:(usage_total) [10m] ORDER BY usage_total DESC LIMIT 3",
    series: one([300, 95], [300, 60], [240, 50]),
  },
  {
    query: "L::*:(latency) [10m] ORDER BY latency DESC LIMIT 3 OFFSET 5",
    series: one([200, 8], [200, null], [80, null]),
  },
  { query: "L::*:(latency) [10m] ORDER BY latency LIMIT 3 OFFSET 5", series: one([290, 400], [200, null], [80, null]) },
  { query: `${load} LIMIT 2 OFFSET 1`, series: one([240, 5], [180, 4]) },
  { query: `${load} LIMIT 0`, series: [] },
  { query: `${load} ORDER BY time ASC LIMIT 2`, series: one([0, 1], [60, 2]) },
  { query: "M::cpu:(avg(load5s)) [10m] BY host SLIMIT 1", series: by("host", { h1: [[0, 3.5]] }) },
  { query: "M::cpu:(avg(load5s)) [10m] BY host SOFFSET 1", series: by("host", { h2: [[0, 2]] }) },
  {
    query: "M::cpu:(avg(load5s)) [10m] BY host SORDER BY last(usage_total) DESC",
    series: [
      { tags: { host: "h2" }, rows: [[0, 2]] },
      { tags: { host: "h1" }, rows: [[0, 3.5]] },
    ],
  },
  {
    query: "M::cpu:(avg(load5s)) [10m] BY host, region SLIMIT 1",
    series: [{ tags: { host: "h1", region: "eu" }, rows: [[0, 3.5]] }],
  },
  // Queries that test the column names of the answer.
  { query: `M::cpu:(load5s, load5s) {host='h1'} [10m] LIMIT 1`, series: columns("time|load5s|load5s_1", [300, 6, 6]) },
  { query: "M::cpu:(max(load5s) AS m, min(load5s) AS m) [10m]", series: columns("time|m|m_1", [0, 6, 1]) },
  { query: "M::cpu:(load5s, time) {host='h1'} [10m] LIMIT 1", series: columns("time|load5s", [300, 6]) },
  { query: "M::mem [10m] LIMIT 1", series: columns("time|used_percent|host", [240, 60, "h1"]) },
  { query: "M::cpu:(*) {usage_total = nil} [10m]", series: columns("time|load5s|host|region", [120, 2, "h2", "us"]) },
  {
    query: "M::cpu:(PERCENTILE(`usage_total`,50)) {host='h1'} [10m]",
    series: columns("time|percentile(usage_total, 50)", [0, 35]),
  },
  { query: "M::cpu:(max( load5s )-1) [10m]", series: columns("time|max(load5s) - 1", [0, 5]) },
  { query: "M::cpu:(fill(max(load5s) AS m, 0)) {host='h1'} [9m:8m:1m]", series: columns("time|m", [120, 3], [60, 2]) },
  { query: "M::cpu:(load5s AS 使用率👍) {host='h1'} [10m] LIMIT 1", series: columns("time|使用率👍", [300, 6]) },
  { query: "M::cpu:(usage_total) {host='h2', load5s = 2} [8m:7m]", series: one([180, 35]) },
  { query: "L::app:(latency) [10m]", series: one([200, null], [130, 90], [80, null]) },
  // Queries over the answer of another query.
  { query: "M::(M::cpu:(max(load5s) AS m) [10m::2m] BY host):(sum(m)) BY host", series: hosts([[0, 12]], [[0, 6]]) },
  { query: "L::(L::nginx:(count(*) AS c) [10m] BY status):(max(c)) {status = 'info'}", series: one([null, 3]) },
  {
    query: "M::(M::cpu:(sum(load5s) AS s) {host='h1'} [570s::2m]):(count(s))",
    series: one([30, 3]),
  },
  // Queries with outer functions, whose argument is a whole query.
  { query: `sum(\`${usage}\`)`, plain: true, series: one([0, 210]) },
  { query: `count(\`${usage}\`)`, plain: true, series: one([0, 6]) },
  { query: `min(\`${usage}\`)`, series: one([0, 10]) },
  { query: `first(\`${usage}\`)`, series: one([0, 10]) },
  { query: `last(\`${usage}\`)`, series: one([300, 60]) },
  { query: `cumsum(dql="${usage} LIMIT 2")`, series: one([300, 60], [240, 110]) },
  { query: `non_negative_difference(\`${usage} ORDER BY time ASC LIMIT 2\`)`, series: one([60, 10]) },
  { query: `non_negative_difference(\`${usage} LIMIT 2\`)`, series: one() },
  { query: `derivative(\`${usage} LIMIT 2\`)`, series: one([240, 1 / 6]) },
  { query: `difference(\`${usage} LIMIT 1\`)`, series: one() },
  { query: `moving_average(dql=\`${usage} LIMIT 2\`, size=3)`, series: one() },
  { query: `log10(\`${usage} ORDER BY time ASC LIMIT 1\`)`, series: one([0, 1]) },
  {
    query: "rate(`M::http:(requests_total) [10m] ORDER BY time ASC`)",
    series: one([60, 1], [120, 1], [180, 1 / 3], [240, 1], [300, 1]),
  },
  {
    query: "series_sum(dql=`M::cpu:(sum(load5s)) [10m] BY host, region`, sumBy=['region'])",
    series: by("region", { eu: [[0, 21]], us: [[0, 12]] }),
  },
  { query: "count_filter(dql=`L::*:(status) [10m]`, expr='status = `warn`')", series: one([80, "warn"]) },
  // Queries with show functions, which list stored names and values.
  { query: "show_measurement() LIMIT 1 OFFSET 1", plain: true, series: one(["http"]) },
  { query: "SHOW_MEASUREMENT() {name = re('p')}", plain: true, series: one(["cpu"], ["http"]) },
  {
    query: "show_tag_value(from=['cpu'], keyin=re('^r'))",
    plain: true,
    series: one(["region", "eu"], ["region", "us"]),
  },
  {
    query: "show_tag_key(from=['mem'])",
    plain: true,
    series: [{ name: "mem", columns: ["tagKey"], rows: [["host"]] }],
  },
  { query: "show_logging_source()", plain: true, series: one(["app"], ["nginx"]) },
  { query: "show_object_class()", plain: true, series: one(["HOST"]) },
  // Members of the JSON request override clauses of the query, and clauses override the defaults.
  { query: `${load} LIMIT 5`, member: { limit: 1 }, series: one([300, 6]) },
  { query: `${load} LIMIT 1`, member: { limit: 0 }, series: one([300, 6]) },
  { query: `${load} LIMIT 1 OFFSET 4`, member: { offset: 1 }, series: one([240, 5]) },
  { query: `${load} LIMIT 1`, member: { orderby: [{ load5s: "ASC" }] }, series: one([0, 1]) },
  {
    query: "M::cpu:(load5s) [10m] ORDER BY time LIMIT 1",
    member: { orderby: [{ load5s: "desc" }, { host: "asc" }] },
    series: one([300, 6]),
  },
  {
    query: "M::cpu:(avg(load5s)) [10m] BY host SLIMIT 2",
    member: { slimit: 1 },
    series: by("host", { h1: [[0, 3.5]] }),
  },
  { query: "M::cpu:(avg(load5s)) [10m] BY host", member: { soffset: 1 }, series: by("host", { h2: [[0, 2]] }) },
  {
    query: "M::cpu:(avg(load5s)) [10m] BY host SLIMIT 1",
    member: { disable_slimit: true },
    series: by("host", { h1: [[0, 3.5]] }),
  },
  { query: `${load}`, member: { conditions: "{load5s > 5}" }, series: one([300, 6]) },
  {
    query: "M::cpu:(load5s) {load5s = 6 OR load5s = 5} [10m]",
    member: { conditions: "load5s = 6 OR load5s = 1" },
    series: one([300, 6]),
  },
  { query: `${load}`, member: { conditions: " ", limit: 1 }, series: one([300, 6]) },
  { query: `${load}`, member: { time_range: [start + 60_000, start + 120_000] }, series: one([120, 3], [60, 2]) },
  { query: `${load}`, member: { time_range: [start + 240_000] }, series: one([300, 6], [240, 5]) },
  { query: `${load} LIMIT 1`, member: { time_range: [], max_duration: "10m0s" }, series: one([300, 6]) },
  {
    query: "M::cpu:(sum(load5s)) {host='h1'} [1m::2m]",
    member: { time_range: [start, start + 600_000] },
    series: one([240, 11], [120, 7], [0, 3]),
  },
  { query: "M::cpu:(sum(load5s)) {host='h1'} [10m::2m]", member: { max_point: 2 }, series: one([300, 6], [0, 15]) },
  {
    query: "M::cpu:(sum(load5s)) {host='h1'} [10m::50s] LIMIT 2",
    member: { align_time: true },
    series: one([300, 6], [240, 5]),
  },
  {
    query: "M::cpu:(avg(usage_total)) {host='h1'} [1h::1m] BY host LIMIT 5 SLIMIT 3",
    member: {
      conditions: "region = 'eu' OR region = 'us'",
      time_range: [start, start + 600_000],
      limit: 2,
      max_point: 2,
    },
    series: by("host", {
      h1: [
        [300, 60],
        [0, 30],
      ],
    }),
  },
  {
    query: `${load} LIMIT 1`,
    member: { disable_multiple_field: true, highlight: null, whatever: {} },
    series: one([300, 6]),
  },
  {
    query: "L::*:(message) [10m] LIMIT 1 OFFSET 3",
    member: { search_after: [] },
    series: one([290, "GET /b 502 bad gateway"]),
  },
  // Requests that must be refused.
  { query: "M::mem", member: { disable_multiple_field: true }, error: "parse error: multiple fields not allowed" },
  { query: `${load}`, member: { orderby: [{ load5s: "up" }] }, error: "parse error: invalid order: up" },
  { query: `${load}`, member: { max_duration: "soon" }, error: "parse error: invalid max_duration: soon" },
  { query: `${load}`, member: { max_duration: "9m59s" }, error: "parse error: time range should less than 9m59s" },
  { query: `${load}`, member: { limit: 100_001 }, error: "parse error: limit out of range, max 100000" },
  { query: `${load}`, member: { slimit: 10_001 }, error: "parse error: limit out of range, max 10000" },
  {
    query: `${load}`,
    member: { conditions: "load5s >" },
    error: "conditions: 1:9 parse error: unexpected: end of input",
  },
  { query: "L::*:(message) [10m]", member: { search_after: [1] }, error: "parse error: invalid search_after" },
  { query: "M::cpu:(sum(load5s)) [1672502400:1672588800:1d] tz(-3)", series: one([-75_600, 33]) },
  { query: "M::cpu:(fill(max(load5s), 0)) [300d::1s]", error: "parse error: fill makes 25920001 buckets, max 100000" },
];

const ofLogStatements = ofLogs.map(([target, ...values]) => ({
  query: `L::nginx:(${target}) [10m]`,
  series: one([null, ...values]),
}));
const ofRowStatements = ofRows.map(([target, ...values]) => ({
  query: `M::cpu:(${target}) {host='h1'} [10m] LIMIT 1`,
  series: one([300, ...values]),
}));
const rollupStatements = rollups.map(([name, ...values]) => ({
  query: `M::cpu:(sum(load5s)) [10m::2m:${name}]`,
  // The query adds up the result of the function for the host h1 and its result for the host h2 in each bucket. For h2,
  // each bucket has two points with the value 2.
  series: one(...values.map((value, at): Row => [240 - at * 120, Number(value) + (ofTwos[name] ?? 2)])),
}));

export const statements: readonly Worked[] = [
  ...filterStatements,
  ...joinStatements,
  ...[...ofLogStatements, ...ofRowStatements, ...rollupStatements, ...others].map((each, at) => ({
    ...each,
    number: 401 + at,
  })),
];
