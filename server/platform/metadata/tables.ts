// The tables of the metadata store, as kysely knows them. Times of records are seconds, those of the audit log milliseconds.

import type { Generated, Selectable } from "kysely";

export interface Tables {
  workspaces: WorkspacesTable;
  keys: KeysTable;
  records: RecordsTable;
  record_terms: RecordTermsTable;
  record_contents: RecordContentsTable;
  audit: AuditTable;
  migrations: MigrationsTable;
}

export interface WorkspacesTable {
  id: Generated<number>;
  uuid: string;
  name: string;
  /** The workspace's name in the points store: a part of its token's digest. */
  points_id: string;
  create_at: number;
}

export interface KeysTable {
  id: Generated<number>;
  uuid: string;
  workspace: string;
  name: string;
  remark: string;
  /** Of the secret; the secret is not kept. */
  digest: string;
  /** JSON: names of roles. */
  roles: string;
  /** 0 in use, 2 disabled, 3 deleted. */
  status: number;
  creator: string;
  creator_name: string;
  create_at: number;
  update_at: number;
  /** -1 while alive. */
  delete_at: number;
}

/** Dashboards, pipelines, ...: whatever is a named document of a workspace. */
export interface RecordsTable {
  id: Generated<number>;
  workspace: string;
  kind: string;
  uuid: string;
  /** Goes up with every change. */
  version: number;
  status: number;
  /** Of kinds whose names are unique: the name; null is equal to nothing. */
  unique_name: string | null;
  /** What `search` looks in. */
  folded_name: string;
  create_at: number;
  update_at: number;
  /** JSON. */
  document: string;
}

/** What records are filtered by, such as the tags of a dashboard. */
export interface RecordTermsTable {
  record_id: number;
  term: string;
}

/** What is kept apart because lists do not read it, such as the charts of a dashboard. JSON. */
export interface RecordContentsTable {
  record_id: number;
  content: string;
}

export interface AuditTable {
  id: Generated<number>;
  at: number;
  workspace: string;
  /** Key that made the change, or `command line`. */
  actor: string;
  trace_id: string;
  /** `create`, `modify`, `delete`, ... */
  action: string;
  kind: string;
  uuid: string;
  /** JSON: members that changed, before and after. */
  change: string;
}

export interface MigrationsTable {
  name: string;
  applied_at: number;
}

export type RecordRow = Selectable<RecordsTable>;
export type KeyRow = Selectable<KeysTable>;
export type WorkspaceRow = Selectable<WorkspacesTable>;
export type AuditRow = Selectable<AuditTable>;
