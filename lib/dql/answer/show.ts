// Evaluates show_...() functions, which list the names, keys and values of the stored points instead of the points
// themselves (docs/reference/query.md#functions-over-answers).

import { compareText } from "../../text/utf8.ts";
import { allOf } from "../evaluate/condition.ts";
import type { Engine, KeyKind, ObjectLabels, StoredKey } from "../evaluate/engine.ts";
import type { Answer, AnswerSeries } from "../evaluate/evaluate.ts";
import { grouped } from "../evaluate/group.ts";
import { regexTest } from "../evaluate/search/search.ts";
import type { DqlValue } from "../evaluate/values/value.ts";
import { countSteps, type StepBudget } from "../semantics/step-budget.ts";
import type { Call, Expr, FunctionStatement } from "../syntax/ast.ts";
import { DqlError } from "../syntax/errors.ts";
import { defaultNamespace, namespaceOf } from "../syntax/namespaces.ts";
import { reasonText } from "../syntax/reasons.ts";

const aliases: Readonly<Record<string, string>> = {
  show_object_class: "show_object_source",
  show_custom_object_class: "show_custom_object_source",
  show_cobject_class: "show_custom_object_source",
  show_tracing_service: "show_tracing_source",
  show_rum_type: "show_rum_source",
  show_security_category: "show_security_source",
};
const sources =
  "object object_history custom_object custom_object_history logging backup_log event tracing profiling rum network security";
const fieldTypes: Readonly<Record<KeyKind, string>> = {
  int: "integer",
  uint: "unsigned",
  float: "float",
  bool: "boolean",
  string: "string",
  binary: "string",
  array: "string",
};
const searchTypes: Readonly<Record<KeyKind, string>> = {
  int: "long",
  uint: "long",
  float: "float",
  bool: "boolean",
  string: "keyword",
  binary: "keyword",
  array: "keyword",
};

/** The names of all show_...() functions, for completion and documentation. */
export const showFunctions: readonly string[] = [
  ..."measurement tag_key tag_value field_key workspaces object_label custom_object_label".split(" "),
  ...sources.split(" ").flatMap((each) => [`${each}_source`, `${each}_field`]),
]
  .map((name) => `show_${name}`)
  .concat(Object.keys(aliases));

const workspaceColumns = ["wsuuid", "token", "expireAt", "createAt", "name"];

export function isShow({ name }: Call): boolean {
  return name.startsWith("show_");
}

export async function show(statement: FunctionStatement, engine: Engine, work: StepBudget): Promise<Answer> {
  const [call, ...more] = statement.chain;
  if (more.length > 0) throw new DqlError(reasonText("notFollowed", call!.name));
  const series = await seriesOf(call!, engine, work);
  return { series: paged(statement, series, work), totalHits: 0, searchAfter: null };
}

async function seriesOf(call: Call, engine: Engine, work: StepBudget): Promise<AnswerSeries[]> {
  const name = aliases[call.name] ?? call.name;
  const from = textList(argument(call, "from"));
  const isFrom = (key: StoredKey) => from.length === 0 || from.includes(key.name);
  switch (name) {
    case "show_measurement":
      return [names("measurements", await engine.keys("metric"))];
    case "show_tag_key": {
      const keys = (await engine.keys("metric")).filter((key) => key.kind === null && isFrom(key));
      return byMeasurement(keys, ["tagKey"], ({ key }) => [key], work);
    }
    case "show_field_key": {
      const keys = (await engine.keys("metric")).filter((key) => key.kind !== null && isFrom(key));
      return byMeasurement(keys, ["fieldKey", "fieldType"], ({ key, kind }) => [key, fieldTypes[kind!]], work);
    }
    case "show_tag_value":
      return tagValues(call, from, engine, work);
  }
  if (name === "show_workspaces")
    return [{ name, tags: null, columns: workspaceColumns, values: [["", "***", null, null, "local"]] }];
  const labels = /^show_(object|cobject|custom_object)(?:_history)?_label$/.exec(name)?.[1];
  if (labels !== undefined)
    return labelSeries(call, await engine.labels(labels === "object" ? "object" : "custom_object"));
  const source = /^show_(\w+)_source$/.exec(name)?.[1]?.replace(/^cobject/, "custom_object");
  if (source !== undefined && sources.split(" ").includes(source)) {
    return [names("measurements", await engine.keys(namespaceOf(source)!.category))];
  }
  const fieldsOf = /^show_(\w+)_field$/.exec(name)?.[1]?.replace(/^cobject/, "custom_object");
  if (fieldsOf !== undefined && sources.split(" ").includes(fieldsOf)) return fields(call, fieldsOf, engine);
  throw new DqlError(reasonText("unknownFunction", call.name));
}

export function argument({ args }: Call, name: string): Expr | undefined {
  const found = args.find((arg) => arg.type === "named" && arg.name === name);
  return found?.type === "named" ? found.value : undefined;
}

/** Returns the strings of an argument that is a string or a list of strings. */
export function textList(expr: Expr | undefined): string[] {
  if (expr === undefined) return [];
  if (expr.type === "list") return expr.items.flatMap(textList);
  return expr.type === "str" ? [expr.value] : expr.type === "col" ? [expr.name] : [];
}

function names(name: string, keys: readonly StoredKey[]): AnswerSeries {
  const all = [...new Set(keys.map((key) => key.name))].sort(compareText);
  return { name, tags: null, columns: ["name"], values: all.map((each) => [each]) };
}

function byMeasurement(
  keys: readonly StoredKey[],
  columns: readonly string[],
  row: (key: StoredKey) => DqlValue[],
  work: StepBudget,
): AnswerSeries[] {
  const named = [...grouped(countSteps(keys, work), ({ name }) => name)].sort(([a], [b]) => compareText(a, b));
  return named.map(([name, own]) => {
    work(own.length);
    const distinct = new Map(own.map(row).map((each) => [JSON.stringify(each), each]));
    const values = [...distinct.values()].sort((a, b) => compareText(String(a[0]), String(b[0])));
    return { name, tags: null, columns, values };
  });
}

async function tagValues(
  call: Call,
  from: readonly string[],
  engine: Engine,
  work: StepBudget,
): Promise<AnswerSeries[]> {
  const keyin = argument(call, "keyin");
  const wanted = textList(keyin);
  const isKey =
    keyin?.type === "regex"
      ? regexTest(keyin.value, false)
      : (key: string) => wanted.length === 0 || wanted.includes(key);
  const having = textList(argument(call, "field"));
  const found = new Map<string, Map<string, DqlValue[]>>();
  for (const { name, tags, fields } of countSteps(await engine.rows("metric", { names: from, work }), work)) {
    if (having.length > 0 && !having.some((field) => fields.has(field))) continue;
    for (const [key, value] of tags) {
      if (!isKey(key)) continue;
      const pairs = found.get(name) ?? new Map<string, DqlValue[]>();
      found.set(name, pairs.set(JSON.stringify([key, value]), [key, value]));
    }
  }
  return [...found]
    .sort(([a], [b]) => compareText(a, b))
    .map(([name, pairs]) => ({
      name,
      tags: null,
      columns: ["key", "value"],
      values: [...pairs.values()].sort((a, b) => {
        work(1);
        return compareText(a.join("\0"), b.join("\0"));
      }),
    }));
}

/** Returns one series of labels for each object, at most 1,000 series. */
function labelSeries(call: Call, all: readonly ObjectLabels[]): AnswerSeries[] {
  const classes = textList(argument(call, "class"));
  const wanted = textList(argument(call, "names"));
  const chosen = all.filter(
    ({ objectClass, objectName }) =>
      (classes.length === 0 || classes.includes(objectClass)) && (wanted.length === 0 || wanted.includes(objectName)),
  );
  const objects = [...new Set(chosen.map(({ objectName }) => objectName))].sort(compareText).slice(0, 1000);
  return objects.map((object) => ({
    name: "labels",
    tags: new Map([["name", object]]),
    columns: ["__docid", "labels", "key", "value"],
    values: chosen
      .filter(({ objectName }) => objectName === object)
      .map(({ labels, key, value }) => [null, labels, key, value]),
  }));
}

async function fields(call: Call, source: string, engine: Engine): Promise<AnswerSeries[]> {
  const wanted = call.args.flatMap((arg) => (arg.type === "named" ? [] : textList(arg)));
  const keys = (await engine.keys(namespaceOf(source)!.category)).filter(
    ({ name }) => wanted.length === 0 || wanted.includes(name),
  );
  const types = new Map(
    keys.map(({ key, kind }) => [key, key === "message" ? "text" : kind === null ? "keyword" : searchTypes[kind]]),
  );
  const values = [...types].sort(([a], [b]) => compareText(a, b));
  return [{ name: "fields", tags: null, columns: ["fieldKey", "fieldType"], values }];
}

/** Applies the clauses after a show_...() call, such as LIMIT, to the rows of every series. */
function paged(
  { filter, limit, offset }: FunctionStatement,
  series: readonly AnswerSeries[],
  work: StepBudget,
): AnswerSeries[] {
  return series.map((each) => {
    const test = allOf<readonly DqlValue[]>(filter?.conds ?? [], {
      namespace: defaultNamespace,
      column: (name) => {
        const at = each.columns.indexOf(name);
        return (row) => (at < 0 ? null : (row[at] ?? null));
      },
      values: () => [],
    });
    const rows = each.values.filter((row) => {
      work(1);
      return test(row);
    });
    const start = offset?.n ?? 0;
    return { ...each, values: rows.slice(start, limit === null ? undefined : start + limit.n) };
  });
}
