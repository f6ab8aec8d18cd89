// Reads the seed file of `millrace platform --seed`. The file lists workspaces and API keys. Those that do not
// exist yet are created in the metadata store.

import { newToken, pointsIdOf } from "./metadata/ids.ts";
import type { Metadata } from "./metadata/metadata.ts";
import { roles, usualRoles } from "./open-api/access/authenticate.ts";
import { idShape } from "./open-api/protocol/route.ts";
import { list, object, optional, text, type ValueOf } from "./open-api/protocol/schema.ts";
import { checkBody } from "./open-api/protocol/validate.ts";

const secret = "^[A-Za-z0-9_-]{8,128}$";
const workspaceId = text({ pattern: idShape("wksp").source });

const seedFile = object({
  workspaces: list(
    object({
      uuid: workspaceId,
      name: text({ max: 128 }),
      // The token of the workspace. The platform accepts it in addition to the token for the points of this machine.
      token: optional(text({ pattern: secret })),
    }),
  ),
  keys: list(
    object({
      sk: text({ pattern: secret }),
      uuid: text({ pattern: idShape("wsak").source }),
      name: text({ max: 256 }),
      workspaceUUID: workspaceId,
      roles: optional(list(text({ oneOf: roles }))),
    }),
  ),
});

export type SeedFile = ValueOf<typeof seedFile>;

/** Parses the seed file. Throws an Error that names the wrong member. */
export function parseSeed(json: string): SeedFile {
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch {
    // The message of the JSON parser is left out, because it could quote secrets from the file.
    throw new Error("not JSON");
  }
  const seed = checkBody(seedFile, value);
  for (const [at, { roles: own }] of seed.keys.entries()) {
    if (own?.length === 0) throw new Error(`keys[${at}].roles: must not be empty`);
  }
  return seed;
}

/**
 * Creates the workspaces and keys of the seed file that do not exist yet. A workspace for which the file has a
 * token gets the points that were written with this token. A workspace without a token gets the points of this
 * machine, unless another workspace already has them. In this case it gets a new random token and has no points
 * at first.
 */
export async function seedMetadata(metadata: Metadata, seed: SeedFile, localToken: string): Promise<void> {
  const local = pointsIdOf(localToken);
  let isLocalFree = (await metadata.workspaces.byPoints(local)) === undefined;
  const workspaces = [];
  for (const { uuid, name, token } of seed.workspaces) {
    const isThere = (await metadata.workspaces.byUuid(uuid)) !== undefined;
    const isLocal = !isThere && token === undefined && isLocalFree;
    if (isLocal) isLocalFree = false;
    workspaces.push({ uuid, name, pointsId: isLocal ? local : pointsIdOf(token ?? newToken()) });
  }
  const keys = seed.keys.map((key) => ({ ...key, roles: [...new Set<string>(key.roles ?? usualRoles)] }));
  await metadata.plant({ workspaces, keys });
}
