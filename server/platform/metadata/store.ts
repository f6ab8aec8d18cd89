// The interface of the stores that hold the metadata: rows in tables, found by equality, changed by steps that all
// happen or none. The logic of keys, workspaces, records and audit log is written once above it, so a store is small:
// SQL on a server, memory in any runtime.

import type { AuditRow, ListedRow, Tables } from "./tables.ts";

export type TableName = keyof Tables;

/** A condition on columns. A list matches any of its values. */
export type Where<T extends TableName> = {
  readonly [C in keyof Tables[T]]?: Tables[T][C] | readonly Tables[T][C][];
};

export type NewRow<T extends TableName> = Omit<Tables[T], "id">;

interface Insert<T extends TableName> {
  readonly insert: T;
  readonly rows: readonly NewRow<T>[];
  /** The number of an earlier step; each row's `record_id` is the id of the row which that step has made. */
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
  /** Whether the write fails when no row matches. */
  readonly mustBeThere?: boolean;
}

export type Step = { [T in TableName]: Insert<T> | Update<T> | Delete<T> }[TableName];

/**
 * The result of a write. `ids`: for each step the ids of the rows it made. `at`: the step that failed; then no step
 * was done.
 */
export type Written =
  | { readonly done: true; readonly ids: readonly (readonly number[])[] }
  | { readonly done: false; readonly at: number; readonly why: "duplicate" | "absent" };

export interface RecordQuestion {
  readonly workspace: string;
  readonly kind: string;
  /** A part of `folded_name`, already folded to lower case. Empty: all. */
  readonly search: string;
  /** Only records with any of these terms; an empty list does not filter. */
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
  /** The number of rows before paging. */
  readonly totalCount: number;
}

export interface MetadataStore {
  readonly kind: "memory" | "sqlite" | "postgres";
  /** Returns the matching rows in the order in which they were made. */
  find<T extends TableName>(table: T, where: Where<T>): Promise<readonly Tables[T][]>;
  /** Returns a page of records: the last changed one first, among equals the last made one. */
  listRecords(question: RecordQuestion): Promise<RowPage<ListedRow>>;
  /** Returns a page of the audit log, newest first. */
  listAudit(question: AuditQuestion): Promise<RowPage<AuditRow>>;
  /** Does all steps or none. An update must match exactly one row. */
  write(steps: readonly Step[]): Promise<Written>;
  /** Deletes rows whose `at` is before this time (ms since 1970). */
  forget(table: "audit" | "replays", beforeMs: number): Promise<void>;
  /**
   * Returns a number that changes whenever any process may have changed the data, or undefined when only a query can
   * tell.
   */
  revision(): number | undefined;
  close(): Promise<void>;
}

/** An error: the database refuses to work because it is full, locked or gone. */
export class StoreFailure extends Error {}
