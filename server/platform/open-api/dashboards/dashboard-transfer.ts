// Routes that export, import and copy dashboards (docs/reference/open-api.md#dashboards).

import { found } from "../protocol/errors.ts";
import { checkUnchanged } from "../protocol/if-match.ts";
import { declare, type Route } from "../protocol/route.ts";
import { object, optional, text } from "../protocol/schema.ts";
import { tagsNamed } from "../tags.ts";
import { changeTo, createDashboard, dashboards, ifMatchAbout, ofDashboard, wholeDashboard } from "./dashboard.ts";
import * as examples from "./dashboard-examples.ts";
import { created, createdDashboard } from "./dashboard-record.ts";
import { exportedTemplate, readTemplate, tagNamesOf, templateInfo, writeTemplate } from "./dashboard-template.ts";

const longestName = 128;
const copySuffix = "_copy";

export const dashboardTransferRoutes: readonly Route[] = [
  declare({
    ...ofDashboard,
    name: "exportDashboard",
    method: "GET",
    path: "/dashboard/{dashboard}/export",
    summary: "Exports a dashboard as a template.",
    answer: exportedTemplate,
    examples: examples.exported,
    handle: async ({ metadata, scope, ids }) => {
      const { stored, content } = await wholeDashboard(metadata, scope, ids.dashboard);
      return writeTemplate(stored.document, content);
    },
  }),

  declare({
    ...ofDashboard,
    name: "importDashboard",
    method: "POST",
    path: "/dashboard/{dashboard}/import",
    summary: "Replaces the content of a dashboard with the content of a template.",
    details:
      "Identifier and name stay; charts, variables and groups are made anew. What the template does not have of " +
      "dashboardExtend, dashboardMapping, iconSet and tagInfo stays. Without If-Match the content of the last writer stays.",
    headers: { "If-Match": ifMatchAbout },
    body: object({ templateInfo }),
    answer: createdDashboard,
    examples: examples.imported,
    handle: async ({ metadata, services, scope, ids: { dashboard }, body, header, setEtag }) => {
      const template = body.templateInfo;
      const { content, chartPos, chartGroupPos } = readTemplate(template);
      found(await dashboards(metadata).get(scope, dashboard), dashboard);
      const tags = template.tagInfo === undefined ? undefined : await tagsNamed(metadata, scope, tagNamesOf(template));
      const { dashboardExtend: extend, dashboardMapping: mapping, iconSet } = template;
      const changed = await dashboards(metadata).change(scope, dashboard, (stored) => {
        checkUnchanged(header, stored, services.now());
        const { document } = stored;
        const change = changeTo(scope, document, {
          createdWay: "import",
          chartPos,
          chartGroupPos,
          ...(extend === undefined ? {} : { extend }),
          ...(mapping === undefined ? {} : { mapping }),
          ...(iconSet === undefined ? {} : { iconSet }),
          ...(tags === undefined ? {} : { tags }),
        });
        return { name: document.name, document, ...change, content, action: "import" };
      });
      const { after } = found(changed, dashboard);
      setEtag(after);
      return created(scope, after);
    },
  }),

  declare({
    ...ofDashboard,
    name: "copyDashboard",
    method: "POST",
    path: "/dashboard/{dashboard}/copy",
    summary: "Makes a dashboard with the content of another dashboard.",
    details: "Who may see and change it stays the same. The identifier member is not copied.",
    body: object({ name: optional(text({ max: longestName, about: "name of the copy; default: <name>_copy" })) }),
    answer: createdDashboard,
    examples: examples.copied,
    handle: async ({ metadata, scope, ids, body }) => {
      const { stored, content } = await wholeDashboard(metadata, scope, ids.dashboard);
      const { name, desc, isPublic, permissionSet, readPermissionSet } = stored.document;
      const copy = await createDashboard(metadata, scope, {
        name: body.name ?? nameOfCopy(name),
        desc,
        templateInfo: writeTemplate(stored.document, content),
        isPublic,
        permissionSet,
        readPermissionSet,
      });
      return created(scope, copy);
    },
  }),
];

/** Returns the name for a copy of a dashboard, cut to the longest allowed name. */
function nameOfCopy(name: string): string {
  return [...name].slice(0, longestName - copySuffix.length).join("") + copySuffix;
}
