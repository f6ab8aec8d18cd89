// The routes that list dashboards, and that create, read, change or delete a single dashboard
// (docs/reference/open-api.md#dashboards). The routes that export, import and copy dashboards are in
// `dashboard-transfer.ts`.

import { newId } from "../../metadata/ids.ts";
import type { Metadata } from "../../metadata/metadata.ts";
import { DuplicateRecord, type RecordChange, type Records } from "../../metadata/records.ts";
import type { Scope } from "../../metadata/scope.ts";
import { authorOf } from "../access/author.ts";
import { duplicated, found } from "../protocol/errors.ts";
import { checkUnchanged } from "../protocol/if-match.ts";
import { paged, pageOf, pageParameters, searchParameter } from "../protocol/page.ts";
import { declare, declareList, type Route } from "../protocol/route.ts";
import {
  anyObject,
  bool,
  inJson,
  integer,
  list,
  mapOf,
  object,
  optional,
  text,
  type ValueOf,
} from "../protocol/schema.ts";
import { tagsNamed, tagTerm } from "../tags.ts";
import * as examples from "./dashboard-examples.ts";
import {
  created,
  createdDashboard,
  type DashboardDocument,
  got,
  gotDashboard,
  listed,
  listedDashboard,
  modified,
  modifiedDashboard,
  type StoredDashboard,
  tagName,
} from "./dashboard-record.ts";
import {
  chartsAndVars,
  type DashboardContent,
  noContent,
  readTemplate,
  type TemplateInfo,
  tagNamesOf,
  templateInfo,
} from "./dashboard-template.ts";

/** The members that the declarations of all routes for a single dashboard share. */
export const ofDashboard = {
  ids: { dashboard: /^dsbd_(?:[0-9a-f]{32}|custom_[a-z0-9]{32})$/ },
  plural: ["dashboard"],
  group: "Dashboards",
} as const;

/** Description of the header If-Match in the requests that change a dashboard. */
export const ifMatchAbout =
  "the header ETag of the answer that was seen, or its updateAt: a dashboard that has changed since is answered 412 VersionConflict";

const settable = {
  desc: optional(text({ min: 0, max: 2048 })),
  identifier: optional(text({ min: 0, max: 128 })),
  extend: optional(anyObject({ about: "any JSON object; the platform only stores it" })),
  mapping: optional(list(anyObject(), { about: "mapping of fields to variables of the dashboard" })),
  tagNames: optional(list(tagName, { about: "tags of the dashboard; new tags are created" })),
};
const shared = {
  isPublic: optional(
    integer({
      oneOf: [1, 0, -1],
      about: "access: 1 public, 0 private, -1 as the members permissionSet and readPermissionSet define",
    }),
  ),
  permissionSet: optional(list(text(), { about: "who may change the dashboard" })),
  readPermissionSet: optional(list(text(), { about: "who may see the dashboard" })),
};

const dashboardName = text({ max: 128 });
const creation = object({
  name: dashboardName,
  ...settable,
  templateInfo: optional(templateInfo),
  specifyDashboardUUID: optional(
    text({
      min: 0,
      pattern: "^dsbd_custom_[a-z0-9]{32}$",
      about: "identifier of the new dashboard; generated when absent",
    }),
  ),
  ...shared,
});
const modification = object({ name: optional(dashboardName), ...settable, ...shared });

type Creation = ValueOf<typeof creation>;

export function dashboards(metadata: Metadata): Records<DashboardDocument> {
  return metadata.records<DashboardDocument>("dashboard");
}

export const dashboardRoutes: readonly Route[] = [
  declareList({
    ...ofDashboard,
    name: "listDashboards",
    method: "GET",
    path: "/dashboard/list",
    ids: {},
    summary: "Lists dashboards, the most recently changed first.",
    query: {
      search: searchParameter,
      tagNames: optional(
        inJson(
          list(text({ min: 0 }), {
            about: "only dashboards with any of these tags, separated by commas or as JSON; [] = all",
          }),
        ),
      ),
      ...pageParameters,
      type: optional(text({ oneOf: ["CUSTOM"] })),
    },
    answer: listedDashboard,
    examples: examples.list,
    handle: async ({ metadata, written, scope, query }) => {
      const page = pageOf(query);
      const anyTerm = (query.tagNames ?? []).map(tagTerm);
      const { rows, totalCount } = await dashboards(metadata).list(scope, {
        ...page,
        search: query.search ?? "",
        anyTerm,
      });
      return paged(
        rows.map((row) => written.text("dashboard list", row, (stored) => listed(scope, stored))),
        page,
        totalCount,
      );
    },
  }),

  declare({
    ...ofDashboard,
    name: "createDashboard",
    method: "POST",
    path: "/dashboard/create",
    ids: {},
    summary: "Makes a dashboard, which is empty or has the content of a template.",
    details:
      "Two dashboards may have one name. extend, mapping and iconSet come from the template where the body has none; " +
      "tags come from both. A chart without a place gets one: three in a row, 8 wide and 9 high.",
    body: creation,
    answer: createdDashboard,
    examples: examples.create,
    handle: async ({ metadata, scope, body, setEtag }) => {
      const stored = await createDashboard(metadata, scope, body);
      setEtag(stored);
      return created(scope, stored);
    },
  }),

  declare({
    ...ofDashboard,
    name: "getDashboard",
    method: "GET",
    path: "/dashboard/{dashboard}/get",
    summary: "Gets a dashboard.",
    query: {
      withCharts: optional(bool({ about: "whether the answer contains charts and variables", default: false })),
    },
    answer: gotDashboard,
    examples: examples.get,
    handle: async ({ metadata, written, scope, ids: { dashboard }, query, setEtag }) => {
      if (query.withCharts !== true) {
        const stored = found(await dashboards(metadata).get(scope, dashboard), dashboard);
        setEtag(stored);
        return written.text("dashboard", stored, (each) => got(scope, each));
      }
      const { stored, content } = await wholeDashboard(metadata, scope, dashboard);
      setEtag(stored);
      return { ...got(scope, stored), ...chartsAndVars(stored.document, content) };
    },
  }),

  declare({
    ...ofDashboard,
    name: "modifyDashboard",
    method: "POST",
    path: "/dashboard/{dashboard}/modify",
    summary: "Changes a dashboard; members that are absent stay as they are.",
    details: "Lists and objects are replaced whole. Without If-Match the last writer of a member wins.",
    headers: { "If-Match": ifMatchAbout },
    body: modification,
    answer: modifiedDashboard,
    examples: examples.modify,
    handle: async ({ metadata, services, scope, ids: { dashboard }, body, header, setEtag }) => {
      // Checks that the dashboard exists before any tag is created, so that no tags are created for a missing
      // dashboard.
      found(await dashboards(metadata).get(scope, dashboard), dashboard);
      const { tagNames, ...members } = body;
      const tags = tagNames === undefined ? undefined : await tagsNamed(metadata, scope, tagNames);
      const wanted = { ...declaredOnly(members), ...(tags === undefined ? {} : { tags }) };
      const changed = found(
        await dashboards(metadata).change(scope, dashboard, (stored) => {
          checkUnchanged(header, stored, services.now());
          return changeTo(scope, stored.document, wanted);
        }),
        dashboard,
      );
      setEtag(changed.after);
      return modified(scope, changed);
    },
  }),

  declare({
    ...ofDashboard,
    name: "deleteDashboard",
    method: "POST",
    path: "/dashboard/{dashboard}/delete",
    summary: "Deletes a dashboard with its charts and variables.",
    answer: mapOf(text(), { about: "its identifier and its name" }),
    examples: examples.remove,
    handle: async ({ metadata, scope, ids: { dashboard } }) => {
      const removed = found(await dashboards(metadata).remove(scope, dashboard), dashboard);
      return { [dashboard]: removed.document.name };
    },
  }),
];

export async function createDashboard(metadata: Metadata, scope: Scope, body: Creation): Promise<StoredDashboard> {
  const uuid = body.specifyDashboardUUID ?? newId("dsbd");
  const isTaken = () => duplicated("specifyDashboardUUID", uuid);
  // Checks that the requested identifier is free before any tag is created. If another request takes the
  // identifier after this check, the creation of the record below fails.
  if (body.specifyDashboardUUID !== undefined && (await dashboards(metadata).get(scope, uuid)) !== undefined) {
    throw isTaken();
  }
  const template: TemplateInfo = body.templateInfo ?? {};
  const { content, chartPos, chartGroupPos } = readTemplate(template);
  const tags = await tagsNamed(metadata, scope, [...(body.tagNames ?? []), ...tagNamesOf(template)]);
  const author = authorOf(scope);
  const document: DashboardDocument = {
    name: body.name,
    desc: body.desc ?? "",
    identifier: body.identifier ?? "",
    createdWay: "manual",
    chartPos,
    chartGroupPos,
    mapping: body.mapping ?? template.dashboardMapping ?? [],
    extend: body.extend ?? template.dashboardExtend ?? {},
    iconSet: template.iconSet ?? {},
    isPublic: body.isPublic ?? 1,
    permissionSet: body.permissionSet ?? [],
    readPermissionSet: body.readPermissionSet ?? [],
    tags,
    creator: author,
    updator: author,
  };
  const terms = tags.map(({ name }) => tagTerm(name));
  try {
    return await dashboards(metadata).create(scope, { uuid, name: body.name, terms, document, content });
  } catch (error) {
    throw error instanceof DuplicateRecord ? isTaken() : error;
  }
}

/** Returns a dashboard with its content. Throws ObjectNotFound. */
export async function wholeDashboard(
  metadata: Metadata,
  scope: Scope,
  uuid: string,
): Promise<{ readonly stored: StoredDashboard; readonly content: DashboardContent }> {
  const whole = found(await dashboards(metadata).whole(scope, uuid), uuid);
  return { stored: whole.stored, content: (whole.content as DashboardContent | undefined) ?? noContent };
}

/** Returns the new version of a dashboard after the given members were replaced, or undefined if nothing changes. */
export function changeTo(
  scope: Scope,
  document: DashboardDocument,
  members: Partial<DashboardDocument>,
): RecordChange<DashboardDocument> | undefined {
  const next = { ...document, ...members };
  if (JSON.stringify(next) === JSON.stringify(document)) return undefined;
  return {
    name: next.name,
    ...(members.tags === undefined ? {} : { terms: members.tags.map(({ name }) => tagTerm(name)) }),
    document: { ...next, updator: authorOf(scope) },
  };
}

/** Returns only the members that the schema declares, so that unknown members of a request are not stored. */
function declaredOnly(members: Omit<ValueOf<typeof modification>, "tagNames">): Partial<DashboardDocument> {
  const { name, desc, identifier, extend, mapping, isPublic, permissionSet, readPermissionSet } = members;
  const given = { name, desc, identifier, extend, mapping, isPublic, permissionSet, readPermissionSet };
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
}
