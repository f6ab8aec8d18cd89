// The messages between the script-debugging interface and the worker thread that runs the script to debug.

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
  /** Name of the script to debug, as the client sent it, without `.p`. */
  readonly scriptName: string;
  /** The scripts that the client sent, in base64; the keys are the names that the client gave them. */
  readonly scripts: Readonly<Record<string, string>>;
  /** The data items that the script runs over (each holds one or more points), in base64. */
  readonly data: readonly string[];
  readonly dataType: string;
  readonly encode: string;
  readonly benchmark: boolean;
  readonly deadlineMs: number;
  /** Largest number of bytes that the values of the script may take while it runs on one point; 0 = no limit. */
  readonly maxBytes: number;
  readonly now: bigint;
  readonly environment: ScriptEnvironment;
  /** Texts of the grok pattern files that the agent uses now. */
  readonly patterns: PatternTexts;
  readonly tables: TablesInForce | null;
  /**
   * The agent's host tags (tags that it adds to every point). Points that aggregations of the script make also get
   * these tags.
   */
  readonly hostTags: readonly ExtraTag[];
  /**
   * Number of points to skip at the start. An earlier worker thread was ended after it had sent the results of
   * these points.
   */
  readonly from: number;
}

export type FromDebugWorker =
  | { readonly kind: "refused"; readonly code: ErrorCode; readonly message: string }
  | { readonly kind: "script-error"; readonly error: PlError }
  | { readonly kind: "begin"; readonly of: "point"; readonly at: number }
  | { readonly kind: "begin"; readonly of: "benchmark" }
  /**
   * Points that the script's aggregations release at the end, as JSON. The worker sends them after the results of all
   * points.
   */
  | { readonly kind: "aggregated"; readonly json: readonly string[] }
  /** The result of the script for one point, as JSON. */
  | { readonly kind: "result"; readonly json: string }
  | { readonly kind: "done"; readonly costNs: bigint; readonly benchmark: string };
