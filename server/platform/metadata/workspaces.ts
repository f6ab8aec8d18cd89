// Workspaces of the metadata store: a name for people, an identifier for the Open API, and which points belong to it.

import type { Kysely } from "kysely";
import { isDuplicate } from "./database.ts";
import { newId } from "./ids.ts";
import type { Tables, WorkspaceRow } from "./tables.ts";
import { columnText } from "./text.ts";

export interface WorkspaceStore {
  byName(name: string): Promise<WorkspaceRow | undefined>;
  byUuid(uuid: string): Promise<WorkspaceRow | undefined>;
  byPoints(pointsId: string): Promise<WorkspaceRow | undefined>;
  /** In the order they were made. */
  all(): Promise<readonly WorkspaceRow[]>;
  /** Undefined when the name is taken, or the points have a workspace already. */
  create(name: string, pointsId: string): Promise<WorkspaceRow | undefined>;
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
    create: async (name, pointsId) => {
      try {
        return await db
          .insertInto("workspaces")
          .values({
            uuid: newId("wksp"),
            name: columnText(name),
            points_id: pointsId,
            create_at: Math.floor(nowMs() / 1000),
          })
          .returningAll()
          .executeTakeFirstOrThrow();
      } catch (error) {
        if (isDuplicate(error)) return undefined;
        throw error;
      }
    },
  };
}
