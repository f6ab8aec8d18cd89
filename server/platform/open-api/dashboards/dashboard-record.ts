// A dashboard, as it is stored and as it is returned to clients (docs/reference/open-api.md#dashboards).

import type { Changed, StoredRecord } from "../../metadata/records.ts";
import type { Scope } from "../../metadata/scope.ts";
import { type Author, authorInfo, authorInfoSchema } from "../access/author.ts";
import {
  anyObject,
  bool,
  integer,
  type JsonObject,
  list,
  mapOf,
  nullable,
  number,
  object,
  optional,
  type Schema,
  text,
  type ValueOf,
} from "../protocol/schema.ts";

const numberOrNull = nullable(number());
/**
 * The schema of the name of a grid cell. The name may be a string or a number, because there are clients that
 * send strings and clients that send numbers.
 */
const placeName: Schema<string | number | null> = { json: { type: ["string", "number", "null"] } };

/** The position and size of a chart on a grid of 24 columns. */
export const place = object({
  i: optional(placeName),
  h: optional(numberOrNull),
  w: optional(numberOrNull),
  x: optional(numberOrNull),
  y: optional(numberOrNull),
});
export const chartPlace = object({ chartUUID: text(), pos: place });
export const tagName = text({ max: 50 });
export const templateTag = object({ id: optional(text({ min: 0 })), name: tagName });
export const tag = object({ id: text(), name: text() });
export type ChartPlace = ValueOf<typeof chartPlace>;
export type Tag = ValueOf<typeof tag>;

/** The JSON document that is stored for a dashboard. */
export interface DashboardDocument {
  readonly name: string;
  readonly desc: string;
  readonly identifier: string;
  readonly createdWay: "manual" | "import";
  readonly chartPos: readonly ChartPlace[];
  readonly chartGroupPos: readonly string[];
  readonly mapping: readonly JsonObject[];
  readonly extend: JsonObject;
  readonly iconSet: JsonObject;
  readonly isPublic: 1 | 0 | -1;
  readonly permissionSet: readonly string[];
  readonly readPermissionSet: readonly string[];
  readonly tags: readonly Tag[];
  readonly creator: Author;
  readonly updator: Author;
}

export type StoredDashboard = StoredRecord<DashboardDocument>;

const recordMembers = {
  chartGroupPos: list(text(), { about: "identifiers of the groups of charts, in their order" }),
  chartPos: list(chartPlace, { about: "position of each chart on the grid, in the order of the charts" }),
  createAt: integer({ about: "time of creation, in seconds since 1970" }),
  createdWay: text({ oneOf: ["manual", "import"], about: "import when the present content was imported, else manual" }),
  creator: text({ about: "the API key that created the object" }),
  creatorInfo: authorInfoSchema,
  dashboardBindSet: list(anyObject()),
  deleteAt: integer({ about: "time of the deletion, in seconds since 1970; -1 while the object exists" }),
  desc: text({ min: 0, max: 2048 }),
  extend: anyObject({ about: "any JSON object; the platform only stores it" }),
  iconSet: anyObject({ about: "icon of the dashboard: {} or {icon, url}" }),
  id: integer({ about: "number of the database row" }),
  identifier: text({ min: 0, max: 128 }),
  isPublic: integer({
    oneOf: [1, 0, -1],
    about: "access: 1 public, 0 private, -1 as the members permissionSet and readPermissionSet define",
  }),
  mapping: list(anyObject(), { about: "mapping of fields to variables of the dashboard" }),
  name: text({ max: 128 }),
  ownerType: text({ oneOf: ["node"] }),
  permissionSet: list(text(), { about: "who may change the dashboard: roles, accounts, teams" }),
  readPermissionSet: list(text(), { about: "who may see the dashboard" }),
  status: integer({ oneOf: [0], about: "always 0, which means normal" }),
  tagInfo: list(tag, { about: "tags of the dashboard" }),
  type: text({ oneOf: ["CUSTOM"] }),
  updateAt: integer({ about: "time of the last change, in seconds since 1970" }),
  updator: text({ about: "the API key that changed the object last" }),
  updatorInfo: authorInfoSchema,
  uuid: text({ about: "identifier: dsbd_ and 32 characters" }),
  workspaceUUID: text({ about: "identifier of the object's workspace" }),
};

const tagsOfList = object({ sceneInfo: list(anyObject()), tagInfo: list(tag) });

export const listedDashboard = object({ ...recordMembers, isFavorite: bool(), tag_info: tagsOfList });
export const gotDashboard = object({
  ...recordMembers,
  charts: optional(list(anyObject(), { about: "the charts; only when the request has withCharts=true" })),
  tag_info: mapOf(list(tag), { about: "tags of the dashboard, keyed by the dashboard's identifier" }),
  vars: optional(list(anyObject(), { about: "the variables; only when the request has withCharts=true" })),
});
export const createdDashboard = object({ ...recordMembers, tag_info: list(tag) });
export const modifiedDashboard = object({
  ...recordMembers,
  dashboardBidding: anyObject(),
  old_name: text({ about: "name of the dashboard before the change" }),
  tag_info: tagsOfList,
});

type DashboardRecord = ValueOf<ReturnType<typeof object<typeof recordMembers>>>;

/** Returns the members of a dashboard that the answers of all dashboard routes contain, in alphabetical order. */
function recordOf({ workspace }: Scope, stored: StoredDashboard): DashboardRecord {
  const { document, uuid, id, createAt, updateAt } = stored;
  return {
    chartGroupPos: document.chartGroupPos,
    chartPos: document.chartPos,
    createAt,
    createdWay: document.createdWay,
    creator: document.creator.uuid,
    creatorInfo: authorInfo(document.creator),
    dashboardBindSet: [],
    deleteAt: -1,
    desc: document.desc,
    extend: document.extend,
    iconSet: document.iconSet,
    id,
    identifier: document.identifier,
    isPublic: document.isPublic,
    mapping: document.mapping,
    name: document.name,
    ownerType: "node",
    permissionSet: document.permissionSet,
    readPermissionSet: document.readPermissionSet,
    status: 0,
    tagInfo: document.tags,
    type: "CUSTOM",
    updateAt,
    updator: document.updator.uuid,
    updatorInfo: authorInfo(document.updator),
    uuid,
    workspaceUUID: workspace,
  };
}

// Returns a dashboard as one row of a list. In a list, the member `tag_info` has a different schema from the one
// in other answers, because existing clients expect this.

export function listed(scope: Scope, stored: StoredDashboard): ValueOf<typeof listedDashboard> {
  return {
    ...recordOf(scope, stored),
    isFavorite: false,
    tag_info: { sceneInfo: [], tagInfo: stored.document.tags },
  };
}

export function got(scope: Scope, stored: StoredDashboard): ValueOf<typeof gotDashboard> {
  return { ...recordOf(scope, stored), tag_info: { [stored.uuid]: stored.document.tags } };
}

export function modified(
  scope: Scope,
  { before, after }: Changed<DashboardDocument>,
): ValueOf<typeof modifiedDashboard> {
  return {
    ...recordOf(scope, after),
    dashboardBidding: {},
    old_name: before.document.name,
    tag_info: { sceneInfo: [], tagInfo: after.document.tags },
  };
}

export function created(scope: Scope, stored: StoredDashboard): ValueOf<typeof createdDashboard> {
  return { ...recordOf(scope, stored), tag_info: stored.document.tags };
}
