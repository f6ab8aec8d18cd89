// API keys (Open API document, 1.6). Of a secret only its digest is kept; it is told once, when the key is made.

import { timingSafeEqual } from "node:crypto";
import type { Kysely } from "kysely";
import { writeAudit } from "./audit.ts";
import { digestOf, newId, newSecret } from "./ids.ts";
import type { Actor, Scope } from "./scope.ts";
import type { KeyRow, Tables } from "./tables.ts";
import { columnText, foldedText } from "./text.ts";

export const keyStatus = { inUse: 0, disabled: 2, deleted: 3 } as const;

/** Whose keys, and who asks. */
export type KeyScope = Pick<Scope, "workspace" | "actor" | "traceId">;

export interface NewKey {
  readonly name: string;
  readonly remark?: string;
  readonly roles: readonly string[];
}

export interface KeyStore {
  create(scope: KeyScope, key: NewKey): Promise<{ readonly row: KeyRow; readonly secret: string }>;
  /** The workspace and the key that a secret opens; undefined for one that opens nothing (any more). */
  open(secret: string): Promise<Omit<Scope, "traceId"> | undefined>;
  /** Those that are alive; made last comes first. */
  list(workspace: string): Promise<readonly KeyRow[]>;
  get(workspace: string, uuid: string): Promise<KeyRow | undefined>;
  /** Makes it open nothing from now on. The key as it was; undefined when there is none (any more). */
  revoke(scope: KeyScope, uuid: string): Promise<KeyRow | undefined>;
}

export function keyStore(db: Kysely<Tables>, nowMs: () => number): KeyStore {
  const alive = (workspace: string) =>
    db.selectFrom("keys").where("workspace", "=", workspace).where("status", "!=", keyStatus.deleted);
  return {
    create: async (scope, { name, remark = "", roles }) => {
      const now = nowMs();
      const seconds = Math.floor(now / 1000);
      const secret = newSecret();
      const row = await db.transaction().execute(async (transaction) => {
        const made = await transaction
          .insertInto("keys")
          .values({
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
          })
          .returningAll()
          .executeTakeFirstOrThrow();
        const change = { name: { after: name }, roles: { after: roles } };
        await writeAudit(transaction, scope, { action: "create", kind: "key", uuid: made.uuid, change }, now);
        return made;
      });
      return { row, secret };
    },
    open: async (secret) => {
      const digest = digestOf(secret);
      const row = await db
        .selectFrom("keys")
        .innerJoin("workspaces", "workspaces.uuid", "keys.workspace")
        .where("digest", "=", digest)
        .select([
          "keys.uuid",
          "keys.name",
          "keys.roles",
          "keys.status",
          "keys.workspace",
          "keys.digest",
          "workspaces.points_id",
        ])
        .executeTakeFirst();
      // The index has compared digests, which tell nothing about secrets; this comparison takes the same time always.
      if (row === undefined || !timingSafeEqual(Buffer.from(row.digest), Buffer.from(digest))) return undefined;
      if (row.status !== keyStatus.inUse) return undefined;
      const actor: Actor = { uuid: row.uuid, name: row.name, roles: JSON.parse(row.roles) as string[] };
      return { workspace: row.workspace, pointsId: row.points_id, actor };
    },
    list: (workspace) => alive(workspace).selectAll().orderBy("update_at", "desc").orderBy("id", "desc").execute(),
    get: (workspace, uuid) => alive(workspace).where("uuid", "=", uuid).selectAll().executeTakeFirst(),
    revoke: (scope, uuid) => {
      const now = nowMs();
      const seconds = Math.floor(now / 1000);
      return db.transaction().execute(async (transaction) => {
        const row = await transaction
          .updateTable("keys")
          .set({ status: keyStatus.deleted, update_at: seconds, delete_at: seconds })
          .where("workspace", "=", scope.workspace)
          .where("uuid", "=", uuid)
          .where("status", "!=", keyStatus.deleted)
          .returningAll()
          .executeTakeFirst();
        if (row === undefined) return undefined;
        const change = { status: { before: keyStatus.inUse, after: keyStatus.deleted } };
        await writeAudit(transaction, scope, { action: "delete", kind: "key", uuid, change }, now);
        return row;
      });
    },
  };
}

/** Whether a key's name holds a text, in upper or lower case. */
export function keyMatches({ name }: KeyRow, search: string): boolean {
  return foldedText(name).includes(foldedText(search));
}
