// Reads and changes dashboards as templates of the Open API. A change replaces only the members that it concerns, so
// that members that this page does not know are kept.

import { JsonNumber } from "../../../../lib/text/index.ts";
import { parseExact } from "../../state/exact-json.ts";
import { english, t } from "../../text/translate.ts";
import { type Place, placesOf } from "./layout.ts";

export type Json = Readonly<Record<string, unknown>>;
export type Template = Json;

/** How a chart is drawn; `other` for a kind that this page does not draw. */
export type ChartKind = "lines" | "bars" | "stacked" | "toplist" | "value" | "table" | "logs" | "other";

/** English names of the kinds of charts. The function `t` translates them where the page shows them. */
export const kindNames: Readonly<Record<Exclude<ChartKind, "other">, string>> = {
  lines: english("Lines over time"),
  bars: english("Bars over time"),
  stacked: english("Stacked bars over time"),
  toplist: english("Top list"),
  value: english("Single value"),
  table: english("Table"),
  logs: english("Log lines"),
};

/** A chart as the page shows it. */
export interface Chart {
  /** Index of the chart in the template. */
  readonly index: number;
  readonly name: string;
  /** The type of the chart as the template names it, such as `sequence`. */
  readonly type: string;
  readonly kind: ChartKind;
  readonly queries: readonly string[];
  readonly unit: string;
  /** Name of the group that the chart is in; null for none. */
  readonly group: string | null;
  /** Position and size of the chart in the grid of its group. The first row of a group is row 0. */
  readonly place: Place;
  /**
   * Number of rows to add to the row in `place` to get the row in the template. The number is 0 when the template
   * counts rows from the top of the group. When the template counts rows from the top of the dashboard, the number
   * is the row at which the group begins.
   */
  readonly rowsBefore: number;
}

const types: Readonly<Record<Exclude<ChartKind, "other">, string>> = {
  ...{ lines: "sequence", bars: "sequence", stacked: "sequence" },
  ...{ toplist: "toplist", value: "singlestat", table: "table", logs: "log" },
};

/** Returns whether a value is a JSON object. A JsonNumber (a number that keeps all its digits) is not one. */
export const isObject = (value: unknown): value is Json =>
  typeof value === "object" && value !== null && !Array.isArray(value) && !(value instanceof JsonNumber);
export const objectOf = (value: unknown): Json => (isObject(value) ? value : {});
export const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
export const textOf = (value: unknown): string => (typeof value === "string" ? value : "");

export const mainOf = (template: Template): Json => objectOf(template.main);
const rawCharts = (template: Template): readonly Json[] => listOf(mainOf(template).charts).map(objectOf);

export function titleOf(template: Template): string {
  return textOf(template.title);
}

export function variablesOf(template: Template): readonly Json[] {
  return listOf(mainOf(template).vars).filter(isObject);
}

export function groupOf(chart: Json): string | null {
  return textOf(objectOf(chart.group).name) || null;
}

export function chartsOf(template: Template): readonly Chart[] {
  const raw = rawCharts(template);
  const places = groupedPlaces(raw);
  return raw.map((chart, index) => ({
    index,
    group: groupOf(chart),
    name: textOf(chart.name),
    type: textOf(chart.type),
    kind: kindOf(chart),
    queries: queriesOf(chart),
    unit: unitOf(chart),
    ...places[index]!,
  }));
}

/**
 * Each group of charts has a grid of its own. Some templates number the rows of this grid from 0 at the top of the
 * group, others from 0 at the top of the dashboard.
 */
function groupedPlaces(raw: readonly Json[]): readonly Pick<Chart, "place" | "rowsBefore">[] {
  const found = new Map<number, Pick<Chart, "place" | "rowsBefore">>();
  for (const group of new Set(raw.map(groupOf))) {
    const indexes = raw.flatMap((chart, index) => (groupOf(chart) === group ? [index] : []));
    const places = placesOf(indexes.map((index) => (isObject(raw[index]!.pos) ? (raw[index]!.pos as Json) : null)));
    const rowsBefore = group === null ? 0 : Math.min(...places.map(({ y }) => y));
    for (const [at, index] of indexes.entries())
      found.set(index, { place: { ...places[at]!, y: places[at]!.y - rowsBefore }, rowsBefore });
  }
  return raw.map((_, index) => found.get(index)!);
}

/** Returns the DQL queries of a chart. Leaves out queries in other languages. */
function queriesOf(chart: Json): readonly string[] {
  return listOf(chart.queries).flatMap((each) => {
    const { qtype = "dql", query } = objectOf(each);
    const text = textOf(objectOf(query).q);
    return qtype === "dql" && text !== "" ? [text] : [];
  });
}

function settingsOf(chart: Json): Json {
  return objectOf(objectOf(chart.extend).settings);
}

function unitOf(chart: Json): string {
  return textOf(settingsOf(chart).units);
}

function kindOf(chart: Json): ChartKind {
  // The page cannot send queries in other languages than DQL, so it does not draw a chart that has only such queries.
  if (listOf(chart.queries).length > 0 && queriesOf(chart).length === 0) return "other";
  const { chartType, showStack, stacked } = settingsOf(chart);
  switch (chart.type) {
    case "sequence":
      if (showStack === true || stacked === true || chartType === "stackedBar") return "stacked";
      return chartType === "bar" ? "bars" : "lines";
    case "toplist":
      return "toplist";
    case "singlestat":
      return "value";
    case "table":
      return "table";
    case "log":
      return "logs";
    default:
      return "other";
  }
}

const emptyMain: Json = { type: "template", groups: [], vars: [], charts: [] };

/**
 * Returns the template with the charts, groups or variables replaced by those in `members`. All other members of
 * the template stay, in their order.
 */
export function withMain(template: Template, members: Json): Template {
  const main = mainOf(template);
  return { ...template, main: { ...(Object.keys(main).length === 0 ? emptyMain : main), ...members } };
}

function withCharts(template: Template, charts: readonly unknown[]): Template {
  return withMain(template, { charts });
}

/** The properties of a chart that the user can change in the chart's form. */
export interface ChartText {
  readonly name: string;
  readonly kind: ChartKind;
  readonly query: string;
  readonly unit: string;
}

export function addChart(template: Template, text: ChartText, place: Place, group: string | null = null): Template {
  const empty: Json = { name: "", type: "", pos: { ...place }, group: { name: group }, queries: [], extend: {} };
  return withCharts(template, [...listOf(mainOf(template).charts), changedChart(empty, text)]);
}

export function changeChart(template: Template, index: number, text: ChartText): Template {
  const charts = listOf(mainOf(template).charts);
  return withCharts(
    template,
    charts.map((each, at) => (at === index ? changedChart(objectOf(each), text) : each)),
  );
}

export function removeChart(template: Template, index: number): Template {
  return withCharts(
    template,
    listOf(mainOf(template).charts).filter((_, at) => at !== index),
  );
}

/**
 * Writes new places of all charts into the template; each place is in the grid of the chart's group. When a chart was
 * not moved, its `pos` stays unchanged.
 */
export function moveCharts(template: Template, places: readonly Place[]): Template {
  const before = chartsOf(template);
  const charts = listOf(mainOf(template).charts).map((each, at) => {
    const [old, next] = [before[at]!.place, places[at]!];
    if (old.x === next.x && old.y === next.y && old.w === next.w && old.h === next.h) return each;
    const chart = objectOf(each);
    const y = next.y + before[at]!.rowsBefore;
    return { ...chart, pos: { ...objectOf(chart.pos), ...next, y } };
  });
  return withCharts(template, charts);
}

function changedChart(chart: Json, { name, kind, query, unit }: ChartText): Json {
  const next: Record<string, unknown> = { ...chart, name };
  if (query !== (queriesOf(chart)[0] ?? "")) next.queries = withQuery(listOf(chart.queries), query);
  const extend = objectOf(chart.extend);
  let settings = settingsOf(chart);
  if (kind !== "other" && kind !== kindOf(next)) {
    next.type = types[kind];
    settings = withKind(settings, kind);
  }
  if (unit !== unitOf(chart)) settings = { ...settings, units: unit };
  if (settings !== settingsOf(chart) && JSON.stringify(settings) !== JSON.stringify(settingsOf(chart)))
    next.extend = { ...extend, settings };
  return next;
}

function withKind(settings: Json, kind: ChartKind): Json {
  if (types[kind as keyof typeof types] !== "sequence") return settings;
  const { showStack: _, stacked: __, ...others } = settings;
  const chartType = kind === "lines" ? "line" : "bar";
  return kind === "stacked" ? { ...others, chartType, showStack: true } : { ...others, chartType };
}

/** Replaces the text of the first DQL query in the list, or adds a query when there is none. */
function withQuery(queries: readonly unknown[], text: string): readonly unknown[] {
  const first = queries.findIndex((each) => (objectOf(each).qtype ?? "dql") === "dql");
  if (first < 0) return [...queries, { qtype: "dql", query: { q: text } }];
  return queries.map((each, at) => {
    if (at !== first) return each;
    const query = objectOf(each);
    return { ...query, query: { ...objectOf(query.query), q: text } };
  });
}

/**
 * Returns the JSON text of a template in a file. Throws an Error that says what is wrong. The file may hold a template,
 * or an answer or a request of the Open API with a template in it.
 */
export function templateOfFile(text: string): { readonly title: string; readonly template: Template } {
  let read: unknown;
  try {
    read = parseExact(text);
  } catch (error) {
    throw new Error(t("The file is not JSON: {reason}", { reason: (error as Error).message.slice(0, 200) }));
  }
  let template = objectOf(read);
  for (const member of ["content", "templateInfo"]) if (isObject(template[member])) template = template[member];
  if (!isObject(template.main))
    throw new Error(t("The file has no dashboard: the member `main` with its charts is missing."));
  return { title: titleOf(template), template };
}
