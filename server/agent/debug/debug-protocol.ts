// What the debug interface and its worker thread say to each other.

import type { PlError } from "../../../lib/pipeline/syntax/errors.ts";
import type { CategoryName } from "../../../lib/point/category.ts";
import type { ErrorCode } from "../../http/errors.ts";
import type { TablesInForce } from "../../refer-table/store.ts";
import type { ExtraTag } from "../ingest/write-request.ts";
import type { ScriptEnvironment } from "../scripts/script-environment.ts";
import type { PatternTexts } from "../scripts/script-sources.ts";

export interface DebugJob {
  readonly wasm: WebAssembly.Module;
  readonly category: CategoryName;
  /** As sent, without `.p`. */
  readonly scriptName: string;
  /** Scripts of the category by name as sent, base64. */
  readonly scripts: Readonly<Record<string, string>>;
  /** Base64. */
  readonly data: readonly string[];
  readonly dataType: string;
  readonly encode: string;
  readonly benchmark: boolean;
  readonly deadlineMs: number;
  /** Bytes of the values that a run may hold; 0 = no limit. */
  readonly maxBytes: number;
  readonly now: bigint;
  readonly surroundings: ScriptEnvironment;
  /** The pattern files of the agent. */
  readonly patterns: PatternTexts;
  readonly tables: TablesInForce | null;
  /** Tags of aggregated points. */
  readonly hostTags: readonly ExtraTag[];
  /** Points to pass over: their results are known from a worker that was ended. */
  readonly from: number;
}

export type FromDebugWorker =
  | { readonly kind: "refused"; readonly code: ErrorCode; readonly message: string }
  | { readonly kind: "script-error"; readonly error: PlError }
  | { readonly kind: "begin"; readonly of: "point"; readonly at: number }
  | { readonly kind: "begin"; readonly of: "benchmark" }
  /** Points that aggregations gave out at the end, after the results of all points. */
  | { readonly kind: "aggregated"; readonly json: readonly string[] }
  /** The JSON of one result. */
  | { readonly kind: "result"; readonly json: string }
  | { readonly kind: "done"; readonly costNs: bigint; readonly benchmark: string };
