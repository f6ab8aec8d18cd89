// The messages between the debug interface and its worker thread.

import type { PlError } from "../../../lib/pipeline/index.ts";
import type { CategoryName } from "../../../lib/point/index.ts";
import type { ErrorCode } from "../../http/errors.ts";
import type { TablesInForce } from "../../refer-table/store.ts";
import type { ExtraTag } from "../ingest/write-request.ts";
import type { ScriptEnvironment } from "../scripts/script-environment.ts";
import type { PatternTexts } from "../scripts/script-sources.ts";

export interface DebugJob {
  readonly wasm: WebAssembly.Module;
  readonly category: CategoryName;
  /** Name of the script as sent, without `.p`. */
  readonly scriptName: string;
  /** Scripts of the category in base64, by name as sent. */
  readonly scripts: Readonly<Record<string, string>>;
  /** The data items, in base64. */
  readonly data: readonly string[];
  readonly dataType: string;
  readonly encode: string;
  readonly benchmark: boolean;
  readonly deadlineMs: number;
  /** Largest number of bytes of the values in a run; 0 = no limit. */
  readonly maxBytes: number;
  readonly now: bigint;
  readonly surroundings: ScriptEnvironment;
  /** Pattern files in force in the agent. */
  readonly patterns: PatternTexts;
  readonly tables: TablesInForce | null;
  /** Host tags that aggregated points get. */
  readonly hostTags: readonly ExtraTag[];
  /** Number of points to skip. Their results are known from a thread that was ended. */
  readonly from: number;
}

export type FromDebugWorker =
  | { readonly kind: "refused"; readonly code: ErrorCode; readonly message: string }
  | { readonly kind: "script-error"; readonly error: PlError }
  | { readonly kind: "begin"; readonly of: "point"; readonly at: number }
  | { readonly kind: "begin"; readonly of: "benchmark" }
  /** Points that aggregations release at the end, after the results of all points. */
  | { readonly kind: "aggregated"; readonly json: readonly string[] }
  /** One result, as JSON. */
  | { readonly kind: "result"; readonly json: string }
  | { readonly kind: "done"; readonly costNs: bigint; readonly benchmark: string };
