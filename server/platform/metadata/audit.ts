// The audit log, which records who changed what and when. Each entry is written in the same transaction as the
// change that it describes.

import type { Scope } from "./scope.ts";
import type { Step } from "./store.ts";

export interface AuditEntry {
  readonly action: string;
  readonly kind: string;
  readonly uuid: string;
  readonly change: Change;
}

/**
 * The old value (`before`) and the new value (`after`) of each changed member, keyed by the member's name. An
 * added member has no `before`; a removed member has no `after`.
 */
export type Change = Readonly<Record<string, { readonly before?: unknown; readonly after?: unknown }>>;

export function auditStep(
  { workspace, actor, traceId }: Pick<Scope, "workspace" | "actor" | "traceId">,
  entries: readonly AuditEntry[],
  atMs: number,
): Step {
  const rows = entries.map(({ action, kind, uuid, change }) => ({
    at: atMs,
    workspace,
    actor: actor.uuid,
    trace_id: traceId,
    action,
    kind,
    uuid,
    change: JSON.stringify(change),
  }));
  return { insert: "audit", rows };
}

/** Compares two versions of an object. Returns the members whose values differ, with their old and new values. */
export function changeOf(before: object | undefined, after: object | undefined): Change {
  const was = new Map(Object.entries(before ?? {}));
  const is = new Map(Object.entries(after ?? {}));
  const change: Record<string, { before?: unknown; after?: unknown }> = {};
  for (const name of new Set([...was.keys(), ...is.keys()])) {
    if (JSON.stringify(was.get(name)) === JSON.stringify(is.get(name))) continue;
    change[name] = {
      ...(was.has(name) ? { before: was.get(name) } : {}),
      ...(is.has(name) ? { after: is.get(name) } : {}),
    };
  }
  return change;
}
