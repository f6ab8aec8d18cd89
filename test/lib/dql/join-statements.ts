// Queries with FILTER and LINK over the sample data, with their answers
// (docs/reference/query.md#two-statements-in-one).

import type { Worked } from "./worked-set.ts";

type Series = NonNullable<Worked["series"]>;
type Rows = Series[number]["rows"];

const hosts = (series: Readonly<Record<string, Rows>>): Series =>
  Object.entries(series).map(([host, rows]) => ({ tags: { host }, rows }));
const columns = (names: string, ...rows: Rows): Series => [{ columns: names.split("|"), rows }];

const last = "M::cpu:(last(usage_total)) [10m] BY host";
const host = "WITH {host = host}";

const joins: readonly Omit<Worked, "number">[] = [
  // FILTER keeps the points whose column value occurs in the answer of the inner query.
  { query: `${last} FILTER L::nginx:(host) {latency > 300} ${host}`, series: hosts({ h2: [[300, 95]] }) },
  { query: `${last} FILTER (L::nginx:(host) {latency > 300}) ${host}`, series: hosts({ h2: [[300, 95]] }) },
  { query: `${last} filter L::nginx:(host) {latency > 300} with {host = host}`, series: hosts({ h2: [[300, 95]] }) },
  { query: `${last} FILTER L::nginx:(host) {latency > 1000} ${host}`, series: [] },
  { query: `${last} FILTER L::nowhere:(host) ${host}`, series: [] },
  {
    query: `${last} FILTER L::nginx:(count(*)) BY host WITH {host = host} SLIMIT 1`,
    series: hosts({ h1: [[300, 60]] }),
  },
  // Clauses before WITH belong to the inner query: with LIMIT 1 it returns only the newest log, which comes from the
  // host h2.
  { query: `${last} FILTER L::nginx:(host) LIMIT 1 ${host}`, series: hosts({ h2: [[300, 95]] }) },
  { query: `${last} FILTER L::nginx:(host) ORDER BY latency ASC LIMIT 1 ${host}`, series: hosts({ h1: [[300, 60]] }) },
  // The inner query has its own time range, or else the time range of the outer query.
  { query: `${last} FILTER L::app:(host) [1672531210:1672531290] ${host}`, series: hosts({ h2: [[300, 95]] }) },
  {
    query: "M::cpu:(count(usage_total)) [1672531200:1672531285] BY host FILTER L::app:(host) WITH {host = host}",
    series: hosts({ h2: [[0, 2]] }),
  },
  {
    query: `${last} FILTER L::app:(host) ${host}`,
    member: { time_range: [1_672_531_200_000, 1_672_531_285_000] },
    series: hosts({ h2: [[60, 15]] }),
  },
  // Joins by two columns at once: no row of the inner query has both the host h1 and the region us.
  {
    query:
      "M::cpu:(max(load5s)) [10m] BY host FILTER M::cpu:(host, region) {load5s > 4} WITH {host = host, region = region}",
    series: hosts({ h1: [[0, 6]] }),
  },
  {
    query:
      "M::cpu:(max(load5s)) [10m] BY host FILTER M::cpu:(host, region AS r) {load5s > 4} WITH {(host = host) AND region = r}",
    series: hosts({ h1: [[0, 6]] }),
  },
  // FILTER treats a number and its decimal string as equal. A row without a value in the compared column is equal
  // to no other row.
  {
    query:
      "L::nginx:(message) [10m] FILTER L::nginx:(http_status) {http_status > 400} WITH {http_status = http_status}",
    series: [
      {
        rows: [
          [290, "GET /b 502 bad gateway"],
          [20, "GET /b 500 upstream timeout"],
        ],
      },
    ],
    hits: 2,
  },
  {
    query: "L::*:(message) [10m] FILTER L::*:(latency) WITH {latency = latency} LIMIT 2",
    series: [
      {
        rows: [
          [290, "GET /b 502 bad gateway"],
          [200, "GET /c 200"],
        ],
      },
    ],
    hits: 6,
  },
  {
    query:
      "L::*:(message, regexp_extract(message, '[0-9]{3}') AS code) [10m] FILTER L::nginx:(http_status) {http_status > 400} WITH {code = http_status}",
    series: [
      {
        rows: [
          [290, "GET /b 502 bad gateway", "502"],
          [20, "GET /b 500 upstream timeout", "500"],
        ],
      },
    ],
  },
  // The column `time` can be joined like any other column.
  {
    query: "L::*:(host) [10m] FILTER L::nginx:(host) {latency < 10} WITH {time = time}",
    series: [
      {
        rows: [
          [200, "h2"],
          [200, "h1"],
        ],
      },
    ],
  },
  {
    query: "O::HOST:(name) [10m] FILTER L::nginx:(host) {latency > 300} WITH {name = host}",
    series: [{ rows: [[0, "h2"]] }],
  },
  {
    query: `OH::HOST:(count(*)) [10m] FILTER L::nginx:(host) {host = h1} WITH {name = host}`,
    series: [{ rows: [[null, 2]] }],
  },
  {
    query:
      "M::(M::cpu:(max(usage_total) AS m) [10m] BY host FILTER L::nginx:(host) {latency > 300} WITH {host = host}):(sum(m))",
    series: [{ rows: [[0, 95]] }],
  },
  {
    query: "L::app:(message) [10m] FILTER L::nginx:(host) {latency > 300} WITH {host = host} LIMIT 1",
    member: { search_after: [] },
    series: [{ rows: [[200, '{"abc":{"def":"xyz"},"n":7}']] }],
    hits: 2,
  },
  // LINK adds to each row of the answer the newest row of the inner query with equal join columns.
  {
    query: "M::cpu:(usage_total) [10m] LINK O::HOST:(name, os, cpu_usage) WITH {host = name} LIMIT 3",
    series: columns(
      "time|usage_total|os|cpu_usage",
      [300, 60, "linux", 60],
      [300, 95, "windows", 20],
      [240, 50, "linux", 60],
    ),
  },
  {
    query: `${last} LINK O::HOST:(name, os) WITH {host = name}`,
    series: hosts({ h1: [[300, 60, "linux"]], h2: [[300, 95, "windows"]] }),
  },
  // LINK removes a row without a matching row of the inner query, and a series whose rows were all removed.
  {
    query: `${last} LINK O::HOST:(name, os) {os = windows} WITH {host = name}`,
    series: hosts({ h2: [[300, 95, "windows"]] }),
  },
  { query: `${last} LINK O::HOST:(name, os) {os = beos} WITH {host = name}`, series: [] },
  // LINK takes the newest row of the inner query, not the first one: the newest logs of nginx are at +290 s on h2 and
  // at +200 s on h1.
  {
    query: `${last} LINK L::nginx:(host, latency) ORDER BY latency ASC WITH {host = host}`,
    series: hosts({ h1: [[300, 60, 8]], h2: [[300, 95, 400]] }),
  },
  // LINK can join groups of the inner query by their tags. When the rows of a group have no time, LINK takes the first
  // row.
  {
    query: `${last} LINK L::*:(count(*) AS logs) BY host WITH {host = host}`,
    series: hosts({ h1: [[300, 60, 4]], h2: [[300, 95, 4]] }),
  },
  {
    query: `${last} LINK L::nginx:(max(latency) AS worst) BY host, status WITH {host = host}`,
    series: hosts({ h1: [[300, 60, 250, "error"]], h2: [[300, 95, 400, "error"]] }),
  },
  // Joins by a column that the query computes from many points.
  {
    query: "M::cpu:(max(load5s) AS m) [10m] BY host LINK L::*:(count(*) AS n) BY host WITH {m = n}",
    series: [],
  },
  {
    query: "L::nginx:(max(latency) AS m) [10m] BY host LINK L::nginx:(latency, message) WITH {m = latency}",
    series: hosts({ h1: [[null, 250, "GET /b 500 upstream timeout"]], h2: [[null, 400, "GET /b 502 bad gateway"]] }),
  },
  {
    query: "M::cpu:(max(load5s)) [10m] BY host LINK L::nginx:(host) WITH {host = host, `#1` = time}",
    series: [],
  },
  // The measurement and the inner query both have a column `message`. In the answer, the second of them gets the name
  // `message_1`.
  {
    query: "L::nginx:(message) [10m] LINK L::app:(host, message, status) WITH {host = host} LIMIT 1",
    series: columns("time|message|message_1|status", [
      290,
      "GET /b 502 bad gateway",
      '{"abc":{"def":"xyz"},"n":7}',
      "info",
    ]),
  },
  // The answer has all columns of the measurement, then the columns of the inner query.
  {
    query: "M::cpu [10m] LINK O::HOST:(name, os) WITH {host = name} LIMIT 1",
    series: columns("time|load5s|usage_total|host|region|os", [300, 6, 60, "h1", "eu", "linux"]),
  },
  {
    query:
      "M::cpu,mem:(last(usage_total), last(used_percent)) [10m] BY host LINK O::HOST:(name, os) WITH {host = name} SLIMIT 1 SOFFSET 3",
    series: [{ name: "mem", tags: { host: "h2" }, rows: [[0, null, 80, "windows"]] }],
  },
  // HAVING and ORDER BY can use the columns that LINK adds to the answer. LIMIT applies to the rows that are left after
  // LINK.
  {
    query: `${last} LINK O::HOST:(name, os) WITH {host = name} HAVING os = windows`,
    series: hosts({ h2: [[300, 95, "windows"]] }),
  },
  {
    query: `${last} LINK O::HOST:(name, os) WITH {host = name} SORDER BY os DESC`,
    series: hosts({ h2: [[300, 95, "windows"]], h1: [[300, 60, "linux"]] }),
  },
  {
    query:
      "L::nginx:(host) [10m] LINK O::HOST:(name, cpu_usage) WITH {host = name} ORDER BY cpu_usage ASC, time ASC LIMIT 2",
    series: [
      {
        rows: [
          [70, "h2", 20],
          [290, "h2", 20],
        ],
      },
    ],
  },
  {
    query:
      "M::mem:(fill(avg(used_percent), 0)) {host='h1'} [1672531200:1672531320:1m] BY host LINK O::HOST:(name, os) [10m] WITH {host = name}",
    series: hosts({
      h1: [
        [120, 55, "linux"],
        [60, 0, "linux"],
        [0, 50, "linux"],
      ],
    }),
  },
  {
    query: "L::*:(distinct(host) AS h) [10m] LINK O::HOST:(name, os) WITH {h = name}",
    series: [
      {
        rows: [
          [null, "h1", "linux"],
          [null, "h2", "windows"],
        ],
      },
    ],
  },
  {
    query: "L::nginx:(top(latency, 2), host) [10m] LINK O::HOST:(name, os) WITH {host = name}",
    series: [
      {
        rows: [
          [290, 400, "h2", "windows"],
          [20, 250, "h1", "linux"],
        ],
      },
    ],
  },
  {
    query: "M::cpu:(difference(usage_total)) [10m] BY host LINK O::HOST:(name, os) WITH {host = name} LIMIT 1",
    series: hosts({ h1: [[300, 10, "linux"]], h2: [[300, 50, "windows"]] }),
  },
  // Queries that have both FILTER and LINK, and queries in which one of the two is inside the other.
  {
    query: `${last} FILTER L::nginx:(host) {latency > 300} ${host} LINK O::HOST:(name, os) WITH {host = name}`,
    series: hosts({ h2: [[300, 95, "windows"]] }),
  },
  {
    query: `${last} LINK (O::HOST:(name, os) FILTER L::nginx:(host) {latency > 300} WITH {name = host}) WITH {host = name}`,
    series: hosts({ h2: [[300, 95, "windows"]] }),
  },
  {
    query: `${last} LINK (O::HOST:(name, os) LINK L::nginx:(host, message) WITH {name = host}) WITH {host = name}`,
    series: hosts({ h1: [[300, 60, "linux", "GET /c 200"]], h2: [[300, 95, "windows", "GET /b 502 bad gateway"]] }),
  },
  {
    query:
      "series_sum(dql=`M::cpu:(last(usage_total)) [10m] BY host FILTER L::nginx:(host) {latency > 300} WITH {host = host}`)",
    series: [{ rows: [[300, 95]] }],
  },
  // Queries with FILTER or LINK that must be refused.
  { query: "M::cpu FILTER M::a", error: "1:19 parse error: unexpected: end of input" },
  { query: "M::cpu LINK M::a LIMIT 3", error: "1:25 parse error: unexpected: end of input" },
  { query: "M::cpu LINK M::a {a = 1}, b", error: '1:25 parse error: unexpected: ","' },
  { query: "M::cpu WITH {a = b}", error: "1:8 parse error: unexpected: <WITH>" },
  { query: "M::cpu LINK M::a WITH {a = b} LINK M::a WITH {a = b}", error: "1:31 parse error: duplicate LINK clause" },
  {
    query: "M::cpu FILTER M::a WITH {}",
    error: "parse error: WITH of FILTER expects 1 to 8 pairs of columns: {own = other}",
  },
  {
    query: "M::cpu LINK M::a WITH {a = 'b'}",
    error: "parse error: WITH of LINK expects 1 to 8 pairs of columns: {own = other}",
  },
  {
    query: "M::cpu LINK M::a WITH {a > b}",
    error: "parse error: WITH of LINK expects 1 to 8 pairs of columns: {own = other}",
  },
  {
    query: "M::cpu LINK M::a WITH {a = b OR c = d}",
    error: "parse error: WITH of LINK expects 1 to 8 pairs of columns: {own = other}",
  },
  {
    query: "M::cpu LINK M::a:(x, max(y) AS z) BY w WITH {a = y}",
    error: 'parse error: the statement behind LINK has no column "y"',
  },
  {
    query: "M::cpu:(max(a) AS m) FILTER M::a WITH {m = b}",
    error: 'parse error: FILTER looks at points, "m" is computed from many',
  },
  { query: "M::cpu LINK M::a:(nope(b)) WITH {a = b}", error: 'parse error: unknown function "nope"' },
  { query: "M::cpu FILTER Q::a WITH {a = b}", error: 'parse error: unknown namespace "Q"' },
  { query: "M::cpu FILTER M::a [2y] WITH {a = b}", error: "parse error: time range should less than 8760h0m0s" },
  {
    query: "M::cpu [10m] LINK M::a [20m] WITH {a = b}",
    member: { max_duration: "15m" },
    error: "parse error: time range should less than 15m0s",
  },
];

export const joinStatements: readonly Worked[] = joins.map((each, at) => ({ ...each, number: 701 + at }));
