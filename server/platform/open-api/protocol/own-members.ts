// The members that every object of a workspace has in answers: its creator, its last change with time and
// author, and its workspace.

import type { StoredRecord } from "../../metadata/records.ts";
import type { Scope } from "../../metadata/scope.ts";
import { type Author, authorInfo, authorInfoSchema } from "../access/author.ts";
import { integer, text } from "./schema.ts";

/**
 * Returns the schemas of the members that every object has. `prefix`: the prefix of the identifiers, such as
 * `dsbd`.
 */
export function ownMembers(prefix: string) {
  return {
    createAt: integer({ about: "time of creation, in seconds since 1970" }),
    creator: text({ about: "the API key that created the object" }),
    creatorInfo: authorInfoSchema,
    deleteAt: integer({ about: "time of the deletion, in seconds since 1970; -1 while the object exists" }),
    id: integer({ about: "number of the database row" }),
    updateAt: integer({ about: "time of the last change, in seconds since 1970" }),
    updator: text({ about: "the API key that changed the object last" }),
    updatorInfo: authorInfoSchema,
    uuid: text({ about: `identifier: ${prefix}_ and 32 hexadecimal digits` }),
    workspaceUUID: text({ about: "identifier of the object's workspace" }),
  };
}

interface Authored {
  readonly creator: Author;
  readonly updator: Author;
}

export function ownValues(
  { workspace }: Pick<Scope, "workspace">,
  { document: { creator, updator }, uuid, id, createAt, updateAt }: StoredRecord<Authored>,
) {
  return {
    createAt,
    creator: creator.uuid,
    creatorInfo: authorInfo(creator),
    deleteAt: -1,
    id,
    updateAt,
    updator: updator.uuid,
    updatorInfo: authorInfo(updator),
    uuid,
    workspaceUUID: workspace,
  };
}

const exampleKey = "wsak_9aa1f7e8c3d24b6fa0e5d7c1b2a39485";
const exampleInfo = { email: "", iconUrl: "", name: "ci key", username: `AK(${exampleKey})` };

/** Returns example values of the members that every object has. */
export function ownExample(uuid: string) {
  return {
    createAt: 1_700_000_000,
    creator: exampleKey,
    creatorInfo: exampleInfo,
    deleteAt: -1,
    id: 1,
    updateAt: 1_700_000_000,
    updator: exampleKey,
    updatorInfo: exampleInfo,
    uuid,
    workspaceUUID: "wksp_c4201f4ef30c4a86b01a998e7544096c",
  };
}
