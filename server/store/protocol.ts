// The messages between the main thread and the store's worker thread. Bodies of requests are transferred, not copied.

import type { Form } from "../../lib/index.ts";
import type { CategoryName } from "../../lib/point/index.ts";
import type { FoundObjects, ObjectQuestion } from "./objects.ts";
import type { Expiry, KeyLimits, LabelledObject } from "./points-database.ts";
import type { HotLimits } from "./segments/state.ts";

export interface StoreStart {
  readonly wasm: WebAssembly.Module;
  /** The folder in which the store keeps points. */
  readonly folder: string;
  /** The memory limit of DuckDB, or of one query in ClickHouse; empty: the limit that the database sets itself. */
  readonly memoryLimit: string;
  /** The ClickHouse server that stores points in place of the folder, or null. */
  readonly clickhouse: { readonly url: string; readonly cluster: string } | null;
  readonly queryTimeoutMs: number;
  /** Maximum number of queries that run at the same time. */
  readonly maxQueries: number;
  /** Approximate maximum number of bytes that the rows held by one query may take; 0: no limit. */
  readonly maxQueryBytes: number;
  readonly hot: HotLimits;
  /** The number of small segments (Parquet files of points) that are merged into one. */
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
      /** Maximum number of points in the body; a body with more points is refused. 0: no limit. */
      readonly maxPoints: number;
      /** Maximum size in bytes of the points in the store's encoding; a body with larger points is refused. */
      readonly maxBytes: number;
      readonly body: Uint8Array;
    }
  | {
      readonly kind: "query";
      readonly workspace: string;
      /** The body of the query request as parsed JSON. */
      readonly request: unknown;
      readonly deadlineMs: number;
      /** The time that counts as the current time for the query, in ms since 1970. */
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
      /** The new labels of the object; null removes the labels. */
      readonly labels: readonly string[] | null;
    }
  | {
      readonly kind: "expire";
      readonly before: Expiry;
      /** Batch ids that were received before this time (ms since 1970) are deleted. */
      readonly batchesBefore: number;
    };

/** A job, a request to cancel a job whose result is no longer needed, or a request to close the store. */
export type StoreRequest = StoreJob | { readonly kind: "cancel"; readonly job: number } | { readonly kind: "close" };

export type StoreAnswer =
  | { readonly kind: "taken"; readonly points: number; readonly repeated: boolean }
  /** The answers as JSON, one for each query of the request. */
  | { readonly kind: "answer"; readonly entries: readonly string[] }
  | { readonly kind: "objects"; readonly found: FoundObjects }
  | { readonly kind: "expired"; readonly points: number }
  | { readonly kind: "done" }
  | { readonly kind: "refused"; readonly reason: RefusalReason; readonly message: string };

export type RefusalReason =
  /** The body of the request cannot be decoded, or the store refuses its points. */
  | "invalidPoints"
  | "tooManyPoints"
  | "writtenTooMuch"
  | "invalidJSON"
  | "invalidRequest"
  | "queryParseError"
  | "queryTimeout"
  | "queryCancelled"
  | "queryFailed"
  /** The store failed, so no point of the batch was stored. The sender may send the same batch again later. */
  | "storeFailed";

/** An event that the worker thread sends on its own, not as the answer to a request. */
export type StoreEvent =
  | { readonly kind: "info" | "warn"; readonly line: string }
  | { readonly kind: "lost"; readonly points: number }
  /** The reason why the store cannot store points at the moment; null when the store works again. */
  | { readonly kind: "problem"; readonly reason: string | null };

/** The message number of events, which do not belong to any request. */
export const eventId = -1;

export interface Numbered<Content> {
  readonly id: number;
  readonly content: Content;
}
