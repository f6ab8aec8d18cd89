// The audit log: who changed what and when. An entry is written in the transaction of the change it tells of.

import type { Kysely, Transaction } from "kysely";
import type { Scope } from "./scope.ts";
import type { AuditRow, Tables } from "./tables.ts";

export interface AuditEntry {
  readonly action: string;
  readonly kind: string;
  readonly uuid: string;
  readonly change: Change;
}

/** By the name of a member: what it was and what it is now; undefined where it was or is not there. */
export type Change = Readonly<Record<string, { readonly before?: unknown; readonly after?: unknown }>>;

export async function writeAudit(
  db: Transaction<Tables>,
  { workspace, actor, traceId }: Pick<Scope, "workspace" | "actor" | "traceId">,
  { action, kind, uuid, change }: AuditEntry,
  atMs: number,
): Promise<void> {
  await db
    .insertInto("audit")
    .values({
      at: atMs,
      workspace,
      actor: actor.uuid,
      trace_id: traceId,
      action,
      kind,
      uuid,
      change: JSON.stringify(change),
    })
    .execute();
}

/** The members that differ. */
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

export interface AuditQuestion {
  readonly workspace: string;
  readonly uuid?: string;
  readonly limit: number;
  readonly offset: number;
}

/** Newest first. */
export async function readAudit(
  db: Kysely<Tables>,
  { workspace, uuid, limit, offset }: AuditQuestion,
): Promise<{ readonly rows: readonly AuditRow[]; readonly totalCount: number }> {
  let matching = db.selectFrom("audit").where("workspace", "=", workspace);
  if (uuid !== undefined) matching = matching.where("uuid", "=", uuid);
  const { count } = await matching.select((each) => each.fn.countAll<number>().as("count")).executeTakeFirstOrThrow();
  const rows = await matching.selectAll().orderBy("id", "desc").limit(limit).offset(offset).execute();
  return { rows, totalCount: count };
}
