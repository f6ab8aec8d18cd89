// The job of processing one write, and its result.

import type { CategoryName } from "../../../lib/point/index.ts";
import type { ErrorCode } from "../../http/errors.ts";
import type { Batch, BatchOptions } from "../outputs/batch.ts";
import type { Namespace } from "../scripts/namespaces.ts";
import type { ExtraTag, Rejected, WriteRequest } from "./write-request.ts";

/**
 * Batches that are compressed before the output gets them: `large` means all large batches; `surplus` means batches
 * beyond both half of the body's length and 4 MiB.
 */
export type Compressing = "large" | "surplus";

/** A write request and all that the configuration says about it. One thread does the job. */
export interface WriteJob extends WriteRequest, BatchOptions {
  /** Whether nothing else uses the memory of the body, so that a batch of the answer may lie in it. */
  readonly ownsBody?: boolean;
  readonly maxBodyBytes: number;
  /**
   * Most points that the body may hold; 0 = no limit. Set for forms whose points are much smaller in the body than in
   * the store.
   */
  readonly maxPoints: number;
  /** Most bytes that all points together may take when they are encoded. */
  readonly maxWrittenBytes: number;
  /** Global tags. They are added after the echo and before the script and the filters. */
  readonly globalTags: readonly ExtraTag[];
  /** File name of the script in the script store; undefined when no script runs. */
  readonly script: string | undefined;
  /** Whether each point finds its script by its name. `script` then stands for all scripts of the category. */
  readonly matches?: boolean;
  /** When absent, `surplus`. */
  readonly compress?: Compressing;
  /** Whether points whose time is far from `now` get `now` as their time. */
  readonly correctsTimes?: boolean;
}

export interface RumRules {
  /** Applications whose points are accepted; an empty list accepts all. */
  readonly appIds: readonly string[];
  /** Whether points without `app_id` and points of unknown measurements are refused. */
  readonly checkPoints: boolean;
}

/** The outcome of resolving the stack of one error point. */
export interface RumStack {
  readonly appId: string;
  readonly sdkName: string;
  readonly status: "success" | "lack-field" | "no-zip" | "no-tool" | "error";
}

/** Counts of the filters of one category. */
export interface FilterCount {
  readonly category: CategoryName;
  readonly points: number;
  readonly dropped: number;
  readonly seconds: number;
}

export interface RunCount {
  /** Name of the script; only when the points found the script by name. */
  readonly name?: string;
  /** Namespace of the script. */
  readonly namespace: Namespace;
  readonly points: number;
  readonly dropped: number;
  readonly errors: number;
  readonly seconds: number;
  /** Text of the first run-time error, for the log. */
  readonly firstError: string | undefined;
}

export type WriteAnswer =
  | {
      readonly ok: true;
      readonly points: number;
      readonly echo: Uint8Array | undefined;
      readonly batches: readonly Batch[];
      /** Number of points that the form of the batches cannot express. */
      readonly skipped: number;
      readonly run: RunCount | undefined;
      /** Replaces `run` when the points found their scripts by name. */
      readonly runs?: readonly RunCount[];
      readonly stacks: readonly RumStack[];
      /** Counts of the categories that have filters. */
      readonly filtered: readonly FilterCount[];
      /** Number of points whose time was corrected, by category. */
      readonly corrected?: ReadonlyMap<CategoryName, number>;
      /** The part of the body that the converter did not accept. */
      readonly rejected?: Rejected;
    }
  | {
      readonly ok: false;
      readonly code: ErrorCode;
      readonly message: string;
      readonly rejected?: Rejected;
    };
