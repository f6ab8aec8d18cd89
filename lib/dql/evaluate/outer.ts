// Evaluates functions over the answer of an inner statement, and `eval`, which computes with several answers
// (docs/reference/query.md#functions-over-answers). The functions process the rows in the order of the inner
// answer.

import { numberOf, positiveInt } from "../semantics/arguments.ts";
import type { ResolvedQuery } from "../semantics/resolve.ts";
import { countSteps, type StepBudget } from "../semantics/step-budget.ts";
import { isTime } from "../semantics/targets.ts";
import type { Call, Expr } from "../syntax/ast.ts";
import { DqlError } from "../syntax/errors.ts";
import { defaultNamespace } from "../syntax/namespaces.ts";
import { parseConditions } from "../syntax/parse.ts";
import { reasonText } from "../syntax/reasons.ts";
import { textOf } from "../syntax/text.ts";
import { allOf } from "./condition.ts";
import type { Answer, AnswerSeries } from "./evaluate.ts";
import { scalarReader } from "./scalar.ts";
import { distinct, extreme, mean, sum } from "./statistics.ts";
import { arithmetic, compareValues, type DqlValue, isNumber } from "./values/value.ts";

type Values = readonly (readonly DqlValue[])[];

/** Returns the source text of the inner statement: the first positional argument, or the argument `dql=`. */
export function innerText({ name, args }: Call): string {
  const named = args.find((arg) => arg.type === "named" && arg.name === "dql");
  const text = named?.type === "named" ? named.value : args.find(({ type }) => type !== "named");
  const read = text === undefined ? undefined : literalText(text);
  if (read === undefined) throw new DqlError(reasonText("needsStatement", name));
  return read;
}

/**
 * Returns the source text of an inner statement. In the outer statement, it is a string literal or, usually, a
 * text in backquotes.
 */
function literalText(expr: Expr): string | undefined {
  if (expr.type === "str") return expr.value;
  return expr.type === "col" ? expr.name : undefined;
}

interface Parameters {
  /**
   * The positional arguments of an outer function (a function whose argument is a whole query), except the query
   * itself.
   */
  readonly values: readonly Expr[];
  readonly named: (name: string) => Expr | undefined;
}

/**
 * Returns the arguments of a function over an answer, without the inner statement. `isFirst` says whether the
 * first argument may be the inner statement. In a chained call `f(...).g(...)` it is false for `g`, because `g`
 * is applied to the answer of `f`, and all arguments of `g` are ordinary ones.
 */
function parametersOf({ args }: Call, isFirst: boolean): Parameters {
  const named = (name: string) => {
    const found = args.find((arg) => arg.type === "named" && arg.name === name);
    return found?.type === "named" ? found.value : undefined;
  };
  const positional = args.filter(({ type }) => type !== "named");
  return { values: isFirst && named("dql") === undefined ? positional.slice(1) : positional, named };
}

/** Order of the rows in a series. Functions over an answer keep the order of the inner statement. */
export type RowOrder = "newest first" | "oldest first" | "other";

export function rowOrderOf({ orderBy: [first] }: ResolvedQuery): RowOrder {
  if (first === undefined) return "newest first";
  if (!isTime(first.expr)) return "other";
  return first.dir === "asc" ? "oldest first" : "newest first";
}

export interface OuterAnswer extends Answer {
  readonly rowOrder?: RowOrder;
  /** Number of rows that met the condition of count_filter(); absent for other functions. */
  readonly filterCount?: number;
}

const elementwise: Readonly<Record<string, (value: number) => number>> = {
  abs: Math.abs,
  log2: Math.log2,
  log10: Math.log10,
};

export const outerFunctions: readonly string[] = [
  ...Object.keys(elementwise),
  ..."avg sum count count_distinct max min first last cumsum difference non_negative_difference derivative".split(" "),
  ..."non_negative_derivative rate irate moving_average top bottom series_sum count_filter".split(" "),
];

/** Applies a function to an answer. Throws DqlError for an unknown function. */
export function applyOuter(call: Call, isFirst: boolean, answer: OuterAnswer, work: StepBudget): OuterAnswer {
  const parameters = parametersOf(call, isFirst);
  if (!outerFunctions.includes(call.name)) throw new DqlError(reasonText("unknownFunction", call.name));
  if (call.name === "series_sum") return { ...answer, series: seriesSum(answer, parameters, work) };
  if (call.name === "count_filter") return countFilter(answer, parameters, work);
  const series = answer.series.map((each): AnswerSeries => {
    work(each.values.length);
    return { ...each, values: computed(call, parameters, each.values, work) };
  });
  return { ...answer, series };
}

function computed(call: Call, parameters: Parameters, rows: Values, work: StepBudget): Values {
  const { name } = call;
  const element = elementwise[name];
  if (element !== undefined) {
    return rows.map(([time = null, ...values]) => [time, ...values.map((value) => elementOf(name, element, value))]);
  }
  const width = rows[0]?.length ?? 1;
  const column = (at: number) => rows.map((row) => row[at] ?? null);
  switch (name) {
    case "avg":
    case "sum":
    case "count":
    case "count_distinct":
      return rows.length === 0 ? [] : [[0n, ...range(1, width).map((at) => reduced(name, column(at), work))]];
    case "max":
    case "min":
    case "first":
    case "last":
      return chosenRow(name, rows, width, work);
    case "top":
    case "bottom": {
      const count = positiveInt(parameters.values[0] ?? parameters.named("n") ?? { type: "nil", at: 0 });
      if (count === undefined) throw new DqlError(reasonText("needsWholeNumber", name));
      const sign = name === "top" ? -1 : 1;
      const numbers = rows.filter((row) => isNumber(row[1] ?? null));
      const inOrder = [...numbers].sort((a, b) => {
        work(1);
        return sign * compareValues(a[1]!, b[1]!);
      });
      return inOrder.slice(0, count);
    }
    default:
      return sequence(call, parameters, rows, work);
  }
}

function elementOf(name: string, compute: (value: number) => number, value: DqlValue): DqlValue {
  if (name === "abs" && typeof value === "bigint") return value < 0n ? -value : value;
  if (!isNumber(value)) return null;
  const result = compute(Number(value));
  return Number.isFinite(result) ? result : null;
}

function range(from: number, to: number): number[] {
  return Array.from({ length: Math.max(0, to - from) }, (_, at) => from + at);
}

function reduced(name: string, values: readonly DqlValue[], work: StepBudget): DqlValue {
  const present = values.filter((value) => value !== null);
  const numbers = present.filter(isNumber);
  switch (name) {
    case "avg":
      return mean(numbers);
    case "sum":
      return sum(numbers);
    case "count":
      return BigInt(present.length);
    default:
      return BigInt(distinct(present, work).length);
  }
}

/**
 * Returns a single row with one chosen value for each column, such as the maximum of the column. The time of
 * this row is the time of the value in the first column that has a value.
 */
function chosenRow(name: string, rows: Values, width: number, work: StepBudget): Values {
  const picks = range(1, width).map((at) => {
    const present = rows.filter((row) => (row[at] ?? null) !== null);
    if (name === "max" || name === "min") {
      const best = extreme(
        present.map((row) => row[at]!),
        name,
      );
      return present.find((row) => row[at] === best);
    }
    const inTime = [...present].sort((a, b) => {
      work(1);
      return compareValues(a[0]!, b[0]!);
    });
    return name === "first" ? inTime[0] : inTime[inTime.length - 1];
  });
  const first = picks.find((row) => row !== undefined);
  if (first === undefined) return [];
  return [[first[0]!, ...picks.map((row, at) => row?.[at + 1] ?? null)]];
}

/** Computes a value for each row from the row itself and the rows before it, in the given order. */
function sequence({ name }: Call, parameters: Parameters, rows: Values, work: StepBudget): Values {
  if (name === "cumsum") {
    const totals: DqlValue[] = [];
    return rows.map(([time = null, ...values]) => [
      time,
      ...values.map((value, at) => {
        if (!isNumber(value)) return null;
        const total = totals[at];
        totals[at] = total === undefined ? value : arithmetic("+", total, value);
        return totals[at]!;
      }),
    ]);
  }
  if (name === "moving_average") {
    const size = positiveInt(parameters.values[0] ?? parameters.named("size") ?? { type: "nil", at: 0 });
    if (size === undefined) throw new DqlError(reasonText("averageSize"));
    return range(size - 1, rows.length).map((last) => {
      work(size);
      const recent = rows.slice(last + 1 - size, last + 1);
      const [time = null, ...values] = rows[last]!;
      return [time, ...values.map((_, at) => mean(recent.map((row) => row[at + 1] ?? null).filter(isNumber)))];
    });
  }
  const changes = rows.slice(1).map((row, before) => changed(name, rows[before]!, row));
  return name.startsWith("non_negative_")
    ? changes.filter(([, ...values]) => values.every((value) => value === null || Number(value) >= 0))
    : changes;
}

function changed(name: string, before: readonly DqlValue[], row: readonly DqlValue[]): DqlValue[] {
  const seconds = (Number(row[0] ?? 0) - Number(before[0] ?? 0)) / 1000;
  const values = row.slice(1).map((value, at): DqlValue => {
    const change = arithmetic("-", value, before[at + 1] ?? null);
    if (!isNumber(change)) return null;
    if (name.endsWith("difference")) return change;
    if (seconds === 0) return null;
    if (name.endsWith("derivative")) return Number(change) / seconds;
    // The rows may be in ascending or descending order of time, so the times decide which value is older. When the
    // value of a counter has become smaller, the counter was restarted at 0.
    const [older, newer] = seconds > 0 ? [before[at + 1]!, value] : [value, before[at + 1]!];
    const grown = Number(newer) >= Number(older) ? Number(newer) - Number(older) : Number(newer);
    return grown / Math.abs(seconds);
  });
  return [row[0]!, ...values];
}

/**
 * Adds up the values of series that have the same values of the tags that `sumBy` names. Makes a separate sum
 * for each time. The rows keep the time order of the inner answer.
 */
function seriesSum(
  { series, rowOrder = "newest first" }: OuterAnswer,
  { values, named }: Parameters,
  work: StepBudget,
): AnswerSeries[] {
  const sign = { "newest first": -1, "oldest first": 1, other: 0 }[rowOrder];
  const list = named("sumBy") ?? values[0];
  const by = list?.type === "list" ? list.items.map((item) => literalText(item) ?? "") : [];
  const groups = new Map<string, AnswerSeries[]>();
  for (const each of countSteps(series, work)) {
    const key = JSON.stringify(by.map((name) => each.tags?.get(name) ?? ""));
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [each]);
    else group.push(each);
  }
  return [...groups.values()].map((group): AnswerSeries => {
    const [first] = group as [AnswerSeries];
    const rows = new Map<string, DqlValue[]>();
    for (const row of countSteps(
      group.flatMap((each) => each.values),
      work,
    )) {
      const key = String(row[0]);
      work(row.length - 1);
      const total = rows.get(key);
      if (total === undefined)
        rows.set(
          key,
          row.map((value, at) => (at === 0 || isNumber(value) ? value : null)),
        );
      else
        for (const [at, value] of row.entries())
          if (at > 0 && isNumber(value)) total[at] = total[at] === null ? value : arithmetic("+", total[at]!, value);
    }
    const all = [...(first.tags?.keys() ?? [])].map((key): [string, string] => [key, "all"]);
    const tags = by.length === 0 ? all : by.map((name): [string, string] => [name, first.tags?.get(name) ?? ""]);
    const sorted = [...rows.values()].sort((a, b) => {
      work(1);
      return sign * compareValues(a[0]!, b[0]!);
    });
    return { ...first, tags: tags.length === 0 ? null : new Map(tags), values: sorted };
  });
}

/** Keeps the rows of the answer that meet a condition over their columns and tags. */
function countFilter(answer: OuterAnswer, { values, named }: Parameters, work: StepBudget): OuterAnswer {
  const text = literalText(named("expr") ?? values[0] ?? { type: "nil", at: 0 });
  if (text === undefined) throw new DqlError(reasonText("countFilterCondition"));
  const conditions = parseConditions(text);
  let kept = 0;
  const series = answer.series.map((each): AnswerSeries => {
    const test = allOf<readonly DqlValue[]>(conditions, {
      namespace: defaultNamespace,
      column: (name) => {
        const at = each.columns.indexOf(name);
        return at < 0 ? () => each.tags?.get(name) ?? null : (row) => row[at] ?? null;
      },
      values: () => [],
    });
    const rows = each.values.filter((row) => {
      work(1);
      return test(row);
    });
    kept += rows.length;
    return { ...each, values: rows };
  });
  return { ...answer, series: series.filter((each) => each.values.length > 0), filterCount: kept };
}

/** Evaluates the first argument of `eval`: arithmetic over `Name.column`, where Name is a named statement. */
export function evaluateNamed(expr: Expr, answers: ReadonlyMap<string, Answer>, work: StepBudget): AnswerSeries[] {
  const operands: { readonly name: string; readonly column: string }[] = [];
  const collect = (node: Expr): void => {
    if (node.type === "col") {
      const dot = node.name.indexOf(".");
      const name = node.name.slice(0, Math.max(0, dot));
      if (!answers.has(name)) throw new DqlError(reasonText("evalUnknown", node.name));
      operands.push({ name, column: node.name.slice(dot + 1) });
    } else if (node.type === "bin") {
      collect(node.l);
      collect(node.r);
    } else if (node.type === "unary" || node.type === "paren") collect(node.e);
    else if (numberOf(node) === undefined) throw new DqlError(reasonText("evalArithmetic", textOf(node)));
  };
  collect(expr);
  const [first] = operands;
  if (first === undefined) throw new DqlError(reasonText("evalColumn"));
  const tables = new Map([...answers].map(([name, answer]) => [name, indexed(answer, work)]));
  const read = scalarReader<ReadonlyMap<string, DqlValue>>(expr, { column: (name) => (row) => row.get(name) ?? null });
  const isIn = (series: AnswerSeries) => series.columns.includes(first.column);
  return answers
    .get(first.name)!
    .series.filter(isIn)
    .flatMap((series): AnswerSeries[] => {
      const tags = tagKey(series);
      const values = series.values.flatMap(([time = null]): DqlValue[][] => {
        work(1);
        const row = new Map<string, DqlValue>();
        for (const { name, column } of operands) {
          const value = tables.get(name)!.get(tags)?.get(String(time))?.get(column) ?? null;
          if (value === null) return [];
          row.set(`${name}.${column}`, value);
        }
        return [[time, read(row)]];
      });
      return values.length === 0 ? [] : [{ ...series, columns: ["time", first.column], values }];
    });
}

function tagKey({ tags }: AnswerSeries): string {
  return JSON.stringify([...(tags ?? [])].sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** Returns the values of an answer, indexed by tags, time and column. */
function indexed(
  { series }: Answer,
  work: StepBudget,
): ReadonlyMap<string, ReadonlyMap<string, ReadonlyMap<string, DqlValue>>> {
  const byTags = new Map<string, Map<string, Map<string, DqlValue>>>();
  for (const each of series) {
    const byTime = byTags.get(tagKey(each)) ?? new Map<string, Map<string, DqlValue>>();
    byTags.set(tagKey(each), byTime);
    for (const row of countSteps(each.values, work)) {
      byTime.set(String(row[0]), new Map(each.columns.map((column, at) => [column, row[at] ?? null])));
    }
  }
  return byTags;
}
