// What the store's thread is asked and answers. Bodies are handed over, not copied.

import type { Form } from "../../lib/index.ts";
import type { CategoryName } from "../../lib/point/category.ts";
import type { FoundObjects, ObjectQuestion } from "./objects.ts";
import type { Expiry, KeyLimits, LabelledObject } from "./points-database.ts";
import type { HotLimits } from "./segments/state.ts";

export interface StoreStart {
  readonly wasm: WebAssembly.Module;
  /** The folder of the points. */
  readonly folder: string;
  /** Of DuckDB, or of one query in ClickHouse; empty: the database's own. */
  readonly memoryLimit: string;
  /** In place of the folder. */
  readonly clickhouse: { readonly url: string; readonly cluster: string } | null;
  readonly queryTimeoutMs: number;
  /** Queries at once. */
  readonly maxQueries: number;
  /** Bytes of rows that one query may hold, about; 0: no bound. */
  readonly maxQueryBytes: number;
  readonly hot: HotLimits;
  /** Small files of points that become one. */
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
      /** The most points of the body; a body with more is refused; 0 = any number. */
      readonly maxPoints: number;
      /** The most bytes that the points may take as they are written; a body whose points take more is refused. */
      readonly maxBytes: number;
      readonly body: Uint8Array;
    }
  | {
      readonly kind: "query";
      readonly workspace: string;
      /** The request as it was sent, read from JSON. */
      readonly request: unknown;
      readonly deadlineMs: number;
      /** ms since 1970. */
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
      /** Null: they are taken away. */
      readonly labels: readonly string[] | null;
    }
  | {
      readonly kind: "expire";
      readonly before: Expiry;
      /** ms since 1970. */
      readonly batchesBefore: number;
    };

/** Besides jobs: the end of one that nobody waits for any more, the end of all. */
export type StoreRequest = StoreJob | { readonly kind: "cancel"; readonly job: number } | { readonly kind: "close" };

export type StoreAnswer =
  | { readonly kind: "taken"; readonly points: number; readonly repeated: boolean }
  /** JSON texts, one for each question. */
  | { readonly kind: "answer"; readonly entries: readonly string[] }
  | { readonly kind: "objects"; readonly found: FoundObjects }
  | { readonly kind: "expired"; readonly points: number }
  | { readonly kind: "done" }
  | { readonly kind: "refused"; readonly reason: RefusalReason; readonly message: string };

export type RefusalReason =
  /** The body holds no points that can be read. */
  | "invalidPoints"
  | "tooManyPoints"
  | "writtenTooMuch"
  | "invalidJSON"
  | "invalidRequest"
  | "queryParseError"
  | "queryTimeout"
  | "queryCancelled"
  | "queryFailed"
  /** The points can be stored later. */
  | "storeFailed";

/** An event that the thread reports without being asked. */
export type StoreEvent =
  | { readonly kind: "info" | "warn"; readonly line: string }
  | { readonly kind: "lost"; readonly points: number }
  /** Null: it works again. */
  | { readonly kind: "problem"; readonly reason: string | null };

/** In place of the number of a request: events belong to none. */
export const eventId = -1;

export interface Numbered<Content> {
  readonly id: number;
  readonly content: Content;
}
