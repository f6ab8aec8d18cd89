// Workspaces of the metadata store: a name for people, an identifier for the Open API, and which points belong to it.

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
          // As it was read: else the audit log would tell of another change.
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
