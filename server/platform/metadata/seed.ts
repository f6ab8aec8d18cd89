// Creates the workspaces and API keys that the operator listed in a seed file, with identifiers and secrets that the
// operator chose.

import { auditStep } from "./audit.ts";
import { digestOf } from "./ids.ts";
import { keyStatus } from "./keys.ts";
import type { Actor } from "./scope.ts";
import type { MetadataStore, Step } from "./store.ts";
import { columnText } from "./text.ts";

export interface Seed {
  readonly workspaces: readonly SeedWorkspace[];
  readonly keys: readonly SeedKey[];
}

export interface SeedWorkspace {
  /** The identifier of the workspace, `wksp_...`. */
  readonly uuid: string;
  readonly name: string;
  /** If the seed creates the workspace: the id under which the points store will keep its points. */
  readonly pointsId: string;
}

export interface SeedKey {
  /** The secret of the key; only its digest is stored. */
  readonly sk: string;
  /** The identifier of the key, `wsak_...`. */
  readonly uuid: string;
  readonly name: string;
  /**
   * The identifier of the workspace to which the key belongs. The seed creates this workspace, or it exists
   * already.
   */
  readonly workspaceUUID: string;
  readonly roles: readonly string[];
}

/** Thrown when another object in the store already has an identifier, a name or a secret that is in the seed. */
export class SeedConflict extends Error {}

const actor: Actor = { uuid: "seed", name: "seed", roles: [] };

/**
 * Creates all workspaces and keys of the seed that do not exist yet, or none of them. Never changes existing
 * objects, so a revoked key stays revoked. Several platforms may call this with the same seed at the same time.
 * Throws SeedConflict.
 */
export async function applySeed(store: MetadataStore, seed: Seed, nowMs: number): Promise<void> {
  for (let before: string | undefined; ; ) {
    const missing = await missingOf(store, seed);
    const written = await store.write([
      ...missing.workspaces.map((each) => workspaceStep(each, nowMs)),
      ...missing.keys.flatMap((each) => keySteps(each, nowMs)),
    ]);
    if (written.done) return;
    const [made, conflict] = conflictAt(missing, written.at);
    // The write has failed at the step that creates the object `made` (a workspace or a key). Either an existing
    // object is in conflict with the seed, or another platform has created the same object in the meantime. In the
    // second case, the object exists at the next attempt and is not created again. So a second failure at the same
    // object means a conflict.
    if (made === before) throw new SeedConflict(conflict);
    before = made;
  }
}

async function missingOf(store: MetadataStore, { workspaces, keys }: Seed): Promise<Seed> {
  const knownWorkspaces = await store.find("workspaces", { uuid: workspaces.map(({ uuid }) => uuid) });
  const known = new Set(knownWorkspaces.map(({ uuid }) => uuid));
  const rows = await store.find("keys", { uuid: keys.map(({ uuid }) => uuid) });
  const knownKeys = new Map(rows.map((row) => [row.uuid, row]));
  const planned = new Set(workspaces.map(({ uuid }) => uuid));
  for (const { uuid, sk, workspaceUUID } of keys) {
    const there = knownKeys.get(uuid);
    if (there !== undefined) {
      if (there.digest === digestOf(sk) && there.workspace === workspaceUUID) continue;
      throw new SeedConflict(`key ${uuid}: it is there with another secret or workspace`);
    }
    if (planned.has(workspaceUUID)) continue;
    const found = await store.find("workspaces", { uuid: workspaceUUID });
    if (found.length === 0) throw new SeedConflict(`key ${uuid}: there is no workspace ${workspaceUUID}`);
  }
  return {
    workspaces: workspaces.filter(({ uuid }) => !known.has(uuid)),
    keys: keys.filter(({ uuid }) => !knownKeys.has(uuid)),
  };
}

function workspaceStep({ uuid, name, pointsId }: SeedWorkspace, nowMs: number): Step {
  const seconds = Math.floor(nowMs / 1000);
  const row = { uuid, name: columnText(name), points_id: pointsId, create_at: seconds, description: "" };
  return { insert: "workspaces", rows: [row] };
}

function keySteps({ sk, uuid, name, workspaceUUID, roles }: SeedKey, nowMs: number): readonly Step[] {
  const seconds = Math.floor(nowMs / 1000);
  const row = {
    uuid,
    workspace: workspaceUUID,
    name: columnText(name),
    remark: "",
    digest: digestOf(sk),
    roles: JSON.stringify(roles),
    status: keyStatus.inUse,
    creator: actor.uuid,
    creator_name: actor.name,
    create_at: seconds,
    update_at: seconds,
    delete_at: -1,
  };
  const change = { name: { after: name }, roles: { after: roles } };
  const scope = { workspace: workspaceUUID, actor, traceId: "" };
  return [{ insert: "keys", rows: [row] }, auditStep(scope, [{ action: "create", kind: "key", uuid, change }], nowMs)];
}

/**
 * Returns the identifier of the object that the failed step should have created, and an error message. The
 * message says which value of this object (such as its name) is already in use by another object.
 */
function conflictAt({ workspaces, keys }: Seed, at: number): readonly [string, string] {
  const workspace = workspaces[at];
  if (workspace !== undefined) {
    return [workspace.uuid, `workspace ${workspace.uuid}: another workspace has its name or its points`];
  }
  const { uuid } = keys[Math.floor((at - workspaces.length) / 2)]!;
  return [uuid, `key ${uuid}: another key has its secret`];
}
