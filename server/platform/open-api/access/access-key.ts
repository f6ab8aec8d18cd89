// The routes for API keys (docs/reference/open-api.md#a-key). The secret of a key is returned only once, in the
// answer that creates the key.

import { keyMatches } from "../../metadata/keys.ts";
import type { Metadata } from "../../metadata/metadata.ts";
import type { Scope } from "../../metadata/scope.ts";
import type { KeyRow } from "../../metadata/tables.ts";
import { found, invalidParameter, OpenApiError } from "../protocol/errors.ts";
import { ownExample } from "../protocol/own-members.ts";
import { pagedOf, pageOf, pageParameters, searchParameter } from "../protocol/page.ts";
import { declare, declareList, idShape, type Route } from "../protocol/route.ts";
import { integer, list, mapOf, object, optional, text, type ValueOf } from "../protocol/schema.ts";
import { givenRoles, usualRoles } from "./authenticate.ts";
import { authorInfo, authorInfoSchema } from "./author.ts";

export const accessKeyIds = { key: idShape("wsak") };

const group = "Keys";

const recordMembers = {
  createAt: integer({ about: "time of creation, in seconds since 1970" }),
  creator: text({ min: 0, about: "the creator: an API key, `command line` or `seed`" }),
  creatorInfo: authorInfoSchema,
  deleteAt: integer({ about: "time of the deletion, in seconds since 1970; -1 while the object exists" }),
  id: integer({ about: "number of the database row" }),
  name: text({ min: 0, max: 256 }),
  remark: text({ min: 0, max: 512 }),
  roleUUIDs: list(text(), { about: "roles of the key; the key may do whatever one of them allows" }),
  sk: text({
    min: 0,
    about: "secret of the key, only in the answer that creates the key; else empty, as it is not stored",
  }),
  status: integer({ oneOf: [0, 2], about: "status of the key: 0 in use, 2 disabled" }),
  updateAt: integer({ about: "time of the last change, in seconds since 1970" }),
  uuid: text({ about: "identifier: wsak_ and 32 hexadecimal digits" }),
  workspaceUUID: text({ about: "identifier of the object's workspace" }),
};
export const accessKey = object(recordMembers);

export function accessKeyRecord(row: KeyRow, secret = ""): ValueOf<typeof accessKey> {
  return {
    createAt: row.create_at,
    creator: row.creator,
    creatorInfo: authorInfo({ uuid: row.creator, name: row.creator_name }),
    deleteAt: row.delete_at,
    id: row.id,
    name: row.name,
    remark: row.remark,
    roleUUIDs: JSON.parse(row.roles) as string[],
    sk: secret,
    status: row.status as 0 | 2,
    updateAt: row.update_at,
    uuid: row.uuid,
    workspaceUUID: row.workspace,
  };
}

const { updator: _updator, updatorInfo: _updatorInfo, ...own } = ownExample("wsak_0c5e7b1f2a3d4c6e8f90a1b2c3d4e5f6");
export const accessKeyExample: ValueOf<typeof accessKey> = {
  ...own,
  id: 2,
  name: "reports",
  remark: "reads dashboards",
  roleUUIDs: ["readOnly"],
  sk: "",
  status: 0,
};
const shown = accessKeyExample;

export const accessKeyRoutes: readonly Route[] = [
  declareList({
    name: "listAccessKeys",
    method: "GET",
    path: "/workspace/accesskey/list",
    group,
    summary: "Lists the API keys of the workspace, the newest first.",
    query: { search: searchParameter, ...pageParameters },
    answer: accessKey,
    examples: [{ title: "One key", query: { search: "report" }, content: [shown], totalCount: 1 }],
    handle: async ({ metadata, scope, query }) => {
      const keys = await keysNamed(metadata, scope, query.search);
      return pagedOf(
        keys.map((row) => accessKeyRecord(row)),
        pageOf(query),
      );
    },
  }),

  declare({
    name: "addAccessKey",
    method: "POST",
    path: "/workspace/accesskey/add",
    group,
    summary: "Makes an API key.",
    details: "The answer is the only place that shows its secret. Keys that are owner or wsAdmin can make keys.",
    isForAdmins: true,
    secrets: ["sk"],
    body: object({
      name: text({ max: 256 }),
      remark: optional(text({ min: 0, max: 512, default: "" })),
      roleUUIDs: optional(
        list(text({ oneOf: givenRoles }), { default: usualRoles, about: "roles that the new key gets, at least one" }),
      ),
    }),
    answer: accessKey,
    examples: [
      {
        title: "A key that can only read",
        body: { name: "reports", remark: "reads dashboards", roleUUIDs: ["readOnly"] },
        content: { ...shown, sk: "aD8eXq2mVb7LkT0wRz5HsYc1NgPu6JfE" },
      },
    ],
    handle: async ({ metadata, scope, body }) => {
      const roles = [...new Set<string>(body.roleUUIDs ?? usualRoles)];
      if (roles.length === 0) throw invalidParameter("roleUUIDs", "must not be empty");
      const { row, secret } = await metadata.keys.create(scope, {
        name: body.name,
        remark: body.remark ?? "",
        roles,
      });
      return accessKeyRecord(row, secret);
    },
  }),

  declare({
    name: "getAccessKey",
    method: "GET",
    path: "/workspace/accesskey/{key}/get",
    ids: accessKeyIds,
    group,
    summary: "Gets an API key, without its secret.",
    answer: accessKey,
    examples: [{ title: "A key", ids: { key: shown.uuid }, content: shown }],
    handle: async ({ metadata, scope, ids }) => accessKeyRecord(await keyOf(ids.key, { metadata, scope })),
  }),

  declare({
    name: "deleteAccessKey",
    method: "POST",
    path: "/workspace/accesskey/{key}/delete",
    ids: accessKeyIds,
    group,
    summary: "Deletes an API key, which gives no access from then on.",
    details: "Keys that are owner or wsAdmin can delete keys; a key that is owner, only such a key.",
    isForAdmins: true,
    answer: mapOf(text({ min: 0 }), { about: "the name, under the identifier" }),
    examples: [{ title: "Delete", ids: { key: shown.uuid }, content: { [shown.uuid]: shown.name } }],
    handle: async ({ metadata, scope, ids }) => {
      const { roles } = await keyOf(ids.key, { metadata, scope });
      if ((JSON.parse(roles) as string[]).includes("owner") && !scope.actor.roles.includes("owner")) {
        throw new OpenApiError("NoPermission");
      }
      const revoked = found(await metadata.keys.revoke(scope, ids.key), ids.key);
      return { [revoked.uuid]: revoked.name };
    },
  }),
];

/**
 * Returns the API keys of the workspace whose names contain the searched string, or all keys when the string is empty.
 */
export async function keysNamed(metadata: Metadata, { workspace }: Scope, search = ""): Promise<readonly KeyRow[]> {
  return (await metadata.keys.list(workspace)).filter((row) => keyMatches(row, search));
}

async function keyOf(
  uuid: string,
  { metadata, scope }: { readonly metadata: Metadata; readonly scope: Scope },
): Promise<KeyRow> {
  return found(await metadata.keys.get(scope.workspace, uuid), uuid);
}
