// The API key that `millrace start` creates. With this key, the agent gives its own web page access to the Open
// API of the platform in the same process (docs/access.md#the-open-api-through-the-agent). The key exists only
// in memory, until the process ends.

import { digestOf, newSecret, pointsIdOf } from "./metadata/ids.ts";
import type { KeyOwner } from "./metadata/keys.ts";
import type { Metadata } from "./metadata/metadata.ts";
import type { WorkspaceRow } from "./metadata/tables.ts";
import { isSameText } from "./metadata/text.ts";

export interface LocalKey {
  readonly secret: string;
  /**
   * The platform's metadata, wrapped so that the API key that exists only in memory is accepted in addition to the
   * stored keys.
   */
  readonly metadata: Metadata;
}

/**
 * The user in whose name all requests with the API key in memory are made. These requests may do everything that
 * a user can do on the agent's page, but they may not create keys or workspaces.
 */
const actor = { uuid: "this machine", name: "this machine", roles: ["general"] };

/**
 * Name of the workspace for the points of this machine. The workspace is created when no workspace holds these points
 * yet.
 */
export const localWorkspaceName = "local";

/**
 * Creates an API key for the workspace with the points of this machine. `localToken`: the token of this
 * workspace.
 */
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
 * Returns the workspace that holds the points of this machine. Creates the workspace when there is none. When another
 * machine that shares the store has taken the name, the new workspace gets a longer name. When another request creates
 * the workspace at the same time, returns that workspace.
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
