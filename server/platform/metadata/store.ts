// The interface of the stores that hold the metadata. A store has rows in tables, finds rows by equal values, and
// performs all steps of a change or none of them. The logic of keys, workspaces, records and audit log is written once,
// on top of this interface. So the two stores are short: one for SQL databases, one for memory in any runtime.

import type { AuditRow, ListedRow, Tables } from "./tables.ts";

export type TableName = keyof Tables;

/** A condition on columns: each must equal the given value, or one of the values when a list is given. */
export type Where<T extends TableName> = {
  readonly [C in keyof Tables[T]]?: Tables[T][C] | readonly Tables[T][C][];
};

export type NewRow<T extends TableName> = Omit<Tables[T], "id">;

interface Insert<T extends TableName> {
  readonly insert: T;
  readonly rows: readonly NewRow<T>[];
  /**
   * The index of an earlier step of the same write. That earlier step inserts exactly one row, and each row of this
   * step gets the id of that row in its column `record_id`.
   */
  readonly of?: number;
}

interface Update<T extends TableName> {
  readonly update: T;
  readonly set: Partial<NewRow<T>>;
  readonly where: Where<T>;
}

interface Delete<T extends TableName> {
  readonly delete: T;
  readonly where: Where<T>;
  /** Whether the whole write fails when this step finds no row that it could delete. */
  readonly mustBeThere?: boolean;
}

export type Step = { [T in TableName]: Insert<T> | Update<T> | Delete<T> }[TableName];

/**
 * The result of a write. `ids`: for each step the ids of the rows that it inserted. `at`: the index of the step that
 * failed, in which case no step took effect.
 */
export type Written =
  | { readonly done: true; readonly ids: readonly (readonly number[])[] }
  | { readonly done: false; readonly at: number; readonly why: "duplicate" | "absent" };

export interface RecordQuestion {
  readonly workspace: string;
  readonly kind: string;
  /** A substring of the column `folded_name`, already converted to lower case. Empty: all records. */
  readonly search: string;
  /** Terms of which a listed record must have at least one; an empty list does not filter. */
  readonly anyTerm: readonly string[];
  readonly limit: number;
  readonly offset: number;
}

export interface AuditQuestion {
  readonly workspace: string;
  readonly uuid?: string;
  readonly limit: number;
  readonly offset: number;
}

export interface RowPage<Row> {
  readonly rows: readonly Row[];
  /** The number of all matching rows, not only of the returned page. */
  readonly totalCount: number;
}

export interface MetadataStore {
  readonly kind: "memory" | "sqlite" | "postgres";
  /** Returns the rows of a table that match a condition, in the order of their insertion. */
  find<T extends TableName>(table: T, where: Where<T>): Promise<readonly Tables[T][]>;
  /** Returns a page of records: the most recently changed record first, and among equal times the newest row first. */
  listRecords(question: RecordQuestion): Promise<RowPage<ListedRow>>;
  /** Returns a page of the entries in the audit log, newest entry first. */
  listAudit(question: AuditQuestion): Promise<RowPage<AuditRow>>;
  /** Performs all steps of a write or none of them. An update must match exactly one row. */
  write(steps: readonly Step[]): Promise<Written>;
  /** Deletes the rows of a table whose column `at` is before the given time (ms since 1970). */
  forget(table: "audit" | "replays", beforeMs: number): Promise<void>;
  /**
   * Returns a number that changes whenever any process may have changed the data. Returns undefined when the store has
   * no such number; callers must then query the store each time.
   */
  revision(): number | undefined;
  close(): Promise<void>;
}

/** Thrown when the database refuses to work because it is full, locked or gone. */
export class StoreFailure extends Error {}
