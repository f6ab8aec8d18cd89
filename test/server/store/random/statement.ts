// Makes random DQL queries over the random data, with every namespace and every kind of source, target, time range,
// group, order and page.

import type { Random } from "../../../properties/random.ts";
import { conditionOf } from "./condition.ts";
import { anyColumn, groupColumns, numberColumn } from "./expression.ts";
import { names } from "./rows.ts";
import { aggregateOf, targetsOf } from "./targets.ts";

export interface RandomQuestion {
  readonly query: string;
  /** Members of the JSON request in addition to the text of the query. */
  readonly member: Readonly<Record<string, unknown>>;
}

const metric = ["M", "metric", "m"];
const others = ["L", "BL", "O", "OH", "CO", "COH", "E", "UE", "T", "P", "R", "S", "N", "logging", "tracing"];

export function randomQuestion(random: Random, epochMs: number): RandomQuestion {
  const namespace = random.pick(random.chance(0.4) ? metric : others);
  const query = random.chance(0.3) ? plainStatement(random, namespace) : statementOf(random, namespace, epochMs, 0);
  const member: Record<string, unknown> = {};
  const maybe = (name: string, probability: number, make: () => unknown) => {
    if (random.chance(probability)) member[name] = make();
  };
  maybe("conditions", 0.1, () => conditionOf(random, namespace, 1));
  maybe("time_range", 0.1, () => [epochMs + random.below(300_000), epochMs + 300_000 + random.below(300_000)]);
  maybe("limit", 0.1, () => random.below(6));
  maybe("offset", 0.05, () => random.below(3));
  maybe("slimit", 0.1, () => random.below(4));
  maybe("soffset", 0.05, () => random.below(3));
  maybe("max_point", 0.1, () => 1 + random.below(8));
  maybe("orderby", 0.05, () => [{ [random.pick(anyColumn)]: random.pick(["asc", "DESC"]) }]);
  maybe("disable_slimit", 0.1, () => true);
  maybe("highlight", 0.2, () => true);
  maybe("search_after", 0.25, () => []);
  if ("search_after" in member && !("limit" in member)) member.limit = 1 + random.below(4);
  return { query, member };
}

/** Returns a query that DuckDB can evaluate as a whole, so that Millrace's own evaluator has nothing left to do. */
function plainStatement(random: Random, namespace: string): string {
  const isMetric = metric.includes(namespace);
  const targets = random.many(1, 3, () => aggregateOf(random, isMetric)).join(", ");
  const filter = random.pick(["", "", " {i > 0}", " {host != 'h1'}", " {s != 'a', region = nil}", " {num >= 1.5}"]);
  const interval = random.pick(["", "", "::1m", "::100s", "::1h", "::1w", "::1mo"]);
  const by = random.pick(["", "", " BY host", " BY region, host", " BY both", " BY i", " BY t"]);
  return `${namespace}::${random.pick(["*", "a", "a,cpu"])}:(${targets})${filter} [10m${interval}]${by}`;
}

export function statementOf(random: Random, namespace: string, epochMs: number, depth: number): string {
  const parts = [`${namespace}::${sourceOf(random, namespace, epochMs, depth)}`];
  const by = random.chance(0.5) ? groupsOf(random, namespace) : null;
  const hasInterval = random.chance(0.45);
  const targets = targetsOf(random, namespace, { hasInterval, aliases: by?.aliases ?? [] });
  parts[0] += targets.text;
  const clauses = [
    random.chance(0.55) ? `{${conditionsOf(random, namespace, epochMs, depth)}}` : "",
    random.chance(0.85) || hasInterval ? timeOf(random, epochMs, hasInterval) : "",
  ];
  if (random.chance(0.5)) clauses.reverse();
  parts.push(...clauses);
  if (by !== null) parts.push(`BY ${by.text}`);
  const columns = [...targets.columns, ...targets.columns, "time", "`#1`", random.pick(anyColumn)];
  if (random.chance(0.2)) {
    const counted = random.pick(["count", "max(int", "sum(float"]);
    const aggregate =
      random.chance(0.3) && targets.isAggregate
        ? `${counted}(${random.pick(anyColumn)}${counted.includes("(") ? "))" : ")"}`
        : null;
    parts.push(`HAVING ${aggregate ?? random.pick(columns)} ${random.pick([">", "<=", "!=", "="])} ${random.below(5)}`);
  }
  const direction = () => random.pick(["", " ASC", " DESC", " desc"]);
  const tail: string[] = [];
  if (random.chance(0.3))
    tail.push(`ORDER BY ${random.many(1, 2, () => random.pick(columns) + direction()).join(", ")}`);
  if (random.chance(0.35)) tail.push(`LIMIT ${random.below(7)}`);
  if (random.chance(0.15)) tail.push(`OFFSET ${random.below(4)}`);
  if (random.chance(0.25)) {
    const keys = [
      ...columns,
      "host",
      ...["max", "last", "avg", "p90", "count"].map((name) => `${name}(${numberColumn(random)})`),
      `max(int(${random.pick(anyColumn)}))`,
      `float(${random.pick(anyColumn)})`,
    ];
    tail.push(`SORDER BY ${random.pick(keys)}${direction()}`);
  }
  if (random.chance(0.2)) tail.push(`SLIMIT ${random.below(5)}`);
  if (random.chance(0.1)) tail.push(`SOFFSET ${random.below(3)}`);
  if (depth < 2 && random.chance(0.1)) tail.push(joinOf(random, namespace, epochMs, depth));
  if (random.chance(0.05)) tail.push(`tz(${random.pick(["'Asia/Shanghai'", "'Europe/Berlin'", "+8", "-3"])})`);
  return [...parts, ...tail].filter((part) => part !== "").join(" ");
}

function joinOf(random: Random, namespace: string, epochMs: number, depth: number): string {
  const [own, other] = [random.pick(anyColumn), random.pick(anyColumn)];
  const pairs = random.pick([`${other} = ${other}`, `${own} = ${other}`, `${other} = ${other}, host = host`]);
  const targets = random.pick(["", `:(${other}, host, count)`, `:(max(i) AS i) BY ${other}, host`]);
  const inner =
    targets === ""
      ? statementOf(random, random.pick(["M", "L", namespace]), epochMs, depth + 1)
      : `${random.pick(["M", "L", "O", namespace])}::*${targets.replace(" BY", " [10m] BY")}`;
  return `${random.pick(["FILTER", "LINK"])} ${inner} WITH {${pairs}}`;
}

function sourceOf(random: Random, namespace: string, epochMs: number, depth: number): string {
  if (depth < 2 && random.chance(0.06)) return `(${statementOf(random, namespace, epochMs, depth + 1)})`;
  const name = () => random.pick([...names, "shop", "web", "'a'", "`cpu`"]);
  const regex = () => random.pick(["re(`.*`)", "re('a')", "re('a|b')", "re`.*p.*`", "RE('^c')", "re('日.')"]);
  if (random.chance(0.55)) return random.pick(["re(`.*`)", "*", "`*`"]);
  return random.many(1, 3, () => (random.chance(0.6) ? name() : regex())).join(",");
}

function conditionsOf(random: Random, namespace: string, epochMs: number, depth: number): string {
  if (depth === 0 && random.chance(0.04)) {
    const column = random.pick(anyColumn);
    const inner = `${random.pick(["M", "L", namespace])}::re(\`.*\`):(${random.pick(anyColumn)}) [${epochMs}:${epochMs + 600_000}] LIMIT 3`;
    return `${column} ${random.pick(["IN", "NOT IN"])} (${inner})`;
  }
  return random.many(1, 3, () => conditionOf(random, namespace, 2)).join(", ");
}

function timeOf(random: Random, epochMs: number, hasInterval: boolean): string {
  const at = () => epochMs + random.below(600_000);
  const [from, to] = [at(), at()].sort((a, b) => a - b) as [number, number];
  const range = random.pick([
    "10m",
    "10m",
    "10m",
    "5m",
    "",
    `${epochMs}:${epochMs + 600_000}`,
    `${from}:${to + 1}`,
    "10m:1m",
  ]);
  if (!hasInterval) return `[${range}]`;
  const interval = random.pick(["1m", "2m", "90s", "1h", "7", "100s", "auto(5)", "1d", "1w", "1mo", "1y"]);
  const rollups = "avg sum min max count first last stddev median p90 p99.5 deriv rate irate increase".split(" ");
  const rollup = random.chance(0.25) ? `:${random.pick(rollups)}` : "";
  // Each query has a time range. Without one it would cover a year, which has too many buckets of a minute.
  return `[${range === "" ? "10m" : range}${range.includes(":") ? "" : ":"}:${interval}${rollup}]`;
}

function groupsOf(random: Random, namespace: string): { readonly text: string; readonly aliases: readonly string[] } {
  if (!metric.includes(namespace) && random.chance(0.1))
    return { text: "m1", aliases: ["regexp_extract(message, '([a-z]+)', 1) AS m1"] };
  const keys = random.many(1, 2, () => random.pick(groupColumns));
  return { text: [...new Set(keys)].join(", "), aliases: [] };
}
