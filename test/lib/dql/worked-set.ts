// The documented examples of docs/reference/query.md: the query, further members of the JSON request, and the expected
// answer. The first value of each row is the time, in seconds after the first point of the sample data.

type Value = number | string | null;
type Row = readonly Value[];
interface Series {
  readonly name?: string;
  readonly tags?: Readonly<Record<string, string>>;
  readonly columns?: readonly string[];
  readonly rows: readonly Row[];
}

export interface Worked {
  readonly number: number;
  readonly query: string;
  readonly member?: Readonly<Record<string, unknown>>;
  readonly series?: readonly Series[];
  readonly hits?: number;
  /**
   * True when `series` lists only the first rows of the expected answer, and the answer has further rows after
   * them.
   */
  readonly more?: true;
  /** True when the first value of each row is an ordinary value instead of a time. */
  readonly plain?: true;
  readonly error?: string;
}

const one = (...rows: Row[]): readonly Series[] => [{ rows }];
const by = (key: string, series: Readonly<Record<string, readonly Row[]>>): readonly Series[] =>
  Object.entries(series).map(([value, rows]) => ({ tags: { [key]: value }, rows }));
const hosts = (h1: readonly Row[], h2: readonly Row[]) => by("host", { h1, h2 });
const at = (seconds: number) => 1_672_531_200_000 + seconds * 1000;
const all = "L::re(`.*`)";
const messages: Readonly<Record<string, string>> = {
  L2: "GET /b 500 upstream timeout",
  L4: "disk almost full",
  L5: "error retrieving1 resource",
  L8: "GET /b 502 bad gateway",
};
const filledRows = (...values: Value[]) => one(...values.map((value, place): Row => [300 - place * 60, value]));
const fill = (value: string) => `M::mem:(fill(avg(used_percent), ${value})) {host='h1'} [1672531200:1672531500:1m]`;

export const workedSet: readonly Worked[] = [
  {
    number: 1,
    query: "M::cpu [10m]",
    more: true,
    series: [
      {
        name: "cpu",
        columns: ["time", "load5s", "usage_total", "host", "region"],
        rows: [
          [300, 6, 60, "h1", "eu"],
          [300, 2, 95, "h2", "us"],
          [240, 5, 50, "h1", "eu"],
        ],
      },
    ],
  },
  { number: 2, query: "cpu limit 1", series: one([300, 6, 60, "h1", "eu"]) },
  {
    number: 3,
    query: "M::cpu:(usage_total) [10m] BY host LIMIT 2",
    series: hosts(
      [
        [300, 60],
        [240, 50],
      ],
      [
        [300, 95],
        [240, 45],
      ],
    ),
  },
  { number: 4, query: "M::cpu:(last(usage_total)) [10m] BY host", series: hosts([[300, 60]], [[300, 95]]) },
  { number: 5, query: "M::cpu:(avg(usage_total)) [10m] BY host", series: hosts([[0, 35]], [[0, 39]]) },
  {
    number: 6,
    query: "M::cpu:(avg(usage_total)) [10m::2m] BY host",
    series: hosts(
      [
        [240, 55],
        [120, 35],
        [0, 15],
      ],
      [
        [240, 70],
        [120, 35],
        [0, 10],
      ],
    ),
  },
  {
    number: 7,
    query: "M::cpu:(sum(usage_total) AS s) [10m::2m]",
    series: [
      {
        columns: ["time", "s"],
        rows: [
          [240, 250],
          [120, 105],
          [0, 50],
        ],
      },
    ],
  },
  {
    number: 8,
    query: "M::cpu:(max(usage_total)) [::auto]",
    member: { time_range: [at(0), at(7200)] },
    series: one([300, 95], [240, 50], [180, 40], [120, 30], [60, 20], [0, 10]),
  },
  {
    number: 9,
    query: "M::cpu:(avg(usage_total)) [10m::2m] BY host",
    member: { max_point: 3 },
    series: hosts(
      [
        [200, 55],
        [0, 25],
      ],
      [
        [200, 70],
        [0, 18.333333333333332],
      ],
    ),
  },
  {
    number: 10,
    query: "M::cpu:(usage_total) {host = 'h2', usage_total > 40} [10m]",
    series: one([300, 95], [240, 45]),
  },
  { number: 11, query: "M::cpu:(usage_total) {host != re('h1')} [10m] LIMIT 1", series: one([300, 95]) },
  { number: 12, query: "M::cpu:(load5s, host) {usage_total = nil} [10m]", series: one([120, 2, "h2"]) },
  {
    number: 13,
    query: "M::cpu:(usage_total / 100 AS ratio) {host='h1'} [10m] LIMIT 2",
    series: one([300, 0.6], [240, 0.5]),
  },
  {
    number: 14,
    query: "M::cpu:(max(usage_total) - min(usage_total) AS rng) [10m] BY host",
    series: hosts([[0, 50]], [[0, 90]]),
  },
  {
    number: 15,
    query: "M::cpu:(min(usage_total), max(usage_total), count(usage_total)) [10m]",
    series: one([0, 5, 95, 11]),
  },
  {
    number: 16,
    query: "M::cpu:(max(usage_total) AS m) [10m] BY host HAVING m > 80",
    series: by("host", { h2: [[0, 95]] }),
  },
  {
    number: 17,
    query: "M::cpu:(max(usage_total) AS m) [10m] BY host SORDER BY m DESC SLIMIT 1",
    series: by("host", { h2: [[0, 95]] }),
  },
  {
    number: 18,
    query: "M::cpu:(max(usage_total)) [10m] BY host SORDER BY host DESC SLIMIT 1 SOFFSET 1",
    series: by("host", { h1: [[0, 60]] }),
  },
  {
    number: 19,
    query: "M::cpu:(p90(usage_total), median(usage_total)) [10m] BY host",
    series: hosts([[0, 55, 35]], [[0, 75, 35]]),
  },
  {
    number: 20,
    query: "M::cpu:(stddev(usage_total), spread(usage_total)) [10m] BY host",
    series: hosts([[0, 18.708286933869708, 50]], [[0, 35.07135583350036, 90]]),
  },
  { number: 21, query: "M::cpu:(mode(load5s)) [10m] BY host", series: hosts([[0, 1]], [[0, 2]]) },
  { number: 22, query: "M::cpu:(first(usage_total)) [10m] BY host", series: hosts([[0, 10]], [[0, 5]]) },
  {
    number: 23,
    query: "M::cpu:(top(usage_total, 2)) [10m]",
    series: [
      {
        columns: ["time", "top(usage_total, 2)"],
        rows: [
          [300, 95],
          [300, 60],
        ],
      },
    ],
  },
  {
    number: 24,
    query: "M::cpu:(difference(usage_total)) [10m] BY host LIMIT 2",
    series: hosts(
      [
        [300, 10],
        [240, 10],
      ],
      [
        [300, 50],
        [240, 10],
      ],
    ),
  },
  {
    number: 25,
    query: "M::cpu:(derivative(usage_total)) {host='h2'} [10m] LIMIT 3",
    series: one([300, 0.8333333333333334], [240, 0.16666666666666666], [180, 0.16666666666666666]),
  },
  {
    number: 26,
    query: "M::cpu:(moving_average(usage_total, 3)) {host='h1'} [10m] LIMIT 2",
    series: one([300, 50], [240, 40]),
  },
  {
    number: 27,
    query: "M::http:(sum(requests_total)) [10m::1m:rate] BY host",
    series: by("host", {
      h1: [
        [300, 1],
        [240, 1],
        [180, 0.3333333333333333],
        [120, 1],
        [60, 1],
      ],
    }),
  },
  {
    number: 28,
    query: "M::http:(last(requests_total)) [10m::2m:deriv]",
    series: one([240, 1], [120, -3.3333333333333335], [0, 1]),
  },
  { number: 29, query: "M::cpu:(sum(usage_total)) [10m::2m:avg]", series: one([240, 125], [120, 70], [0, 25]) },
  {
    number: 30,
    query: fill("0"),
    series: [
      {
        columns: ["time", "avg(used_percent)"],
        rows: [
          [300, 0],
          [240, 60],
          [180, 0],
          [120, 55],
          [60, 0],
          [0, 50],
        ],
      },
    ],
  },
  { number: 31, query: fill("LINEAR"), series: filledRows(null, 60, 57.5, 55, 52.5, 50) },
  { number: 32, query: fill("PREVIOUS"), series: filledRows(60, 60, 55, 55, 50, 50) },
  {
    number: 33,
    query: "M::cpu,mem:(last(usage_total), last(used_percent)) [10m] BY host",
    series: [
      { name: "cpu", tags: { host: "h1" }, rows: [[0, 60, null]] },
      { name: "cpu", tags: { host: "h2" }, rows: [[0, 95, null]] },
      { name: "mem", tags: { host: "h1" }, rows: [[0, null, 60]] },
      { name: "mem", tags: { host: "h2" }, rows: [[0, null, 80]] },
    ],
  },
  { number: 34, query: "M::(M::cpu:(max(usage_total) AS m) [10m] BY host):(avg(m))", series: one([0, 77.5]) },
  { number: 35, query: "M::(M::cpu:(usage_total) {host='h1'} [10m]):(last(usage_total))", series: one([300, 60]) },
  {
    number: 36,
    query: "M::cpu [10m] LIMIT 1 SLIMIT 2",
    series: [
      { tags: { host: "h1", region: "eu" }, columns: ["time", "load5s", "usage_total"], rows: [[300, 6, 60]] },
      { tags: { host: "h2", region: "us" }, columns: ["time", "load5s", "usage_total"], rows: [[300, 2, 95]] },
    ],
  },
  { number: 37, query: "M::cpu:() [10m] BY host LIMIT 1", series: hosts([[300, 6, 60, "eu"]], [[300, 2, 95, "us"]]) },
  {
    number: 38,
    query:
      "eval(A.a / B.b, A='M::cpu:(max(usage_total) AS a) [10m::2m]', B='M::cpu:(avg(usage_total) AS b) [10m::2m]')",
    series: [
      {
        name: "cpu",
        columns: ["time", "a"],
        rows: [
          [240, 1.52],
          [120, 1.1428571428571428],
          [0, 1.6],
        ],
      },
    ],
  },
  {
    number: 39,
    query: 'series_sum(dql="M::cpu:(last(usage_total)) [10m::2m] BY host")',
    series: by("host", {
      all: [
        [240, 155],
        [120, 75],
        [0, 35],
      ],
    }),
  },
  {
    number: 40,
    query: "cumsum(`M::cpu:(usage_total) {host='h1'} [10m] ORDER BY time ASC LIMIT 3`)",
    series: one([0, 10], [60, 30], [120, 60]),
  },
  {
    number: 41,
    query: "difference(dql=`M::cpu:(usage_total) {host='h1'} [10m] LIMIT 3`).abs()",
    series: one([240, 10], [180, 10]),
  },
  { number: 42, query: "avg(`M::cpu:(usage_total) {host='h1'} [10m]`)", plain: true, series: one([0, 35]) },
  { number: 43, query: "max(`M::cpu:(usage_total) {host='h1'} [10m]`)", series: one([300, 60]) },
  {
    number: 44,
    query: "moving_average(dql=`M::cpu:(usage_total) {host='h1'} [10m] LIMIT 3`, size=2)",
    series: one([240, 55], [180, 45]),
  },
  {
    number: 45,
    query: "show_measurement()",
    plain: true,
    series: [{ name: "measurements", columns: ["name"], rows: [["cpu"], ["http"], ["mem"]] }],
  },
  {
    number: 46,
    query: "show_tag_key(from=['cpu'])",
    plain: true,
    series: [{ name: "cpu", rows: [["host"], ["region"]] }],
  },
  {
    number: 47,
    query: "show_tag_value(from=['cpu'], keyin=['host'])",
    plain: true,
    series: one(["host", "h1"], ["host", "h2"]),
  },
  {
    number: 48,
    query: "show_field_key(from=['cpu'])",
    plain: true,
    series: one(["load5s", "integer"], ["usage_total", "float"]),
  },
  {
    number: 50,
    query: "L::nginx:(host, message) {status = 'error'} [10m]",
    hits: 2,
    series: one([290, "h2", messages.L8!], [20, "h1", messages.L2!]),
  },
  {
    number: 51,
    query: `${all}:(count(\`*\`)) [10m] BY status`,
    hits: 8,
    series: by("status", { error: [[null, 3]], info: [[null, 4]], warn: [[null, 1]] }),
  },
  {
    number: 52,
    query: `${all}:(count(*)) [10m::1m] BY status`,
    hits: 8,
    series: by("status", {
      error: [
        [240, 1],
        [120, 1],
        [0, 1],
      ],
      info: [
        [180, 2],
        [60, 1],
        [0, 1],
      ],
      warn: [[60, 1]],
    }),
  },
  {
    number: 53,
    query: `${all}:(fill(count(__docid), 0) AS count) {status='error'} [1672531200:1672531500:1m]`,
    series: filledRows(0, 1, 0, 1, 0, 1),
  },
  {
    number: 54,
    query: `${all}:(avg(latency), p90(latency)) [10m] BY source`,
    series: by("source", { app: [[null, 90, 90]], nginx: [[null, 140, 340]] }),
  },
  { number: 55, query: `${all}:(message) {message = match('bad gateway')} [10m]`, series: one([290, messages.L8!]) },
  {
    number: 56,
    query: `${all}:(message) {message = query_string('timeout OR disk')} [10m]`,
    series: one([80, messages.L4!], [20, messages.L2!]),
  },
  {
    number: 57,
    query: `${all}:(message) {message = query_string('error retriev*')} [10m]`,
    series: one([130, messages.L5!]),
  },
  {
    number: 58,
    query: `${all}:(message) {message = wildcard('*b 50*')} [10m]`,
    series: one([290, messages.L8!], [20, messages.L2!]),
  },
  { number: 59, query: "L::nginx:(message) {message = re('.*502.*')} [10m]", series: one([290, messages.L8!]) },
  { number: 59, query: "L::nginx:(message) {message = re('502')} [10m]", series: [] },
  { number: 60, query: `${all}:(count(*)) {client_ip = exists()} [10m]`, series: one([null, 5]) },
  { number: 60, query: `${all}:(count(*)) {client_ip = nil} [10m]`, series: one([null, 3]) },
  { number: 61, query: `${all}:(count(*)) {status NOT IN ['info','warn']} [10m]`, series: one([null, 3]) },
  { number: 62, query: `${all}:(count(*)) {client_ip != '10.0.0.1'} [10m]`, series: one([null, 6]) },
  { number: 63, query: `${all}:(count(*)) {client_ip = cidr('10.0.0.0/8')} [10m]`, series: one([null, 4]) },
  { number: 64, query: "L::app:(`message@json.n` AS n) {@abc.def = 'xyz'} [10m]", series: one([200, 7]) },
  {
    number: 65,
    query: `${all}:(distinct(client_ip)) [10m]`,
    series: one([null, "10.0.0.1"], [null, "10.0.0.2"], [null, "192.168.1.9"]),
  },
  {
    number: 66,
    query: `${all}:(distinct_by_collapse(\`source\`, fields=[\`host\`]) AS s) [10m]`,
    series: [
      {
        columns: ["time", "s", "host"],
        rows: [
          [null, "app", "h2"],
          [null, "nginx", "h2"],
        ],
      },
    ],
  },
  { number: 67, query: `${all}:(count_distinct(client_ip)) [10m]`, series: one([null, 3]) },
  {
    number: 68,
    query: `${all}:(count_filter(service, ['web']) AS c) [10m] BY status`,
    series: by("status", { error: [[null, 2]], info: [[null, 3]], warn: [[null, 0]] }),
  },
  {
    number: 69,
    query: `${all}:(histogram(latency, 0, 500, 100)) [10m]`,
    plain: true,
    series: one([0, 4], [200, 1], [400, 1]),
  },
  {
    number: 70,
    query: `${all}:(regexp_extract(message, 'error (\\\\S+)', 1) AS m1, count(*) AS c) [10m] BY m1`,
    series: by("m1", { "": [[null, 7]], retrieving1: [[null, 1]] }),
  },
  { number: 71, query: "L::nginx:(top(latency, 2), host) [10m]", series: one([290, 400, "h2"], [20, 250, "h1"]) },
  { number: 72, query: "L::nginx:(latency) [10m] ORDER BY latency ASC LIMIT 2", series: one([200, 8], [10, 12]) },
  {
    number: 73,
    query: "L::nginx:(latency, message) {latency > 100} [10m] BY host",
    series: hosts([[20, 250, messages.L2!]], [[290, 400, messages.L8!]]),
  },
  {
    number: 74,
    query: "T::re(`.*`):(percentile(`duration`, 99)) [10m] BY `service` ",
    series: by("service", { pay: [[null, 5000]], shop: [[null, 2180]] }),
  },
  {
    number: 75,
    query: "T::shop:(resource, duration) {span_type IN ['entry']} [10m]",
    series: one([130, "GET /buy", 2200], [15, "GET /buy", 1200]),
  },
  { number: 76, query: 'T::RE(`.*`):(__docid) { `trace_id` = "t1" } [10m]', series: one([16, "S2"], [15, "S1"]) },
  {
    number: 77,
    query: "O::HOST:(name, os, cpu_usage) [10m]",
    series: one([300, "h1", "linux", 60], [0, "h2", "windows", 20]),
  },
  { number: 78, query: "OH::HOST:(count(*)) [10m]", series: one([null, 3]) },
  {
    number: 79,
    query: "M::cpu:(last(usage_total)) {host = with_labels(object_class='HOST', labels=['aws','prod'])} [10m] BY host",
    series: by("host", { h1: [[300, 60]] }),
  },
  {
    number: 80,
    query: "M::cpu:(sum(usage_total)) [1672502400:1672588800:1d] tz('Asia/Shanghai')",
    series: one([-28_800, 405]),
  },
  { number: 80, query: "M::cpu:(sum(usage_total)) [1672502400:1672588800:1d]", series: one([0, 405]) },
  {
    number: 81,
    query: "M::cpu:(last(usage_total)) [10m] BY host",
    member: { slimit: 1 },
    series: by("host", { h1: [[300, 60]] }),
  },
  {
    number: 82,
    query: "M::cpu:(last(usage_total)) [10m] BY host",
    member: { conditions: "region = 'us'" },
    series: by("host", { h2: [[300, 95]] }),
  },
  {
    number: 83,
    query: "L::nginx [30d]",
    member: { max_duration: "1h" },
    error: "parse error: time range should less than 1h0m0s",
  },
  {
    number: 84,
    query: "L::nginx:(host, message)",
    member: { disable_multiple_field: true },
    error: "parse error: multiple fields not allowed",
  },
];
