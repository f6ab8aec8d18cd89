// What the store's thread is asked and answers. Bodies are handed over, not copied.

import type { Form } from "../../lib/index.ts";
import type { CategoryName } from "../../lib/point/category.ts";
import type { FoundObjects, ObjectQuestion } from "./objects.ts";

export interface StoreStart {
  readonly wasm: WebAssembly.Module;
  /** `:memory:`, or the path of the file. */
  readonly file: string;
  /** Of DuckDB, or of one query in ClickHouse; empty: the database's own. */
  readonly memoryLimit: string;
  /** Instead of the file. */
  readonly clickhouse: { readonly url: string; readonly cluster: string } | null;
  readonly queryTimeoutMs: number;
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
      readonly kind: "expire";
      readonly workspace: string;
      readonly category: CategoryName;
      /** ns since 1970. */
      readonly before: bigint;
      readonly batchesBefore: number;
    };

export type StoreAnswer =
  | { readonly kind: "taken"; readonly points: number; readonly repeated: boolean }
  /** JSON texts, one for each question. */
  | { readonly kind: "answer"; readonly entries: readonly string[] }
  | { readonly kind: "objects"; readonly found: FoundObjects }
  | { readonly kind: "done" }
  | { readonly kind: "refused"; readonly reason: RefusalReason; readonly message: string };

export type RefusalReason =
  /** The body holds no points that can be read. */
  | "invalidPoints"
  | "invalidJSON"
  | "invalidRequest"
  | "queryParseError"
  | "queryTimeout"
  | "queryFailed"
  | "storeFailed";

export interface Numbered<Content> {
  readonly id: number;
  readonly content: Content;
}
