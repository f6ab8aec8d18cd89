// The work on one write, and its result.

import type { CategoryName } from "../../../lib/point/category.ts";
import type { ErrorCode } from "../../http/errors.ts";
import type { Batch, BatchOptions } from "../outputs/batch.ts";
import type { Namespace } from "../scripts/namespaces.ts";
import type { ExtraTag, Rejected, WriteRequest } from "./write-request.ts";

/** Which batches are given out compressed: large ones, or what is held beyond half of a write's body and 4 MiB. */
export type Compressing = "large" | "surplus";

/** A write request together with all that the agent's configuration says about it: the work of one thread. */
export interface WriteJob extends WriteRequest, BatchOptions {
  /** Nobody else uses the memory of the body: a batch of the answer may lie in it. */
  readonly ownsBody?: boolean;
  readonly maxBodyBytes: number;
  /** Limit of the points in the body, where its form lets points be much smaller in the body than in the store; 0 = no limit. */
  readonly maxPoints: number;
  /** Limit of the bytes that all points take together when they are encoded. */
  readonly maxWrittenBytes: number;
  /** Global tags: added behind the echo, before the script and the filters. */
  readonly globalTags: readonly ExtraTag[];
  /** File name of the script, as the store knows it. */
  readonly script: string | undefined;
  /** Each point finds its script by its name; `script` then stands for all of them. */
  readonly matches?: boolean;
  /** `surplus` when absent. */
  readonly compress?: Compressing;
  /** Points whose time is far from `now` get that one. */
  readonly correctsTimes?: boolean;
}

export interface RumRules {
  /** Applications whose points are taken; none = all. */
  readonly appIds: readonly string[];
  /** Refuse points without `app_id` and of unknown measurements. */
  readonly checkPoints: boolean;
}

/** What became of the stack of one error point. */
export interface RumStack {
  readonly appId: string;
  readonly sdkName: string;
  readonly status: "success" | "lack-field" | "no-zip" | "no-tool" | "error";
}

/** What the filters did to the points of one category. */
export interface FilterCount {
  readonly category: CategoryName;
  readonly points: number;
  readonly dropped: number;
  readonly seconds: number;
}

export interface RunCount {
  /** Of a script that its points found by name. */
  readonly name?: string;
  /** Of the script. */
  readonly namespace: Namespace;
  readonly points: number;
  readonly dropped: number;
  readonly errors: number;
  readonly seconds: number;
  /** The first run-time error, as text for the log. */
  readonly firstError: string | undefined;
}

export type WriteAnswer =
  | {
      readonly ok: true;
      readonly points: number;
      readonly echo: Uint8Array | undefined;
      readonly batches: readonly Batch[];
      /** Points that the form of the batches cannot say. */
      readonly skipped: number;
      readonly run: RunCount | undefined;
      /** In its place, of points that found their scripts by name. */
      readonly runs?: readonly RunCount[];
      readonly stacks: readonly RumStack[];
      /** Of the categories that have filters. */
      readonly filtered: readonly FilterCount[];
      /** Points whose time was corrected, by category. */
      readonly corrected?: ReadonlyMap<CategoryName, number>;
      /** The part of a converted body that was not accepted. */
      readonly rejected?: Rejected;
    }
  | {
      readonly ok: false;
      readonly code: ErrorCode;
      readonly message: string;
      readonly rejected?: Rejected;
    };
