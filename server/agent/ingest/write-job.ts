// The job of processing one write on one thread, and the answer to the write.

import type { CategoryName } from "../../../lib/point/index.ts";
import type { ErrorCode } from "../../http/errors.ts";
import type { SampleOrder } from "../live/sample-points.ts";
import type { Batch, BatchOptions } from "../outputs/batch.ts";
import type { Namespace } from "../scripts/namespaces.ts";
import type { ConversionReport } from "./converter.ts";
import type { ExtraTag, WriteRequest } from "./write-request.ts";

/** The members of a write request that are needed by the thread that processes the points. */
type PointsOfRequest = Pick<
  WriteRequest,
  | "body"
  | "encoding"
  | "category"
  | "form"
  | "conversion"
  | "precision"
  | "strict"
  | "echo"
  | "dry"
  | "now"
  | "earlyTags"
  | "browserAddress"
>;

/**
 * The points of a write request, together with the settings that their processing needs. One thread does the whole job.
 */
export interface WriteJob extends PointsOfRequest, BatchOptions {
  readonly maxBodyBytes: number;
  /**
   * Largest number of points in the body; 0 = no limit. A limit is set for wire formats such as JSON, because in
   * these formats a point may take far fewer bytes in the body than in memory.
   */
  readonly maxPoints: number;
  /** Largest number of bytes that all encoded points of the write may take together. */
  readonly maxWrittenBytes: number;
  /**
   * Global tags, which the agent adds to all points. They are added after the echo (the points returned in the answer)
   * is encoded, and before the script and the filters run.
   */
  readonly globalTags: readonly ExtraTag[];
  /**
   * File name of the write's script; `anyScript` when the name of each point decides which script runs over the point;
   * undefined when no script runs.
   */
  readonly script: string | undefined;
  /**
   * Whether every large batch (encoded points) is compressed before the output gets it. Otherwise only those large
   * batches are compressed that are made after the encoded points of the write have become longer than 4 MiB and longer
   * than half of the body.
   */
  readonly compressesLarge?: boolean;
  /** Whether a point whose time is far from the current time `now` gets the time `now`. */
  readonly correctsTimes?: boolean;
  /**
   * How many points of the write to sample for a client that watches points; absent while no client watches
   * points.
   */
  readonly sample?: SampleOrder | undefined;
}

export interface RumRules {
  /** Ids of the RUM (real user monitoring) applications whose points are accepted; an empty list accepts all. */
  readonly appIds: readonly string[];
  /** Whether the agent refuses RUM (real user monitoring) points that have no `app_id` or an unknown measurement. */
  readonly checkPoints: boolean;
}

/** The outcome of resolving the error stack of one RUM (real user monitoring) point by source maps. */
export interface RumStack {
  readonly appId: string;
  readonly sdkName: string;
  readonly status: "success" | "lack-field" | "no-zip" | "no-tool" | "error";
}

/**
 * The numbers of points that the filters of one category saw and dropped in a write, and the seconds that the filters
 * took.
 */
export interface FilterCount {
  readonly category: CategoryName;
  readonly points: number;
  readonly dropped: number;
  readonly seconds: number;
}

export interface RunCount {
  /** File name of the script. */
  readonly name: string;
  /** Namespace of the script (`remote`: sent by the gateway; `default`: from the script folder). */
  readonly namespace: Namespace;
  readonly points: number;
  readonly dropped: number;
  readonly errors: number;
  readonly seconds: number;
  /** Text of the first run-time error of the script in this write, for the log. */
  readonly firstError: string | undefined;
}

export type WriteAnswer =
  | {
      readonly ok: true;
      readonly points: number;
      readonly echo: Uint8Array | undefined;
      readonly batches: readonly Batch[];
      /** Number of points that could not be encoded, because the wire format of the output cannot express them. */
      readonly skipped: number;
      /** Counts of points and errors for each script that ran. */
      readonly runs: readonly RunCount[];
      readonly stacks: readonly RumStack[];
      /** Counts of points dropped by filters, for each category that has filters. */
      readonly filtered: readonly FilterCount[];
      /** For each category, the number of points whose time was corrected. */
      readonly corrected?: ReadonlyMap<CategoryName, number>;
      /**
       * The results of converting a body in another format (such as OTLP), without the points. The input needs these
       * results for its answer to the client.
       */
      readonly report?: ConversionReport;
      /** The points that the job asked to sample, before and after the script, as JSON texts. */
      readonly sampled?: readonly string[];
    }
  | {
      readonly ok: false;
      readonly code: ErrorCode;
      readonly message: string;
      readonly report?: ConversionReport;
    };
