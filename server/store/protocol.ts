// The messages to and from the store's thread. Bodies are transferred, not copied.

import type { Form } from "../../lib/index.ts";
import type { CategoryName } from "../../lib/point/index.ts";
import type { FoundObjects, ObjectQuestion } from "./objects.ts";
import type { Expiry, KeyLimits, LabelledObject } from "./points-database.ts";
import type { HotLimits } from "./segments/state.ts";

export interface StoreStart {
  readonly wasm: WebAssembly.Module;
  /** The folder of the points. */
  readonly folder: string;
  /** The memory limit of DuckDB, or of one query in ClickHouse; empty: the database's own limit. */
  readonly memoryLimit: string;
  /** The ClickHouse server that is used in place of the folder, or null. */
  readonly clickhouse: { readonly url: string; readonly cluster: string } | null;
  readonly queryTimeoutMs: number;
  /** Maximum number of concurrent queries. */
  readonly maxQueries: number;
  /** Approximate maximum bytes of rows that one query may hold; 0: no limit. */
  readonly maxQueryBytes: number;
  readonly hot: HotLimits;
  /** The number of small files of points that are merged into one. */
  readonly mergeFiles: number;
  readonly keys: KeyLimits;
}

export type StoreJob =
  | {
      readonly kind: "ingest";
      readonly workspace: string;
      readonly category: CategoryName;
      readonly batchId: string;
      readonly form: Form;
      readonly precision: string;
      readonly index: string;
      /** Maximum points of the body; a body with more is refused. 0: no limit. */
      readonly maxPoints: number;
      /** Maximum bytes of the encoded points; a body whose points take more is refused. */
      readonly maxBytes: number;
      readonly body: Uint8Array;
    }
  | {
      readonly kind: "query";
      readonly workspace: string;
      /** The request as parsed JSON. */
      readonly request: unknown;
      readonly deadlineMs: number;
      /** The clock for the query, ms since 1970. */
      readonly now: number;
    }
  | {
      readonly kind: "objects";
      readonly workspace: string;
      readonly question: ObjectQuestion;
      readonly deadlineMs: number;
    }
  | {
      readonly kind: "label";
      readonly workspace: string;
      readonly object: LabelledObject;
      /** The labels; null removes them. */
      readonly labels: readonly string[] | null;
    }
  | {
      readonly kind: "expire";
      readonly before: Expiry;
      /** Ids of batches from before this time are deleted, ms since 1970. */
      readonly batchesBefore: number;
    };

/** A job, or a request to cancel a job that nobody waits for any more, or to close the store. */
export type StoreRequest = StoreJob | { readonly kind: "cancel"; readonly job: number } | { readonly kind: "close" };

export type StoreAnswer =
  | { readonly kind: "taken"; readonly points: number; readonly repeated: boolean }
  /** The answers as JSON texts, one for each query. */
  | { readonly kind: "answer"; readonly entries: readonly string[] }
  | { readonly kind: "objects"; readonly found: FoundObjects }
  | { readonly kind: "expired"; readonly points: number }
  | { readonly kind: "done" }
  | { readonly kind: "refused"; readonly reason: RefusalReason; readonly message: string };

export type RefusalReason =
  /** The body cannot be parsed as points. */
  | "invalidPoints"
  | "tooManyPoints"
  | "writtenTooMuch"
  | "invalidJSON"
  | "invalidRequest"
  | "queryParseError"
  | "queryTimeout"
  | "queryCancelled"
  | "queryFailed"
  /** Nothing was stored, but the same points can be sent again later. */
  | "storeFailed";

/** An event that the thread reports on its own. */
export type StoreEvent =
  | { readonly kind: "info" | "warn"; readonly line: string }
  | { readonly kind: "lost"; readonly points: number }
  /** The reason why nothing can be stored; null: the store works again. */
  | { readonly kind: "problem"; readonly reason: string | null };

/** The message number of events, which answer no request. */
export const eventId = -1;

export interface Numbered<Content> {
  readonly id: number;
  readonly content: Content;
}
