// Workspaces of the metadata store: a name for people, an identifier for the Open API, and which points belong to it.

import type { Kysely } from "kysely";
import { changeOf, writeAudit } from "./audit.ts";
import { isDuplicate } from "./database.ts";
import { newId } from "./ids.ts";
import type { Scope } from "./scope.ts";
import type { Tables, WorkspaceRow } from "./tables.ts";
import { columnText } from "./text.ts";

export interface WorkspaceStore {
  byName(name: string): Promise<WorkspaceRow | undefined>;
  byUuid(uuid: string): Promise<WorkspaceRow | undefined>;
  byPoints(pointsId: string): Promise<WorkspaceRow | undefined>;
  /** In the order they were made. */
  all(): Promise<readonly WorkspaceRow[]>;
  /** Undefined when the name is taken, or the points have a workspace already. */
  create(name: string, pointsId: string, description?: string): Promise<WorkspaceRow | undefined>;
  /** Of the workspace of the scope; what is absent stays. Undefined when the name is taken. */
  modify(scope: Scope, change: WorkspaceChange): Promise<WorkspaceRow | undefined>;
}

export interface WorkspaceChange {
  readonly name?: string;
  readonly description?: string;
}

export function workspaceStore(db: Kysely<Tables>, nowMs: () => number): WorkspaceStore {
  const by = (column: "name" | "uuid" | "points_id") => (value: string) =>
    db.selectFrom("workspaces").where(column, "=", value).selectAll().executeTakeFirst();
  const byName = by("name");
  return {
    byName: (name) => byName(columnText(name)),
    byUuid: by("uuid"),
    byPoints: by("points_id"),
    all: () => db.selectFrom("workspaces").selectAll().orderBy("id").execute(),
    create: async (name, pointsId, description = "") => {
      try {
        return await db
          .insertInto("workspaces")
          .values({
            uuid: newId("wksp"),
            name: columnText(name),
            points_id: pointsId,
            create_at: Math.floor(nowMs() / 1000),
            description: columnText(description),
          })
          .returningAll()
          .executeTakeFirstOrThrow();
      } catch (error) {
        if (isDuplicate(error)) return undefined;
        throw error;
      }
    },
    modify: async (scope, change) => {
      const { workspace } = scope;
      try {
        return await db.transaction().execute(async (transaction) => {
          const own = transaction.selectFrom("workspaces").where("uuid", "=", workspace).selectAll();
          const before = await own.executeTakeFirstOrThrow();
          const { name, description } = { ...before, ...change };
          const after = await transaction
            .updateTable("workspaces")
            .set({ name: columnText(name), description: columnText(description) })
            .where("uuid", "=", workspace)
            .returningAll()
            .executeTakeFirstOrThrow();
          const changes = changeOf(before, after);
          if (Object.keys(changes).length > 0) {
            const entry = { action: "modify", kind: "workspace", uuid: workspace, change: changes };
            await writeAudit(transaction, scope, [entry], nowMs());
          }
          return after;
        });
      } catch (error) {
        if (isDuplicate(error)) return undefined;
        throw error;
      }
    },
  };
}
