// The types of the messages to and from the worker thread of the SQLite metadata database. All requests that are
// made within one turn of the event loop are sent in one message.

import type { SqlStore } from "./sql-store.ts";

export interface SqliteStart {
  readonly file: string;
}

export type Operation = Exclude<keyof SqlStore, "kind" | "close">;

export interface Question {
  readonly id: number;
  readonly operation: Operation;
  readonly given: readonly unknown[];
}

export type Asked = readonly Question[] | "close";

export type Answer =
  | { readonly id: number; readonly kind: "done"; readonly result: unknown }
  | { readonly id: number; readonly kind: "failed"; readonly message: string; readonly isRefusal: boolean };

/**
 * The id of the first message from the worker thread. This message says whether the migration of the tables
 * succeeded.
 */
export const readyId = 0;
