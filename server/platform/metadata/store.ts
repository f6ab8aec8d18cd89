// What keeps the metadata: rows in tables, found by equality, changed by steps that all happen or none. Everything else (keys,
// workspaces, records, the audit log) is written once above it, so that a store is small: SQL on a server, memory anywhere.

import type { AuditRow, ListedRow, Tables } from "./tables.ts";

export type TableName = keyof Tables;

/** A list stands for any of its values. */
export type Where<T extends TableName> = {
  readonly [C in keyof Tables[T]]?: Tables[T][C] | readonly Tables[T][C][];
};

export type NewRow<T extends TableName> = Omit<Tables[T], "id">;

interface Insert<T extends TableName> {
  readonly insert: T;
  readonly rows: readonly NewRow<T>[];
  /** Each row's `record_id` is the id of the row that this step has made. */
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
  /** Without it none need to be there. */
  readonly mustBeThere?: boolean;
}

export type Step = { [T in TableName]: Insert<T> | Update<T> | Delete<T> }[TableName];

/** `ids`: of each step the ids of the rows it made. `at`: the step that could not be done; then none was. */
export type Written =
  | { readonly done: true; readonly ids: readonly (readonly number[])[] }
  | { readonly done: false; readonly at: number; readonly why: "duplicate" | "absent" };

export interface RecordQuestion {
  readonly workspace: string;
  readonly kind: string;
  /** Folded; part of `folded_name`. Empty: all. */
  readonly search: string;
  /** Records with any of these terms; an empty list does not filter. */
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
  /** Before paging. */
  readonly totalCount: number;
}

export interface MetadataStore {
  readonly kind: "memory" | "sqlite" | "postgres";
  /** In the order they were made. */
  find<T extends TableName>(table: T, where: Where<T>): Promise<readonly Tables[T][]>;
  /** Changed last comes first, among equals what was made last. */
  listRecords(question: RecordQuestion): Promise<RowPage<ListedRow>>;
  /** Newest first. */
  listAudit(question: AuditQuestion): Promise<RowPage<AuditRow>>;
  /** All steps or none. An update must find exactly one row. */
  write(steps: readonly Step[]): Promise<Written>;
  /** Rows whose `at` is before it. */
  forget(table: "audit" | "replays", beforeMs: number): Promise<void>;
  /** Another number when anybody, also another process, may have changed something; undefined where only a question tells. */
  revision(): number | undefined;
  close(): Promise<void>;
}

/** The store has said that it does not do this: full, locked, gone. */
export class StoreFailure extends Error {}
