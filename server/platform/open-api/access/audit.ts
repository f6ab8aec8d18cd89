// The route that lists the audit log (who changed what) of a workspace, newest entry first. The Open API is
// compatible with an interface of another product. This route is an addition, which the other interface does not
// have.

import type { AuditRow } from "../../metadata/tables.ts";
import { paged, pageOf, pageParameters } from "../protocol/page.ts";
import { declareList, type Route } from "../protocol/route.ts";
import { anyObject, integer, type JsonObject, object, optional, text, type ValueOf } from "../protocol/schema.ts";

const entry = object({
  action: text({ about: "the action: create, modify, import, delete" }),
  actor: text({ about: "the API key that made the change, or `command line`" }),
  at: integer({ about: "time of the change, in ms since 1970" }),
  change: anyObject({ about: "changed members by name, each with the old and the new value" }),
  id: integer({ about: "number of the database row" }),
  kind: text({ about: "kind of the changed object: dashboard, tag, key, ..." }),
  traceId: text({ min: 0, about: "trace id of the request; empty for the command line" }),
  uuid: text({ about: "identifier of the changed object" }),
});

export const auditRoutes: readonly Route[] = [
  declareList({
    name: "listChanges",
    method: "GET",
    path: "/audit/list",
    group: "Audit log",
    summary: "Lists the audit log of the workspace (who changed what), the newest change first.",
    query: {
      uuid: optional(text({ max: 128, about: "identifier of an object; only changes of this object are listed" })),
      ...pageParameters,
    },
    answer: entry,
    examples: [
      {
        title: "Those of one dashboard",
        query: { uuid: "dsbd_541083cc19ec4d27ad597839a0477a97" },
        content: [
          {
            action: "modify",
            actor: "wsak_9a3f0c5d7e8b4a1296c3f8e7d6b5a401",
            at: 1700000100123,
            change: { name: { before: "API latency", after: "API latency, p99" } },
            id: 40,
            kind: "dashboard",
            traceId: "TRACE-26483481-16C2-4B24-ACAF-E743AADE2663",
            uuid: "dsbd_541083cc19ec4d27ad597839a0477a97",
          },
        ],
        totalCount: 1,
      },
    ],
    handle: async ({ metadata, scope, query }) => {
      const page = pageOf(query);
      const { rows, totalCount } = await metadata.audit({
        workspace: scope.workspace,
        ...(query.uuid === undefined ? {} : { uuid: query.uuid }),
        limit: page.pageSize,
        offset: (page.pageIndex - 1) * page.pageSize,
      });
      return paged(rows.map(shown), page, totalCount);
    },
  }),
];

function shown({ id, at, actor, trace_id: traceId, action, kind, uuid, change }: AuditRow): ValueOf<typeof entry> {
  return { action, actor, at, change: JSON.parse(change) as JsonObject, id, kind, traceId, uuid };
}
