// Reads and changes the variables in the template of a dashboard. A change replaces only the members that it concerns.

import {
  isObject,
  type Json,
  listOf,
  mainOf,
  objectOf,
  type Template,
  textOf,
  withMain,
} from "../../../panes/dashboards/template.ts";
import { t } from "../../../text/translate.ts";
import { all } from "../variables.ts";

/** Where the values of a variable come from: a query, a list, or something that this page does not edit. */
export type ValueSource = "query" | "list" | "other";

/** The properties of a variable that the form shows and changes. */
export interface VariableText {
  readonly name: string;
  /** The name by which queries refer to the variable. */
  readonly code: string;
  readonly source: ValueSource;
  /** The query that finds the values, or the values themselves with commas between them. */
  readonly text: string;
  /** The value of the variable until the user chooses one; empty for none. */
  readonly first: string;
  readonly hasAll: boolean;
  readonly isHidden: boolean;
}

/** A variable as the form for variables shows it. `index`: its position in the list of variables of the template. */
export interface EditedVariable extends VariableText {
  readonly index: number;
  /** The type of the variable in the template, such as `QUERY`. */
  readonly type: string;
}

const listOfVariables = (template: Template): readonly unknown[] => listOf(mainOf(template).vars);

export function editedVariables(template: Template): readonly EditedVariable[] {
  return listOfVariables(template).flatMap((raw, index) => (isObject(raw) ? [{ index, ...textsOf(raw) }] : []));
}

function textsOf(raw: Json): Omit<EditedVariable, "index"> {
  const { value, defaultVal } = objectOf(raw.definition);
  const source = sourceOf(raw);
  return {
    name: textOf(raw.name),
    code: textOf(raw.code),
    type: textOf(raw.type),
    source,
    text:
      source === "other"
        ? ""
        : Array.isArray(value)
          ? value.filter((each) => typeof each === "string").join(", ")
          : textOf(value),
    first: firstText(defaultVal),
    hasAll: !raw.isHiddenAsterisk,
    isHidden: raw.hide === 1 || raw.hide === true,
  };
}

function sourceOf(raw: Json): ValueSource {
  const type = textOf(raw.type).toUpperCase();
  const { value, metric, object } = objectOf(raw.definition);
  if (type.includes("LIST") || Array.isArray(value)) return "list";
  if (type.includes("PROMQL")) return "other";
  return textOf(value) === "" && (textOf(metric) !== "" || textOf(object) !== "") ? "other" : "query";
}

function firstText(value: unknown): string {
  const one = Array.isArray(value) ? value[0] : value;
  return typeof one === "string" ? one : textOf(objectOf(one).value);
}

/**
 * Returns the reason why a variable cannot be changed to the given texts; empty when it can. `others`: the codes (names
 * in queries) of the other variables.
 */
export function variableFault({ code }: VariableText, others: readonly string[]): string {
  if (code === "") return t("A variable needs a name for queries, such as host.");
  if (/[{}\s]/.test(code)) return t("The name in queries has no spaces and no braces.");
  return others.includes(code) ? t("Another variable is called {code} in queries.", { code }) : "";
}

/** Adds a variable whose values come from a query. No other variable has its code (the name in queries). */
export function addVariable(template: Template): Template {
  const taken = new Set(editedVariables(template).map(({ code }) => code));
  let code = "variable";
  for (let number = 2; taken.has(code); number++) code = `variable${number}`;
  const definition = { value: "", defaultVal: { label: "", value: "" } };
  const added = { name: "", code, type: "QUERY", hide: 0, isHiddenAsterisk: 0, definition };
  return withVariables(template, [...listOfVariables(template), added]);
}

/** Changes a variable. When its code (the name in queries) changes, the queries that use the code change as well. */
export function changeVariable(template: Template, index: number, text: VariableText): Template {
  const raw = objectOf(listOfVariables(template)[index]);
  const before = textsOf(raw);
  const changed = withVariables(
    template,
    listOfVariables(template).map((each, at) => (at === index ? changedVariable(raw, before, text) : each)),
  );
  return text.code === before.code || before.code === "" ? changed : renamedInQueries(changed, before.code, text.code);
}

function changedVariable(raw: Json, before: VariableText, text: VariableText): Json {
  const next: Record<string, unknown> = { ...raw };
  if (text.name !== before.name) next.name = text.name;
  if (text.code !== before.code) next.code = text.code;
  if (text.hasAll !== before.hasAll) next.isHiddenAsterisk = flag(raw.isHiddenAsterisk, !text.hasAll);
  if (text.isHidden !== before.isHidden) next.hide = flag(raw.hide, text.isHidden);
  const definition: Record<string, unknown> = { ...objectOf(raw.definition) };
  const isOther = text.source !== before.source;
  if (isOther && text.source !== "other") next.type = text.source === "list" ? "CUSTOM_LIST" : "QUERY";
  if (text.source !== "other" && (isOther || text.text !== before.text))
    definition.value = Array.isArray(definition.value) && text.source === "list" ? valuesIn(text.text) : text.text;
  if (text.first !== before.first) definition.defaultVal = changedFirst(definition.defaultVal, text.first);
  if (JSON.stringify(definition) !== JSON.stringify(objectOf(raw.definition))) next.definition = definition;
  return next;
}

/**
 * Returns a truth value in the notation of the old value `before`, because some templates write true and false, and
 * others 1 and 0.
 */
function flag(before: unknown, value: boolean): unknown {
  return typeof before === "boolean" ? value : Number(value);
}

function valuesIn(text: string): readonly string[] {
  return text
    .split(",")
    .map((each) => each.trim())
    .filter((each) => each !== "");
}

/** Changes the default value of a variable. Keeps its form: a text, an object with a value, or a list of these. */
function changedFirst(before: unknown, value: string): unknown {
  if (Array.isArray(before)) return [changedFirst(before[0], value), ...before.slice(1)];
  if (typeof before === "string") return value;
  return { ...objectOf(before), label: value === all ? "all" : value, value };
}

export function removeVariable(template: Template, index: number): Template {
  return withVariables(
    template,
    listOfVariables(template).filter((_, at) => at !== index),
  );
}

/**
 * Moves a variable to the index of another one. The numbers `seq`, which give the order of the variables, stay at their
 * indexes: each variable gets the number that belongs to its new index.
 */
export function moveVariable(template: Template, from: number, to: number): Template {
  const variables = [...listOfVariables(template)];
  const [moved] = variables.splice(from, 1);
  variables.splice(to, 0, moved);
  const orders = listOfVariables(template).map((raw) => objectOf(raw).seq);
  const isOrdered = orders.every((order) => typeof order === "number");
  return withVariables(template, isOrdered ? variables.map((raw, at) => withOrder(raw, orders[at])) : variables);
}

function withOrder(raw: unknown, seq: unknown): unknown {
  return objectOf(raw).seq === seq ? raw : { ...objectOf(raw), seq };
}

function withVariables(template: Template, vars: readonly unknown[]): Template {
  return withMain(template, { vars });
}

/** Replaces the variable `#{from}` by `#{to}` in the queries of charts and variables. */
function renamedInQueries(template: Template, from: string, to: string): Template {
  const renamed = (value: unknown) => (typeof value === "string" ? value.replaceAll(`#{${from}}`, `#{${to}}`) : value);
  const withText = (raw: unknown, member: string): unknown => {
    const text = objectOf(raw)[member];
    return renamed(text) === text ? raw : { ...objectOf(raw), [member]: renamed(text) };
  };
  const withPart = (raw: unknown, member: string, change: (part: unknown) => unknown): unknown => {
    const part = objectOf(raw)[member];
    const next = part === undefined ? part : change(part);
    return next === part ? raw : { ...objectOf(raw), [member]: next };
  };
  const eachQuery = (queries: unknown) => {
    const next = listOf(queries).map((query) => withPart(query, "query", (part) => withText(part, "q")));
    return next.every((query, at) => query === listOf(queries)[at]) ? queries : next;
  };
  return withMain(template, {
    vars: listOfVariables(template).map((raw) => withPart(raw, "definition", (part) => withText(part, "value"))),
    charts: listOf(mainOf(template).charts).map((raw) => withPart(raw, "queries", eachQuery)),
  });
}
