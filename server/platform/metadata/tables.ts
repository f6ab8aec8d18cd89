// The rows of the metadata store. Times are seconds, changes of records microseconds, those of audit log and replays milliseconds.

export interface Tables {
  readonly workspaces: WorkspaceRow;
  readonly keys: KeyRow;
  readonly records: RecordRow;
  readonly record_terms: RecordTermRow;
  readonly record_contents: RecordContentRow;
  readonly audit: AuditRow;
  readonly replays: ReplayRow;
}

export interface WorkspaceRow {
  readonly id: number;
  readonly uuid: string;
  readonly name: string;
  /** The workspace's name in the points store: a part of its token's digest. Never changes. */
  readonly points_id: string;
  readonly create_at: number;
  readonly description: string;
}

export interface KeyRow {
  readonly id: number;
  readonly uuid: string;
  readonly workspace: string;
  readonly name: string;
  readonly remark: string;
  /** Of the secret; the secret is not kept. */
  readonly digest: string;
  /** JSON: names of roles. */
  readonly roles: string;
  /** 0 in use, 2 disabled, 3 deleted. */
  readonly status: number;
  readonly creator: string;
  readonly creator_name: string;
  readonly create_at: number;
  readonly update_at: number;
  /** -1 while alive. */
  readonly delete_at: number;
}

/** Dashboards, pipelines, ...: whatever is a named document of a workspace. */
export interface RecordRow {
  readonly id: number;
  readonly workspace: string;
  readonly kind: string;
  readonly uuid: string;
  /** Goes up with every change. */
  readonly version: number;
  readonly status: number;
  /** Of kinds whose names are unique: the name; null is equal to nothing. */
  readonly unique_name: string | null;
  /** What `search` looks in. */
  readonly folded_name: string;
  readonly create_at: number;
  readonly update_at: number;
  /** JSON. */
  readonly document: string;
}

/** What a list reads of a record. */
export type ListedRow = Omit<RecordRow, "workspace" | "kind" | "unique_name" | "folded_name">;

/** What records are filtered by, such as the tags of a dashboard. */
export interface RecordTermRow {
  readonly record_id: number;
  readonly term: string;
}

/** What is kept apart because lists do not read it, such as the charts of a dashboard. JSON. */
export interface RecordContentRow {
  readonly record_id: number;
  readonly content: string;
}

export interface AuditRow {
  readonly id: number;
  readonly at: number;
  readonly workspace: string;
  /** Key that made the change, or `command line`. */
  readonly actor: string;
  readonly trace_id: string;
  /** `create`, `modify`, `delete`, ... */
  readonly action: string;
  readonly kind: string;
  readonly uuid: string;
  /** JSON: members that changed, before and after. */
  readonly change: string;
}

/** The first answer to a request that carried an `Idempotency-Key`. */
export interface ReplayRow {
  readonly id: number;
  readonly at: number;
  /** The API key that sent it. */
  readonly actor: string;
  /** The header's value. */
  readonly name: string;
  /** Of method, path and body. */
  readonly request: string;
  /** The HTTP status; 0 while the request is worked on. */
  readonly status: number;
  /** The answer's text. */
  readonly answer: string;
  /** The answer's header ETag; "" when it has none. */
  readonly etag: string;
}
