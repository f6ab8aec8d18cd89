// Workspaces and keys that are there from the start, with identifiers and secrets of the operator's choice.

import type { Kysely } from "kysely";
import { writeAudit } from "./audit.ts";
import { isDuplicate } from "./database.ts";
import { digestOf } from "./ids.ts";
import { keyStatus } from "./keys.ts";
import type { Actor } from "./scope.ts";
import type { Tables } from "./tables.ts";
import { columnText } from "./text.ts";

export interface Seed {
  readonly workspaces: readonly SeedWorkspace[];
  readonly keys: readonly SeedKey[];
}

export interface SeedWorkspace {
  /** `wksp_...`. */
  readonly uuid: string;
  readonly name: string;
  /** Which points it has, unless it is there already. */
  readonly pointsId: string;
}

export interface SeedKey {
  /** The secret; only its digest is kept. */
  readonly sk: string;
  /** `wsak_...`. */
  readonly uuid: string;
  readonly name: string;
  /** Of the seed, or one that is there already. */
  readonly workspaceUUID: string;
  readonly roles: readonly string[];
}

/** What a seed has that the store has otherwise. */
export class SeedConflict extends Error {}

const actor: Actor = { uuid: "seed", name: "seed", roles: [] };

/**
 * All of it or nothing. What is there already stays as it is, a revoked key revoked; also what another platform makes of the
 * same seed at the same time. Throws SeedConflict.
 */
export async function plantSeed(db: Kysely<Tables>, { workspaces, keys }: Seed, nowMs: number): Promise<void> {
  const seconds = Math.floor(nowMs / 1000);
  await db.transaction().execute(async (transaction) => {
    for (const { uuid, name, pointsId } of workspaces) {
      const there = await transaction.selectFrom("workspaces").where("uuid", "=", uuid).selectAll().executeTakeFirst();
      if (there !== undefined) continue;
      const row = { uuid, name: columnText(name), points_id: pointsId, create_at: seconds, description: "" };
      await orConflict(
        transaction
          .insertInto("workspaces")
          .values(row)
          .onConflict((conflict) => conflict.column("uuid").doNothing())
          .execute(),
        `workspace ${uuid}: another workspace has its name or its points`,
      );
    }
    for (const { sk, uuid, name, workspaceUUID, roles } of keys) {
      const digest = digestOf(sk);
      const there = await transaction.selectFrom("keys").where("uuid", "=", uuid).selectAll().executeTakeFirst();
      if (there !== undefined) {
        if (there.digest === digest && there.workspace === workspaceUUID) continue;
        throw new SeedConflict(`key ${uuid}: it is there with another secret or workspace`);
      }
      const workspace = await transaction
        .selectFrom("workspaces")
        .where("uuid", "=", workspaceUUID)
        .select("uuid")
        .executeTakeFirst();
      if (workspace === undefined) throw new SeedConflict(`key ${uuid}: there is no workspace ${workspaceUUID}`);
      const row = {
        uuid,
        workspace: workspaceUUID,
        name: columnText(name),
        remark: "",
        digest,
        roles: JSON.stringify(roles),
        status: keyStatus.inUse,
        creator: actor.uuid,
        creator_name: actor.name,
        create_at: seconds,
        update_at: seconds,
        delete_at: -1,
      };
      const made = await orConflict(
        transaction
          .insertInto("keys")
          .values(row)
          .onConflict((conflict) => conflict.column("uuid").doNothing())
          .returning("uuid")
          .executeTakeFirst(),
        `key ${uuid}: another key has its secret`,
      );
      if (made === undefined) continue;
      const change = { name: { after: name }, roles: { after: roles } };
      const scope = { workspace: workspaceUUID, actor, traceId: "" };
      await writeAudit(transaction, scope, [{ action: "create", kind: "key", uuid, change }], nowMs);
    }
  });
}

async function orConflict<T>(insertion: Promise<T>, message: string): Promise<T> {
  try {
    return await insertion;
  } catch (error) {
    throw isDuplicate(error) ? new SeedConflict(message) : error;
  }
}
