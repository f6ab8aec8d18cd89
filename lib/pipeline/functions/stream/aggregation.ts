// The functions agg_create and agg_metric: compute metrics from many points (docs/reference/functions.md).

import type { CategoryName } from "../../../point/category.ts";
import { type AggregateName, aggregateNames } from "../../runtime/state/aggregation.ts";
import { isDict, isNothing, isText, textOf, type Value, VOID } from "../../runtime/value.ts";
import { type Call, type Declaration, declare, type KeyArgument, type Param } from "../declare.ts";
import { categoryNamed, warnOfCategory } from "../point/category-argument.ts";
import { numberOf } from "../point/conversions.ts";
import { goTypeName, readDuration } from "../time/durations.ts";

const CATEGORY: Param = {
  name: "category",
  type: "str",
  optional: true,
  summary: "the category of the aggregated points, such as L or logging; metric when left out",
};

const DEFAULT_INTERVAL = "60s";

function literal(call: Call, index: number, name: string): string {
  const node = call.arg(index);
  if (node?.kind !== "StringLiteral")
    return call.fail(`param \`${name}\` expect StringLiteral, got ${node?.kind}`, node);
  return node.value;
}

/** Returns the category that an argument names; undefined when no category has this name. */
function categoryOrNone(call: Call, value: Value): CategoryName | undefined {
  if (isNothing(value)) return "metric";
  if (!isText(value)) {
    throw call.runFailure(`type of parameter expected to be str, got ${goTypeName(value)}`, call.arg(5));
  }
  const text = textOf(value);
  return categoryNamed(text);
}

/** Returns a sentence that says why a string is not a duration. */
function durationMistake(text: string): string {
  const quoted = JSON.stringify(text);
  const rest = text.replace(/^[+-]/, "");
  for (let at = 0; at < rest.length; ) {
    const number = /^(?:\d+\.?\d*|\.\d+)/.exec(rest.slice(at));
    if (number === null) break;
    at += number[0].length;
    const unit = /^[^.\d]*/.exec(rest.slice(at))![0];
    if (unit === "") return `time: missing unit in duration ${quoted}`;
    if (!/^(?:ns|us|µs|μs|ms|s|m|h)$/.test(unit))
      return `time: unknown unit ${JSON.stringify(unit)} in duration ${quoted}`;
    at += unit.length;
  }
  return `time: invalid duration ${quoted}`;
}

function interval(call: Call): bigint {
  const text = call.arg(1) === undefined ? DEFAULT_INTERVAL : literal(call, 1, "on_interval");
  const duration = readDuration(text);
  if (duration === undefined) return call.fail(`parse on_interval: ${durationMistake(text)}`, call.arg(1));
  return duration;
}

function count(call: Call): number {
  const node = call.arg(2);
  if (node === undefined) return 0;
  if (node.kind !== "IntLiteral") return call.fail(`param \`on_count\` expect IntegerLiteral, got ${node.kind}`, node);
  return Number(node.value);
}

function keeps(call: Call): boolean {
  const node = call.arg(3);
  if (node === undefined) return false;
  if (node.kind !== "BoolLiteral") return call.fail(`param \`keep_value\` expect BoolLiteral, got ${node.kind}`, node);
  return node.value;
}

function textEntries(value: Value): Map<string, string> {
  const tags = new Map<string, string>();
  if (isDict(value)) for (const [key, each] of value) if (isText(each)) tags.set(key, textOf(each));
  return tags;
}

export const aggCreate = declare({
  name: "agg_create",
  summary:
    "Makes a bucket that `agg_metric` gathers numbers in. It gives out one point per series when its period ends or when enough came in.",
  params: [
    { name: "bucket", type: "str", summary: "a literal: the bucket's name, and the name of its points" },
    {
      name: "on_interval",
      type: "str",
      optional: true,
      summary: "a literal: the period, 60s when left out; 0s for none",
    },
    { name: "on_count", type: "int", optional: true, summary: "a literal: give out after so many values; 0 for never" },
    { name: "keep_value", type: "bool", optional: true, summary: "a literal: go on with the totals afterwards" },
    { name: "const_tags", type: "map", optional: true, summary: "tags of every point given out" },
    CATEGORY,
  ],
  style: "named",
  state: true,
  examples: [
    {
      script: `agg_create("load", on_interval="30s", const_tags={"site": "a"}); add_key(done, true)`,
      input: "x",
      gives: { done: true },
    },
  ],
  bind(call) {
    const name = literal(call, 0, "bucket");
    const settings = { name, interval: interval(call), count: count(call), keep: keeps(call) };
    if (settings.interval <= 0n && settings.count <= 0) {
      const message = "param `on_interval` and `on_count` cannot be less than or equal to 0 at the same time";
      call.fail(message, call.arg(0));
    }
    warnOfCategory(call, 5);
    const [tags, category] = [call.value(4), call.value(5)];
    return (run) => {
      const given = tags(run);
      const its = categoryOrNone(call, category(run));
      if (its === undefined) return VOID;
      run.state.buckets.create({ ...settings, category: its, tags: textEntries(given) }, run.host.now());
      return VOID;
    };
  },
});

/** Returns the names of the tags of an aggregation, each with a function that reads its value. */
function tagArguments(call: Call): { readonly name: string; readonly read: KeyArgument["read"] }[] {
  const node = call.arg(3);
  if (node?.kind !== "ListLiteral") return call.fail(`param \`agg_by\` expect StringLiteral, got ${node?.kind}`, node);
  if (node.items.length === 0) return call.fail("size of param `agg_by` is 0", node);
  const readers = call.readers();
  return node.items.map((item) => {
    if (item.kind !== "StringLiteral") return call.fail("agg_by elem expect StringLiteral, got ListLiteral", node);
    return { name: item.value, read: readers(item.value) };
  });
}

export const aggMetric = declare({
  name: "agg_metric",
  summary:
    "Adds a number to a bucket that `agg_create` made; nothing happens when there is none, or when a key is missing.",
  params: [
    { name: "bucket", type: "str", summary: "a literal: the bucket's name" },
    { name: "new_field", type: "str", summary: "a literal: the field of the aggregated point" },
    { name: "agg_fn", type: "str", summary: "a literal: sum, avg, max, min, or set for the last value" },
    {
      name: "agg_by",
      type: "list",
      summary: "literals: the keys whose texts tell the series apart and become its tags",
    },
    { name: "agg_field", type: "str", summary: "a literal: the key that holds the number" },
    CATEGORY,
  ],
  style: "named",
  state: true,
  examples: [
    {
      script: `json(_, host); json(_, ms); agg_create("load"); agg_metric("load", "ms_max", "max", ["host"], "ms")`,
      input: `{"host": "a", "ms": 12}`,
      gives: { host: "a", ms: 12 },
    },
  ],
  bind(call) {
    const bucket = literal(call, 0, "bucket");
    const field = literal(call, 1, "new_field");
    const aggregate = literal(call, 2, "agg_fn") as AggregateName;
    const tags = tagArguments(call);
    const source = call.readers()(literal(call, 4, "agg_field"));
    warnOfCategory(call, 5);
    const category = call.value(5);
    const by = tags.map(({ name }) => name);
    const known = aggregateNames.includes(aggregate);
    if (!known) call.warn(`agg_fn ${JSON.stringify(aggregate)} does nothing: sum, avg, max, min or set`, call.arg(2));
    return (run) => {
      const its = categoryOrNone(call, category(run));
      if (its === undefined || !known) return VOID;
      const values: string[] = [];
      for (const { read } of tags) {
        const value = read(run);
        if (value === undefined || !isText(value)) return VOID;
        values.push(textOf(value));
      }
      const held = source(run);
      if (held === undefined) return VOID;
      const measured = { by, values, field, aggregate, value: numberOf(held) ?? 0 };
      run.state.buckets.add(its, bucket, measured, run.host.now());
      return VOID;
    };
  },
});

export const aggregationFunctions: readonly Declaration[] = [aggCreate, aggMetric];
