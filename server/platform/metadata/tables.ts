// The rows of the metadata store. Times are seconds since 1970; changes of records have microseconds, audit log and
// replays milliseconds.

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
  /** The workspace's id in the points store: a part of its token's digest. It never changes. */
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
  /** The digest of the secret; the secret itself is not stored. */
  readonly digest: string;
  /** The names of roles, as JSON. */
  readonly roles: string;
  /** 0 in use, 2 disabled, 3 deleted. */
  readonly status: number;
  readonly creator: string;
  readonly creator_name: string;
  readonly create_at: number;
  readonly update_at: number;
  /** The time of deletion; -1 while the key exists. */
  readonly delete_at: number;
}

/** A dashboard, a pipeline, or any other named document of a workspace. */
export interface RecordRow {
  readonly id: number;
  readonly workspace: string;
  readonly kind: string;
  readonly uuid: string;
  /** The version, which goes up with every change. */
  readonly version: number;
  readonly status: number;
  /** The name, for kinds whose names are unique; else null, which is equal to nothing. */
  readonly unique_name: string | null;
  /** The name in lower case, which `search` searches. */
  readonly folded_name: string;
  readonly create_at: number;
  readonly update_at: number;
  /** The document, as JSON. */
  readonly document: string;
}

/** The columns that a list reads. */
export type ListedRow = Omit<RecordRow, "workspace" | "kind" | "unique_name" | "folded_name">;

/** A term that records are filtered by, such as a tag of a dashboard. */
export interface RecordTermRow {
  readonly record_id: number;
  readonly term: string;
}

/** Content that lists do not read, such as the charts of a dashboard, as JSON. */
export interface RecordContentRow {
  readonly record_id: number;
  readonly content: string;
}

export interface AuditRow {
  readonly id: number;
  readonly at: number;
  readonly workspace: string;
  /** The key that made the change, or `command line`. */
  readonly actor: string;
  readonly trace_id: string;
  /** The action: `create`, `modify`, `delete`, ... */
  readonly action: string;
  readonly kind: string;
  readonly uuid: string;
  /** The changed members before and after, as JSON. */
  readonly change: string;
}

/** The first answer to a request that carried an `Idempotency-Key`. */
export interface ReplayRow {
  readonly id: number;
  readonly at: number;
  /** The uuid of the API key that sent the request. */
  readonly actor: string;
  /** The value of the header. */
  readonly name: string;
  /** A digest of method, path and body. */
  readonly request: string;
  /** The HTTP status of the answer; 0 while the request is worked on. */
  readonly status: number;
  /** The text of the answer. */
  readonly answer: string;
  /** The header ETag of the answer; "" when it has none. */
  readonly etag: string;
}
