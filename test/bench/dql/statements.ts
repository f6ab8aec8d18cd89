// Twelve DQL queries of dashboards, each with handwritten SQL that returns the same answer. A query that
// MetricsQL can express also has its MetricsQL text. MetricsQL cannot select the newest value, or a percentile
// over points of several series.

export interface Asked {
  readonly name: string;
  readonly dql: string;
  readonly sql: string;
  /**
   * A second SQL query that counts all matching rows. It exists only when the answer to the DQL query reports this
   * number, too.
   */
  readonly hits?: string;
  /**
   * The same query in MetricsQL. Undefined when MetricsQL cannot express the query. `step` is the time between two
   * values in seconds; when `step` is 0, the query returns one value for the end of the range.
   */
  readonly metricsQl?: { readonly query: string; readonly step: number };
}

const bucket = (seconds: number) => `ts // ${seconds}000000000 * ${seconds}000`;

export const asked: readonly Asked[] = [
  {
    name: "the newest value of each host",
    dql: "M::cpu:(last(usage)) BY host SLIMIT 100",
    sql: "SELECT host, max(ts) // 1000000, arg_max(usage, ts) FROM cpu WHERE ts BETWEEN $1 AND $2 GROUP BY host ORDER BY host",
  },
  {
    name: "a mean a minute",
    dql: "M::cpu:(avg(usage)) [::1m]",
    sql: `SELECT ${bucket(60)} AS b, avg(usage) FROM cpu WHERE ts BETWEEN $1 AND $2 GROUP BY b ORDER BY b DESC`,
    metricsQl: { query: "sum(sum_over_time(cpu_usage[60s])) / sum(count_over_time(cpu_usage[60s]))", step: 60 },
  },
  {
    name: "means of 5 minutes by host",
    dql: "M::cpu:(avg(usage)) [::5m] BY host SLIMIT 100",
    sql: `SELECT host, ${bucket(300)} AS b, avg(usage) FROM cpu WHERE ts BETWEEN $1 AND $2 GROUP BY host, b ORDER BY host, b DESC`,
    metricsQl: {
      query: "sum(sum_over_time(cpu_usage[300s])) by (host) / sum(count_over_time(cpu_usage[300s])) by (host)",
      step: 300,
    },
  },
  {
    name: "maxima of one host",
    dql: "M::cpu:(max(usage), min(usage)) {host = 'web-7'} [::1m]",
    sql: `SELECT ${bucket(60)} AS b, max(usage), min(usage) FROM cpu WHERE host = 'web-7' AND ts BETWEEN $1 AND $2 GROUP BY b ORDER BY b DESC`,
    metricsQl: {
      query: `union(label_set(max(max_over_time(cpu_usage{host="web-7"}[60s])), "f", "max"), label_set(min(min_over_time(cpu_usage{host="web-7"}[60s])), "f", "min"))`,
      step: 60,
    },
  },
  {
    name: "95th percentile by region",
    dql: "M::cpu:(p95(usage)) BY region",
    sql: "SELECT region, quantile_cont(usage, 0.95) FROM cpu WHERE ts BETWEEN $1 AND $2 GROUP BY region ORDER BY region",
  },
  {
    name: "the five busiest hosts",
    dql: "M::cpu:(sum(usage) AS s) BY host SORDER BY s DESC SLIMIT 5",
    sql: "SELECT host, sum(usage) AS s FROM cpu WHERE ts BETWEEN $1 AND $2 GROUP BY host ORDER BY s DESC LIMIT 5",
    metricsQl: { query: "topk(5, sum(sum_over_time(cpu_usage[RANGE])) by (host))", step: 0 },
  },
  {
    name: "hosts whose spread is large",
    dql: "M::cpu:(max(usage) - min(usage) AS s) BY host HAVING s > 90 SLIMIT 100",
    sql: "SELECT host, max(usage) - min(usage) AS s FROM cpu WHERE ts BETWEEN $1 AND $2 GROUP BY host HAVING s > 90 ORDER BY host",
    metricsQl: {
      query: "max(max_over_time(cpu_usage[RANGE])) by (host) - min(min_over_time(cpu_usage[RANGE])) by (host) > 90",
      step: 0,
    },
  },
  {
    name: "logs a minute by status",
    dql: "L::nginx:(count(*)) [::1m] BY status",
    sql: `SELECT status, ${bucket(60)} AS b, count(*) FROM nginx WHERE ts BETWEEN $1 AND $2 GROUP BY status, b ORDER BY status, b DESC`,
  },
  {
    name: "errors by service",
    dql: "L::nginx:(count(*), avg(bytes)) {status >= 500} BY service",
    sql: "SELECT service, count(*), avg(bytes) FROM nginx WHERE status >= 500 AND ts BETWEEN $1 AND $2 GROUP BY service ORDER BY service",
  },
  {
    name: "different clients",
    dql: "L::nginx:(count_distinct(client))",
    sql: "SELECT count(DISTINCT client) FROM nginx WHERE ts BETWEEN $1 AND $2",
  },
  {
    name: "the newest 50 errors",
    dql: "L::nginx:(status, message) {status = 500} LIMIT 50",
    sql: "SELECT ts // 1000000, status, message FROM nginx WHERE status = 500 AND ts BETWEEN $1 AND $2 ORDER BY ts DESC LIMIT 50",
    hits: "SELECT count(*) FROM nginx WHERE status = 500 AND ts BETWEEN $1 AND $2",
  },
  {
    name: "the newest 50 logs with a word",
    dql: "L::nginx:(message) {message = match('timeout')} LIMIT 50",
    sql: "SELECT ts // 1000000, message FROM nginx WHERE regexp_matches(lower(message), '(^|[^a-z0-9])timeout($|[^a-z0-9])') AND ts BETWEEN $1 AND $2 ORDER BY ts DESC LIMIT 50",
    hits: "SELECT count(*) FROM nginx WHERE regexp_matches(lower(message), '(^|[^a-z0-9])timeout($|[^a-z0-9])') AND ts BETWEEN $1 AND $2",
  },
];
