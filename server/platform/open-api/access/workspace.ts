// The routes that read and change the workspace of an API key, list the members of the workspace, and create new
// workspaces (docs/reference/open-api.md).

import { newToken, pointsIdOf } from "../../metadata/ids.ts";
import type { Metadata } from "../../metadata/metadata.ts";
import type { KeyRow, WorkspaceRow } from "../../metadata/tables.ts";
import { duplicated } from "../protocol/errors.ts";
import { pagedOf, pageOf, pageParameters, searchParameter } from "../protocol/page.ts";
import { declare, declareList, type Route } from "../protocol/route.ts";
import { integer, list, object, optional, text, type ValueOf } from "../protocol/schema.ts";
import { accessKey, accessKeyExample, accessKeyRecord, keysNamed } from "./access-key.ts";
import { usualRoles } from "./authenticate.ts";
import { authorInfo } from "./author.ts";

const group = "Workspaces";

const recordMembers = {
  createAt: integer({ about: "time of creation, in seconds since 1970" }),
  desc: text({ min: 0, max: 2048 }),
  id: integer({ about: "number of the database row" }),
  memberCount: integer({ about: "number of API keys of the workspace" }),
  name: text({ max: 128, about: "unique name of the workspace" }),
  status: integer({ oneOf: [0] }),
  uuid: text({ about: "identifier: wksp_ and 32 hexadecimal digits" }),
  versionType: text({ oneOf: ["unlimited"], about: "always unlimited: no plan limits the workspace" }),
};
const workspaceSchema = object(recordMembers);
const newWorkspace = object({
  ...recordMembers,
  accessKey,
  token: text({ min: 0, about: "token with which agents write to the workspace; shown only once" }),
});

const memberSchema = object({
  createAt: integer({ about: "time of creation, in seconds since 1970" }),
  email: text({ min: 0 }),
  iconUrl: text({ min: 0 }),
  name: text({ min: 0 }),
  roles: list(object({ name: text(), uuid: text() })),
  status: integer({ oneOf: [0, 2], about: "status of the key: 0 in use, 2 disabled" }),
  updateAt: integer({ about: "time of the last change, in seconds since 1970" }),
  username: text(),
  uuid: text({ about: "identifier of the key, as in the members creator and updator of objects" }),
});

const shown: ValueOf<typeof workspaceSchema> = {
  createAt: 1_700_000_000,
  desc: "",
  id: 1,
  memberCount: 2,
  name: "shop",
  status: 0,
  uuid: "wksp_c4201f4ef30c4a86b01a998e7544096c",
  versionType: "unlimited",
};
const shownKey: ValueOf<typeof accessKey> = {
  ...accessKeyExample,
  createAt: 1_700_000_100,
  id: 3,
  name: "first key",
  remark: "",
  roleUUIDs: ["wsAdmin"],
  sk: "aD8eXq2mVb7LkT0wRz5HsYc1NgPu6JfE",
  updateAt: 1_700_000_100,
  workspaceUUID: "wksp_5d0e1f2a3b4c4d5e8f60718293a4b5c6",
};

export const workspaceRoutes: readonly Route[] = [
  declare({
    name: "getWorkspace",
    method: "GET",
    path: "/workspace/get",
    group,
    summary: "Gets the workspace of the API key.",
    answer: workspaceSchema,
    examples: [{ title: "The workspace of the key", content: shown }],
    handle: async ({ metadata, scope }) =>
      await recordOf(metadata, (await metadata.workspaces.byUuid(scope.workspace))!),
  }),

  declare({
    name: "modifyWorkspace",
    method: "POST",
    path: "/workspace/modify",
    group,
    summary: "Changes the name or the description of the API key's workspace.",
    details: "Members that are absent stay as they are. Keys that are owner or wsAdmin can call it.",
    isForAdmins: true,
    body: object({
      name: optional(text({ max: 128 })),
      desc: optional(text({ min: 0, max: 2048 })),
    }),
    answer: workspaceSchema,
    examples: [
      {
        title: "Another description",
        body: { desc: "the web shop and what it runs on" },
        content: { ...shown, desc: "the web shop and what it runs on" },
      },
    ],
    handle: async ({ metadata, scope, body: { name, desc } }) => {
      const row = await metadata.workspaces.modify(scope, {
        ...(name === undefined ? {} : { name }),
        ...(desc === undefined ? {} : { description: desc }),
      });
      if (row === undefined) throw duplicated("name", name!);
      return await recordOf(metadata, row);
    },
  }),

  declare({
    name: "createWorkspace",
    method: "POST",
    path: "/workspace/create",
    group,
    summary: "Makes a workspace, with a first API key.",
    details:
      "The token and the secret of the key are shown in this answer only. Keys that are owner or wsAdmin can call it; " +
      "the key that does sees nothing of the new workspace.",
    isForAdmins: true,
    secrets: ["token", "accessKey.sk"],
    body: object({
      name: text({ max: 128 }),
      desc: optional(text({ min: 0, max: 2048, default: "" })),
    }),
    answer: newWorkspace,
    examples: [
      {
        title: "A workspace for tests",
        body: { name: "staging" },
        content: {
          ...shown,
          id: 2,
          name: "staging",
          createAt: shownKey.createAt,
          memberCount: 1,
          uuid: shownKey.workspaceUUID,
          accessKey: shownKey,
          token: "tkn_7f3a9c1e5b2d4860a1c3e5f708192a3b",
        },
      },
    ],
    handle: async ({ metadata, scope, body: { name, desc } }) => {
      const token = newToken();
      const row = await metadata.workspaces.create(name, pointsIdOf(token), desc);
      if (row === undefined) throw duplicated("name", name);
      const made = await metadata.keys.create(
        { ...scope, workspace: row.uuid },
        { name: "first key", roles: usualRoles },
      );
      return { ...(await recordOf(metadata, row)), accessKey: accessKeyRecord(made.row, made.secret), token };
    },
  }),

  declareList({
    name: "listMembers",
    method: "GET",
    path: "/workspace/members/list",
    group,
    summary: "Lists the API keys of the workspace as its members.",
    details: "There are no accounts: the members of a workspace are its API keys.",
    query: { search: searchParameter, ...pageParameters },
    answer: memberSchema,
    examples: [
      {
        title: "One member",
        content: [
          {
            createAt: shownKey.createAt,
            email: "",
            iconUrl: "",
            name: shownKey.name,
            roles: [{ name: "wsAdmin", uuid: "wsAdmin" }],
            status: 0,
            updateAt: shownKey.updateAt,
            username: `AK(${shownKey.uuid})`,
            uuid: shownKey.uuid,
          },
        ],
        totalCount: 1,
      },
    ],
    handle: async ({ metadata, scope, query }) => {
      const keys = await keysNamed(metadata, scope, query.search);
      return pagedOf(keys.map(memberOf), pageOf(query));
    },
  }),
];

async function recordOf(metadata: Metadata, row: WorkspaceRow): Promise<ValueOf<typeof workspaceSchema>> {
  const keys = await metadata.keys.list(row.uuid);
  return {
    createAt: row.create_at,
    desc: row.description,
    id: row.id,
    memberCount: keys.length,
    name: row.name,
    status: 0,
    uuid: row.uuid,
    versionType: "unlimited",
  };
}

function memberOf(row: KeyRow): ValueOf<typeof memberSchema> {
  const roles = JSON.parse(row.roles) as string[];
  return {
    createAt: row.create_at,
    ...authorInfo(row),
    roles: roles.map((role) => ({ name: role, uuid: role })),
    status: row.status as 0 | 2,
    updateAt: row.update_at,
    uuid: row.uuid,
  };
}
