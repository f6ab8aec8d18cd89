// Makes random lists of targets for DQL queries, and returns the names of their columns.

import type { Random } from "../../../properties/random.ts";
import { anyColumn, arithmetic, column, numberColumn } from "./expression.ts";

export interface RandomTargets {
  readonly text: string;
  /** The names of the columns that the targets make. The clauses ORDER BY and HAVING may use these names. */
  readonly columns: readonly string[];
  readonly isAggregate: boolean;
}

interface TargetEnvironment {
  readonly hasInterval: boolean;
  /** Names of targets by which the clause BY of the query groups the rows. */
  readonly aliases: readonly string[];
}

export function targetsOf(
  random: Random,
  namespace: string,
  { hasInterval, aliases }: TargetEnvironment,
): RandomTargets {
  const isMetric = /^m/i.test(namespace);
  const kind = random.pick([
    "raw",
    "raw",
    "aggregate",
    "aggregate",
    "aggregate",
    "rows",
    isMetric ? "transform" : "raw",
  ]);
  if (kind === "raw" && random.chance(0.3))
    return { text: random.pick(["", ":()", ":(*)", ":(`*`)"]), columns: ["i"], isAggregate: false };
  const list = [...aliases];
  const named: string[] = [];
  const add = (make: () => string) => {
    const expr = make();
    if (random.chance(0.4)) {
      const alias = `x${named.length}`;
      named.push(alias);
      list.push(expr.includes(" AS ") ? expr : `${expr} AS ${alias}`);
    } else {
      list.push(expr);
      named.push(/^[a-z_]+$/.test(expr) ? expr : `\`#${list.length}\``);
    }
  };
  if (kind === "rows") add(() => rowsOf(random, isMetric));
  if (kind === "transform") add(() => transformOf(random, hasInterval));
  if (kind === "raw") for (const make of random.many(1, 3, () => () => rawOf(random, namespace))) add(make);
  if (kind === "aggregate") {
    for (const make of random.many(1, 3, () => () => aggregateTarget(random, isMetric, hasInterval))) add(make);
    if (random.chance(0.1)) add(() => column(random, namespace));
  }
  if (kind === "rows" && random.chance(0.3) && /^(?:top|bottom)/.test(list.at(-1)!)) add(() => random.pick(anyColumn));
  return { text: `:(${list.join(", ")})`, columns: named, isAggregate: kind === "aggregate" };
}

function rawOf(random: Random, namespace: string): string {
  if (random.chance(0.25)) return arithmetic(random, 2);
  if (random.chance(0.1) && !/^m/i.test(namespace)) return "regexp_extract(message, '[a-z]+')";
  return random.chance(0.06) ? "__docid" : column(random, namespace);
}

function aggregateTarget(random: Random, isMetric: boolean, hasInterval: boolean): string {
  if (random.chance(hasInterval ? 0.3 : 0.03)) {
    const value = random.pick(["0", "nil", "'x'", "LINEAR", "PREVIOUS", "-1.5"]);
    return `fill(${aggregateOf(random, isMetric)}, ${value})`;
  }
  if (random.chance(0.2)) {
    const [left, right] = [aggregateOf(random, isMetric), random.chance(0.5) ? aggregateOf(random, isMetric) : "2"];
    return random.chance(0.3) ? `round(${left})` : `${left} ${random.pick(["+", "-", "*", "/", "%"])} ${right}`;
  }
  return aggregateOf(random, isMetric);
}

export function aggregateOf(random: Random, isMetric: boolean): string {
  const number = random.chance(0.2) ? arithmetic(random, 2) : numberColumn(random);
  const any = random.pick(anyColumn);
  return random.pick([
    () => random.pick(["count(*)", "count(`*`)"]),
    () => `count(${any})`,
    () => `count(distinct(${any}))`,
    () => `count_distinct(${any})`,
    () => `${random.pick(["sum", "avg"])}(${number})`,
    () => `${random.pick(["min", "max"])}(${random.chance(0.7) ? number : any})`,
    () => `${random.pick(["sum", "max", "min", "avg"])}(${number})`,
    () => `${random.pick(["spread", "stddev", "median"])}(${number})`,
    () => random.pick([`percentile(${number}, 37.5)`, `p50(${number})`, `p99(${number})`, `percentile(${number}, 0)`]),
    () => `mode(${any})`,
    () => `${random.pick(["first", "last", "last_row"])}(${any})`,
    () => `${random.pick(["first", "last"])}(${number})`,
    () =>
      isMetric
        ? `sum(${number})`
        : random.pick([`count_filter(${any}, ['a', 1, 'h1'])`, `sum(int(${any}))`, `avg(float(${any}))`]),
  ])();
}

function rowsOf(random: Random, isMetric: boolean): string {
  const any = random.pick(anyColumn);
  return random.pick([
    () => `${random.pick(["top", "bottom"])}(${numberColumn(random)}, ${1 + random.below(4)})`,
    () => random.pick([`distinct(${any})`, `DISTINCT ${any}`]),
    () => (isMetric ? `distinct(${any})` : `distinct_by_collapse(${any}, fields=[host, i])`),
    () => (isMetric ? `top(${numberColumn(random)}, 2)` : `histogram(${numberColumn(random)}, -5, 20, 2.5)`),
  ])();
}

function transformOf(random: Random, hasInterval: boolean): string {
  const inner = hasInterval && random.chance(0.7) ? aggregateOf(random, true) : numberColumn(random);
  return random.pick([
    `derivative(${inner})`,
    `non_negative_derivative(${inner}, 1m)`,
    `difference(${inner})`,
    `non_negative_difference(${inner})`,
    `cumulative_sum(${inner})`,
    `moving_average(${inner}, 2)`,
  ]);
}
