// The API keys (docs/reference/open-api.md#a-key). Each key has a secret. The secret is returned only once, when
// the key is created; the store has only the digest of the secret.

import { auditStep } from "./audit.ts";
import { digestOf, newId, newSecret } from "./ids.ts";
import type { Scope } from "./scope.ts";
import type { MetadataStore, NewRow } from "./store.ts";
import type { KeyRow } from "./tables.ts";
import { columnText, foldedText, isSameText } from "./text.ts";

export const keyStatus = { inUse: 0, disabled: 2, deleted: 3 } as const;
const alive = [keyStatus.inUse, keyStatus.disabled];

/**
 * The workspace to which the keys belong, and the actor (an API key) that made the request to read or change
 * them.
 */
export type KeyScope = Pick<Scope, "workspace" | "actor" | "traceId">;

export interface NewKey {
  readonly name: string;
  readonly remark?: string;
  readonly roles: readonly string[];
}

/** The workspace and the API key to which a secret belongs. */
export type KeyOwner = Omit<Scope, "traceId">;

export interface KeyStore {
  create(scope: KeyScope, key: NewKey): Promise<{ readonly row: KeyRow; readonly secret: string }>;
  /**
   * Returns the workspace and the API key to which a secret belongs, or undefined when no active key has this
   * secret.
   */
  open(secret: string): Promise<KeyOwner | undefined>;
  /** Returns the keys that are not deleted, the most recently changed key first. */
  list(workspace: string): Promise<readonly KeyRow[]>;
  get(workspace: string, uuid: string): Promise<KeyRow | undefined>;
  /**
   * Revokes an API key: its secret gives no access from now on. Returns the key as it was before, or undefined when
   * there is no such key.
   */
  revoke(scope: KeyScope, uuid: string): Promise<KeyRow | undefined>;
}

export function keyStore(store: MetadataStore, nowMs: () => number): KeyStore {
  const get = async (workspace: string, uuid: string) =>
    (await store.find("keys", { workspace, uuid, status: alive }))[0];
  return {
    open: opener(store),
    get,
    create: async (scope, { name, remark = "", roles }) => {
      const now = nowMs();
      const seconds = Math.floor(now / 1000);
      const secret = newSecret();
      const row: NewRow<"keys"> = {
        uuid: newId("wsak"),
        workspace: scope.workspace,
        name: columnText(name),
        remark: columnText(remark),
        digest: digestOf(secret),
        roles: JSON.stringify(roles),
        status: keyStatus.inUse,
        creator: scope.actor.uuid,
        creator_name: columnText(scope.actor.name),
        create_at: seconds,
        update_at: seconds,
        delete_at: -1,
      };
      const change = { name: { after: name }, roles: { after: roles } };
      const written = await store.write([
        { insert: "keys", rows: [row] },
        auditStep(scope, [{ action: "create", kind: "key", uuid: row.uuid, change }], now),
      ]);
      if (!written.done) throw new Error("two keys have the same secret");
      return { row: { ...row, id: written.ids[0]![0]! }, secret };
    },
    list: async (workspace) => {
      const rows = await store.find("keys", { workspace, status: alive });
      return rows.toSorted((a, b) => b.update_at - a.update_at || b.id - a.id);
    },
    revoke: async (scope, uuid) => {
      const row = await get(scope.workspace, uuid);
      if (row === undefined) return undefined;
      const now = nowMs();
      const seconds = Math.floor(now / 1000);
      const change = { status: { before: row.status, after: keyStatus.deleted } };
      const written = await store.write([
        {
          update: "keys",
          set: { status: keyStatus.deleted, update_at: seconds, delete_at: seconds },
          where: { id: row.id, status: alive },
        },
        auditStep(scope, [{ action: "delete", kind: "key", uuid, change }], now),
      ]);
      return written.done ? row : undefined;
    },
  };
}

/** Maximum number of API keys in the cache. */
const rememberedKeys = 10_000;

/**
 * Returns a function that finds the API key with a given secret and caches the result. Every write to the
 * metadata store, by any process, changes the store's revision number; when the number has changed, the cache is
 * emptied. So a revoked key is refused from the next request on, even when another process has revoked it. When
 * the store has no revision number, nothing is cached.
 */
function opener(store: MetadataStore): KeyStore["open"] {
  const remembered = new Map<string, KeyOwner>();
  let revision: number | undefined;
  /**
   * The id under which the points store keeps the points of a workspace, by workspace. These ids never change, so
   * this cache cannot become outdated.
   */
  const points = new Map<string, string>();

  const pointsOf = async (workspace: string) => {
    const known = points.get(workspace);
    if (known !== undefined) return known;
    const [row] = await store.find("workspaces", { uuid: workspace });
    if (points.size >= rememberedKeys) points.clear();
    if (row !== undefined) points.set(workspace, row.points_id);
    return row?.points_id;
  };

  return async (secret) => {
    const digest = digestOf(secret);
    // The revision number is read before the key. So a cached key is never older than the revision number under
    // which it is cached.
    const now = store.revision();
    if (now !== revision || remembered.size >= rememberedKeys) remembered.clear();
    revision = now;
    const known = remembered.get(digest);
    if (known !== undefined) return known;
    const [row] = await store.find("keys", { digest });
    // The digest that the database has found is compared once more with `isSameText`, in constant time. How long the
    // database took to find it depends on the digest, but reveals nothing about the secret.
    if (row === undefined || !isSameText(row.digest, digest) || row.status !== keyStatus.inUse) return undefined;
    const pointsId = await pointsOf(row.workspace);
    if (pointsId === undefined) return undefined;
    const actor = { uuid: row.uuid, name: row.name, roles: JSON.parse(row.roles) as string[] };
    const opened = { workspace: row.workspace, pointsId, actor };
    if (now !== undefined && now === revision) remembered.set(digest, opened);
    return opened;
  };
}

/** Returns whether a key's name contains the searched string, ignoring case. */
export function keyMatches({ name }: KeyRow, search: string): boolean {
  return foldedText(name).includes(foldedText(search));
}
