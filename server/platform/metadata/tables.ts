// The types of the rows in the metadata tables. Times are in seconds since 1970, with two exceptions: the time
// when a record was changed is in microseconds, and times in the audit log and of stored answers are in
// milliseconds.

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
  /**
   * The id under which the points store keeps the workspace's points: a part of the digest of the workspace's token. It
   * never changes.
   */
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
  /** The digest of the API key's secret; the secret itself is not stored. */
  readonly digest: string;
  /** The names of the API key's roles, as a JSON list. */
  readonly roles: string;
  /** The status of the API key: 0 in use, 2 disabled, 3 deleted. */
  readonly status: number;
  readonly creator: string;
  readonly creator_name: string;
  readonly create_at: number;
  readonly update_at: number;
  /** The time at which the API key was deleted, in seconds since 1970; -1 while the key exists. */
  readonly delete_at: number;
}

/** A record: a dashboard, a pipeline, or any other named document of a workspace. */
export interface RecordRow {
  readonly id: number;
  readonly workspace: string;
  readonly kind: string;
  readonly uuid: string;
  /** The version number of the record, which goes up with every change. */
  readonly version: number;
  readonly status: number;
  /**
   * The name of the record, if records of its kind must have unique names. Otherwise null, so that the unique
   * index ignores the row.
   */
  readonly unique_name: string | null;
  /** The name of the record in lower case. A search for records compares its search text with this column. */
  readonly folded_name: string;
  readonly create_at: number;
  readonly update_at: number;
  /** The document of the record, as JSON text. */
  readonly document: string;
}

/** The columns of a record that are read for a list of records. */
export type ListedRow = Omit<RecordRow, "workspace" | "kind" | "unique_name" | "folded_name">;

/** A string by which records are filtered, such as a tag of a dashboard. */
export interface RecordTermRow {
  readonly record_id: number;
  readonly term: string;
}

/**
 * The content of a record, as JSON, such as the charts of a dashboard. It is not needed for a list of records,
 * so it is stored in a table of its own, which is not read for lists.
 */
export interface RecordContentRow {
  readonly record_id: number;
  readonly content: string;
}

export interface AuditRow {
  readonly id: number;
  readonly at: number;
  readonly workspace: string;
  /** The API key that made the change, or `command line`. */
  readonly actor: string;
  readonly trace_id: string;
  /** The name of the action: `create`, `modify`, `delete`, ... */
  readonly action: string;
  readonly kind: string;
  readonly uuid: string;
  /** The changed members with their values before and after, as JSON. */
  readonly change: string;
}

/** The stored answer to a request with the header `Idempotency-Key`. */
export interface ReplayRow {
  readonly id: number;
  readonly at: number;
  /** The uuid of the API key that sent the request. */
  readonly actor: string;
  /** The value of the header `Idempotency-Key`. */
  readonly name: string;
  /** A digest of method, path, If-Match and body of the request to which the answer belongs. */
  readonly request: string;
  /** The HTTP status of the answer; 0 while the request is being handled. */
  readonly status: number;
  /** The body of the stored answer. */
  readonly answer: string;
  /** The ETag header of the answer; "" when the answer has none. */
  readonly etag: string;
}
