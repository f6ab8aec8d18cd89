// The API key of this machine under `millrace start`: the agent of the same process uses it for its own page
// (docs/access.md#the-open-api-through-the-agent). It lives in memory only, and ends with the process.

import { digestOf, newSecret, pointsIdOf } from "./metadata/ids.ts";
import type { KeyOwner } from "./metadata/keys.ts";
import type { Metadata } from "./metadata/metadata.ts";
import type { WorkspaceRow } from "./metadata/tables.ts";
import { isSameText } from "./metadata/text.ts";

export interface LocalKey {
  readonly secret: string;
  /** The metadata store that also knows this key. */
  readonly metadata: Metadata;
}

/** The key may do what a person does on the page. It may not make keys or workspaces. */
const actor = { uuid: "this machine", name: "this machine", roles: ["general"] };

/** Name of the workspace that is made for the points of this machine when there is none yet. */
export const localWorkspaceName = "local";

/** Makes a key for the workspace with the points of this machine. `localToken`: the token of that workspace. */
export function openLocalKey(metadata: Metadata, localToken: string): LocalKey {
  const secret = newSecret();
  const digest = digestOf(secret);
  const pointsId = pointsIdOf(localToken);
  let owner: KeyOwner | undefined;
  const open = async (sent: string): Promise<KeyOwner | undefined> => {
    if (!isSameText(digestOf(sent), digest)) return await metadata.keys.open(sent);
    owner ??= { workspace: (await workspaceOf(metadata, pointsId)).uuid, pointsId, actor };
    return owner;
  };
  return { secret, metadata: { ...metadata, keys: { ...metadata.keys, open } } };
}

/**
 * Returns the workspace with the points of this machine; makes it when there is none. Other machines may share the
 * store and have taken the name, and another request may make the workspace at the same time.
 */
async function workspaceOf({ workspaces }: Metadata, pointsId: string): Promise<WorkspaceRow> {
  for (const name of [localWorkspaceName, `${localWorkspaceName}-${pointsId.slice(0, 8)}`]) {
    const made = (await workspaces.byPoints(pointsId)) ?? (await workspaces.create(name, pointsId));
    if (made !== undefined) return made;
  }
  const made = await workspaces.byPoints(pointsId);
  if (made === undefined) throw new Error("no workspace for the points of this machine can be made");
  return made;
}
