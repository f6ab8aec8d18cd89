// The content of dashboards: charts, variables and groups of charts. Converts a template (the format in which
// dashboards are exported) into content and back (docs/reference/open-api.md#dashboards).

import { newId } from "../../metadata/ids.ts";
import { invalidParameter } from "../protocol/errors.ts";
import {
  any,
  anyObject,
  type JsonObject,
  list,
  nullable,
  object,
  optional,
  type Schema,
  text,
  type ValueOf,
} from "../protocol/schema.ts";
import { type ChartPlace, type DashboardDocument, place, type Tag, templateTag } from "./dashboard-record.ts";

const chart = object({
  name: text({ about: "title of the chart" }),
  type: text({ about: "type of the chart: sequence, toplist, singlestat, pie, table, text, gauge, log, ..." }),
  pos: optional(nullable(place)),
  group: optional(nullable(object({ name: optional(nullable(text({ min: 0 }))) }))),
  queries: list(
    object({
      qtype: optional(text({ min: 0, about: "the language of the query, such as dql" })),
      query: optional(anyObject({ about: "the query: an object whose member q is the query text" })),
    }),
    { about: "queries of the chart; may be empty" },
  ),
  extend: optional(anyObject({ about: "settings of the chart: chartType, colors, units, ..." })),
});

const groupObject = object({ name: text(), extend: optional(anyObject()) });
/** A group of charts in a template: a name, or an object with a name. */
const groupOfCharts: Schema<string | ValueOf<typeof groupObject>> = {
  json: { ...groupObject.json, type: ["string", "object"], description: "a name, or {name, extend}" },
};

const variable = object({ code: optional(text({ min: 0, about: "name of the variable, unique in the dashboard" })) });

/**
 * A template, which is a dashboard in the exported format. Its `title` is ignored, because the request contains
 * the name of the new dashboard.
 */
export const templateInfo = object(
  {
    title: optional(text({ min: 0 })),
    summary: optional(text({ min: 0 })),
    dashboardType: optional(text({ min: 0 })),
    dashboardOwnerType: optional(text({ min: 0 })),
    dashboardExtend: optional(anyObject()),
    dashboardMapping: optional(list(anyObject())),
    dashboardBindSet: optional(list(any())),
    iconSet: optional(anyObject({ about: "icon of the dashboard: {icon, url}" })),
    icon: optional(text({ min: 0 })),
    thumbnail: optional(text({ min: 0 })),
    tags: optional(list(any())),
    tagInfo: optional(list(templateTag)),
    main: optional(
      object({
        type: optional(text({ min: 0 })),
        groups: optional(list(groupOfCharts)),
        vars: optional(list(variable)),
        charts: optional(list(chart)),
      }),
    ),
  },
  { about: "content of a dashboard, as the export returns it", notEmpty: true },
);

export type TemplateInfo = ValueOf<typeof templateInfo>;
type TemplateChart = ValueOf<typeof chart>;

/** The content of a dashboard, which is stored apart from the dashboard's document. */
export interface DashboardContent {
  readonly charts: readonly Chart[];
  readonly vars: readonly Variable[];
  readonly groups: readonly Group[];
  readonly summary: string;
  readonly icon: string;
  readonly thumbnail: string;
  readonly tags: readonly unknown[];
}

interface Chart {
  readonly uuid: string;
  readonly name: string;
  readonly type: string;
  readonly group: { readonly name: string | null };
  readonly queries: readonly JsonObject[];
  readonly extend: JsonObject;
}

interface Variable {
  readonly uuid: string;
  readonly definition: JsonObject;
}

interface Group {
  readonly uuid: string;
  readonly name: string;
  readonly extend: JsonObject;
}

export const noContent: DashboardContent = {
  charts: [],
  vars: [],
  groups: [],
  summary: "",
  icon: "",
  thumbnail: "",
  tags: [],
};

export interface ReadTemplate {
  readonly content: DashboardContent;
  readonly chartPos: readonly ChartPlace[];
  readonly chartGroupPos: readonly string[];
}

/** Parses a template. Charts, variables and groups of charts get new identifiers. */
export function readTemplate({ summary, icon, thumbnail, tags, main = {} }: TemplateInfo): ReadTemplate {
  checkCodes(main.vars ?? []);
  const given = main.charts ?? [];
  const charts = given.map(
    (each): Chart => ({
      uuid: newId("chrt"),
      name: each.name,
      type: each.type,
      group: { name: each.group?.name ?? null },
      queries: each.queries as readonly JsonObject[],
      extend: each.extend ?? {},
    }),
  );
  const groups = (main.groups ?? []).map((each): Group => {
    const { name, extend = {} } = typeof each === "string" ? { name: each } : each;
    return { uuid: newId("chtg"), name, extend };
  });
  return {
    content: {
      charts,
      vars: (main.vars ?? []).map((definition) => ({ uuid: newId("var"), definition: definition as JsonObject })),
      groups,
      summary: summary ?? "",
      icon: icon ?? "",
      thumbnail: thumbnail ?? "",
      tags: tags ?? [],
    },
    chartPos: placesOf(
      given,
      charts.map(({ uuid }) => uuid),
    ),
    chartGroupPos: groups.map(({ uuid }) => uuid),
  };
}

function checkCodes(vars: readonly ValueOf<typeof variable>[]): void {
  const seen = new Set<string>();
  for (const [at, { code = "" }] of vars.entries()) {
    if (code !== "" && seen.has(code)) throw invalidParameter(`templateInfo.main.vars[${at}].code`, "must be unique");
    seen.add(code);
  }
}

const automatic = { width: 8, height: 9, perRow: 3 };

/**
 * Returns the positions of charts on the grid. Charts without a position are placed below all other charts,
 * three in a row.
 */
function placesOf(charts: readonly TemplateChart[], uuids: readonly string[]): ChartPlace[] {
  const below = Math.max(0, ...charts.map(({ pos }) => (pos?.y ?? 0) + (pos?.h ?? 0)));
  let count = 0;
  return charts.map(({ pos }, at) => {
    const chartUUID = uuids[at];
    if (pos !== null && pos !== undefined) {
      const { h = null, i, w = null, x = null, y = null } = pos;
      return { chartUUID, pos: { h, i: i ?? chartUUID, w, x, y } };
    }
    const x = (count % automatic.perRow) * automatic.width;
    const y = below + Math.floor(count / automatic.perRow) * automatic.height;
    count++;
    return { chartUUID, pos: { h: automatic.height, i: chartUUID, w: automatic.width, x, y } };
  });
}

export const exportedTemplate = anyObject({ about: "templateInfo of create and import, with every member" });

/** Converts a chart into the form that it has in templates (dashboards in the exported format). */
function exportedChart({ chartPos }: DashboardDocument, { name, type, group, queries, extend }: Chart, at: number) {
  return { name, type, pos: chartPos[at].pos, group, queries, extend } as unknown as JsonObject;
}

function exportedGroup({ name, extend }: Group): string | JsonObject {
  return Object.keys(extend).length === 0 ? name : { name, extend };
}

export function writeTemplate(document: DashboardDocument, content: DashboardContent): TemplateInfo & JsonObject {
  const template = {
    title: document.name,
    summary: content.summary,
    dashboardType: "CUSTOM",
    dashboardOwnerType: "node",
    dashboardExtend: document.extend,
    dashboardMapping: document.mapping,
    dashboardBindSet: [],
    iconSet: document.iconSet,
    icon: content.icon,
    thumbnail: content.thumbnail,
    tags: content.tags,
    tagInfo: document.tags,
    main: {
      type: "template",
      groups: content.groups.map(exportedGroup),
      vars: content.vars.map(({ definition }) => definition),
      charts: content.charts.map((each, at) => exportedChart(document, each, at)),
    },
  };
  return template as unknown as TemplateInfo & JsonObject;
}

/**
 * Returns the members `charts` and `vars`. The route that gets a dashboard adds them when the request asks for
 * charts.
 */
export function chartsAndVars(document: DashboardDocument, { charts, vars }: DashboardContent) {
  return {
    charts: charts.map((each, at) => ({ ...exportedChart(document, each, at), uuid: each.uuid })),
    vars: vars.map(({ definition }) => definition),
  };
}

/** Returns the names of the tags that a template (a dashboard in the exported format) contains. */
export function tagNamesOf({ tagInfo = [] }: TemplateInfo): readonly string[] {
  return tagInfo.map(({ name }: Pick<Tag, "name">) => name);
}
