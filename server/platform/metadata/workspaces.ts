// Workspaces in the metadata store. A workspace has a name for people, an identifier for the Open API, and an id under
// which the points store keeps its points.

import { auditStep, changeOf } from "./audit.ts";
import { newId } from "./ids.ts";
import type { Scope } from "./scope.ts";
import type { MetadataStore, Where } from "./store.ts";
import type { WorkspaceRow } from "./tables.ts";
import { columnText } from "./text.ts";

export interface WorkspaceStore {
  byName(name: string): Promise<WorkspaceRow | undefined>;
  byUuid(uuid: string): Promise<WorkspaceRow | undefined>;
  byPoints(pointsId: string): Promise<WorkspaceRow | undefined>;
  /** Returns all workspaces in the order of their creation. */
  all(): Promise<readonly WorkspaceRow[]>;
  /**
   * Creates a workspace. Returns undefined when the name is taken, or when another workspace already has this
   * `pointsId` (the id under which the points store keeps a workspace's points).
   */
  create(name: string, pointsId: string, description?: string): Promise<WorkspaceRow | undefined>;
  /**
   * Changes the workspace in `scope`. Members that are absent in `change` stay as they are. Returns undefined when
   * another workspace has the new name.
   */
  modify(scope: Scope, change: WorkspaceChange): Promise<WorkspaceRow | undefined>;
}

export interface WorkspaceChange {
  readonly name?: string;
  readonly description?: string;
}

export function workspaceStore(store: MetadataStore, nowMs: () => number): WorkspaceStore {
  const by = async (where: Where<"workspaces">) => (await store.find("workspaces", where))[0];
  return {
    byName: (name) => by({ name: columnText(name) }),
    byUuid: (uuid) => by({ uuid }),
    byPoints: (pointsId) => by({ points_id: pointsId }),
    all: () => store.find("workspaces", {}),
    create: async (name, pointsId, description = "") => {
      const row = {
        uuid: newId("wksp"),
        name: columnText(name),
        points_id: pointsId,
        create_at: Math.floor(nowMs() / 1000),
        description: columnText(description),
      };
      const written = await store.write([{ insert: "workspaces", rows: [row] }]);
      return written.done ? { ...row, id: written.ids[0]![0]! } : undefined;
    },
    modify: async (scope, { name, description }) => {
      const set = {
        ...(name === undefined ? {} : { name: columnText(name) }),
        ...(description === undefined ? {} : { description: columnText(description) }),
      };
      for (;;) {
        const before = (await by({ uuid: scope.workspace }))!;
        const after = { ...before, ...set };
        const change = changeOf(before, after);
        if (Object.keys(change).length === 0) return before;
        const written = await store.write([
          // The update has a condition: the columns must still have the values that were read before. So the update
          // fails
          // if another request has changed them in the meantime, and the audit log never contains wrong old values.
          {
            update: "workspaces",
            set,
            where: { uuid: before.uuid, name: before.name, description: before.description },
          },
          auditStep(scope, [{ action: "modify", kind: "workspace", uuid: before.uuid, change }], nowMs()),
        ]);
        if (written.done) return after;
        if (written.why === "duplicate") return undefined;
      }
    },
  };
}
