// The interface of the stores for metadata rows. Such a store has tables with rows, finds rows by equal values,
// and performs all steps of a write or none of them. The logic of keys, workspaces, records and the audit log is
// written once, on top of this interface. So its two implementations are short: one for SQL databases, and one
// that keeps the rows in memory and runs in any JavaScript runtime.

import type { AuditRow, ListedRow, Tables } from "./tables.ts";

export type TableName = keyof Tables;

/**
 * A condition on the columns of a table. Each named column must have the given value; when a list is given, it
 * must have one of the values in the list.
 */
export type Where<T extends TableName> = {
  readonly [C in keyof Tables[T]]?: Tables[T][C] | readonly Tables[T][C][];
};

export type NewRow<T extends TableName> = Omit<Tables[T], "id">;

interface Insert<T extends TableName> {
  readonly insert: T;
  readonly rows: readonly NewRow<T>[];
  /**
   * The index of an earlier step of the same write, which inserts exactly one row. The id of this row is stored in
   * the column `record_id` of each row that the present step inserts.
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
  /** Whether the whole write fails when this step finds no row to delete. */
  readonly mustBeThere?: boolean;
}

export type Step = { [T in TableName]: Insert<T> | Update<T> | Delete<T> }[TableName];

/**
 * The result of a write. `ids`: the ids of the rows that each step has inserted. `at`: the index of the step
 * that has failed; in this case no step has taken effect.
 */
export type Written =
  | { readonly done: true; readonly ids: readonly (readonly number[])[] }
  | { readonly done: false; readonly at: number; readonly why: "duplicate" | "absent" };

export interface RecordQuestion {
  readonly workspace: string;
  readonly kind: string;
  /** A substring of the column `folded_name`, already converted to lower case. Empty: all records. */
  readonly search: string;
  /** Terms (filter values); each listed record has at least one of them. An empty list means no filter. */
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
  /**
   * Returns a page of records, the most recently changed record first. Records that were changed at the same time
   * are ordered by their rows, the newest row first.
   */
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

/** Thrown when the database cannot work, because it is full, locked or no longer reachable. */
export class StoreFailure extends Error {}
