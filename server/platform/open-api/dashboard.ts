// Dashboards (Open API document, 3).

import { newId } from "../metadata/ids.ts";
import { DuplicateRecord } from "../metadata/records.ts";
import { authorOf } from "./author.ts";
import {
  created,
  createdDashboard,
  type DashboardDocument,
  got,
  gotDashboard,
  listed,
  listedDashboard,
} from "./dashboard-record.ts";
import { duplicated, objectNotFound } from "./errors.ts";
import { paged, pageOf, pageParameters, searchParameter } from "./page.ts";
import { declare, declareList, type Route } from "./route.ts";
import { anyObject, inJson, integer, list, object, optional, text } from "./schema.ts";
import { tagsNamed, tagTerm } from "./tags.ts";

export const dashboardIds = { dashboard: /^dsbd_(?:[0-9a-f]{32}|custom_[a-z0-9]{32})$/ };

const group = "Dashboards";
const plural = ["dashboard"];

const tagName = text({ max: 50 });

export const dashboardRoutes: readonly Route[] = [
  declareList({
    name: "listDashboards",
    method: "GET",
    path: "/dashboard/list",
    plural,
    group,
    summary: "Lists dashboards; what was changed last comes first.",
    query: {
      search: searchParameter,
      tagNames: optional(inJson(list(text(), { about: "JSON: those with any of these tags; [] = all" }))),
      ...pageParameters,
      type: optional(text({ oneOf: ["CUSTOM"] })),
    },
    answer: listedDashboard,
    examples: [],
    handle: async ({ metadata, scope, query }) => {
      const page = pageOf(query);
      const { rows, totalCount } = await metadata.records<DashboardDocument>("dashboard").list(scope, {
        ...page,
        search: query.search ?? "",
        anyTerm: (query.tagNames ?? []).map(tagTerm),
      });
      return paged(
        rows.map((row) => listed(scope, row)),
        page,
        totalCount,
      );
    },
  }),

  declare({
    name: "createDashboard",
    method: "POST",
    path: "/dashboard/create",
    plural,
    group,
    summary: "Makes a dashboard.",
    body: object({
      name: text({ max: 128 }),
      desc: optional(text({ min: 0, max: 2048, default: "" })),
      identifier: optional(text({ min: 0, max: 128, default: "" })),
      extend: optional(anyObject({ default: {} })),
      mapping: optional(list(anyObject(), { default: [] })),
      tagNames: optional(list(tagName, { about: "unknown ones are made", default: [] })),
      specifyDashboardUUID: optional(text({ min: 0, pattern: "^dsbd_custom_[a-z0-9]{32}$" })),
      isPublic: optional(integer({ oneOf: [1, 0, -1], default: 1 })),
      permissionSet: optional(list(text(), { default: [] })),
      readPermissionSet: optional(list(text(), { default: [] })),
    }),
    answer: createdDashboard,
    examples: [],
    handle: async ({ metadata, scope, body }) => {
      const uuid = body.specifyDashboardUUID ?? newId("dsbd");
      const tags = await tagsNamed(metadata, scope, body.tagNames ?? []);
      const author = authorOf(scope);
      const document: DashboardDocument = {
        name: body.name,
        desc: body.desc ?? "",
        identifier: body.identifier ?? "",
        createdWay: "manual",
        chartPos: [],
        chartGroupPos: [],
        mapping: body.mapping ?? [],
        extend: body.extend ?? {},
        iconSet: {},
        isPublic: body.isPublic ?? 1,
        permissionSet: body.permissionSet ?? [],
        readPermissionSet: body.readPermissionSet ?? [],
        tags,
        creator: author,
        updator: author,
      };
      try {
        const stored = await metadata.records<DashboardDocument>("dashboard").create(scope, {
          uuid,
          name: body.name,
          terms: tags.map(({ name }) => tagTerm(name)),
          document,
        });
        return created(scope, stored);
      } catch (error) {
        if (error instanceof DuplicateRecord) throw duplicated("specifyDashboardUUID", uuid);
        throw error;
      }
    },
  }),

  declare({
    name: "getDashboard",
    method: "GET",
    path: "/dashboard/{dashboard}/get",
    plural,
    ids: dashboardIds,
    group,
    summary: "Gets a dashboard.",
    answer: gotDashboard,
    examples: [],
    handle: async ({ metadata, scope, ids }) => {
      const stored = await metadata.records<DashboardDocument>("dashboard").get(scope, ids.dashboard);
      if (stored === undefined) throw objectNotFound(ids.dashboard);
      return got(scope, stored);
    },
  }),
];
