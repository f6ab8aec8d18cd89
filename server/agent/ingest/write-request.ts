// A write on its way through the agent. An input makes a WriteRequest from a client's request; ingest processes it.

import type { Form } from "../../../lib/index.ts";
import type { CategoryName } from "../../../lib/point/index.ts";

export type { Form };

/** Forms that an echo can have. */
export type EchoForm = Exclude<Form, "pb">;

/** A tag that is added to a point when the point has no tag or field with this key. */
export type ExtraTag = readonly [key: string, value: string];

/**
 * The conversion of a body that is not in a form of points. In the thread that decodes, the named converter turns the
 * body into points.
 */
export interface Conversion {
  /** Name of the converter. */
  readonly converter: string;
  /**
   * Whether `[http_api] max_points` limits the number of points. Otherwise the converter limits the bytes of the
   * points.
   */
  readonly isCounted: boolean;
}

/** The part of a body that a converter did not accept, as the answer to the client reports it. */
export interface Rejected {
  readonly count: number;
  /** The reasons, each with the number of items that it concerns. */
  readonly reason: string;
}

/**
 * One write, as an input makes it. The agent sends it to worker threads as it is, so every member must be cloneable.
 */
export interface WriteRequest {
  readonly body: Uint8Array;
  /** Length of the body in bytes, as the client sent it. */
  readonly sentBytes: number;
  /** The compression that the decoding thread must undo. */
  readonly encoding: "" | "zstd";
  readonly category: CategoryName;
  /** Form of the points; with a conversion, the form that the converter makes. */
  readonly form: Form;
  readonly conversion: Conversion | undefined;
  /** Unit of the times; when empty, the decoder detects the unit. */
  readonly precision: string;
  readonly strict: boolean;
  readonly echo: EchoForm | undefined;
  readonly dry: boolean;
  /** Receive time in nanoseconds since 1970. */
  readonly now: bigint;
  /** Tags that are added before the echo. */
  readonly earlyTags: readonly ExtraTag[];
  /** Address of the browser that RUM points come from. The address and its place are added as tags before the echo. */
  readonly browserAddress?: string | undefined;
  /** Whether the global election tags are added after the echo. */
  readonly electionTags: boolean;
  readonly hostTags: boolean;
  /** `source` of the request; it selects the script. */
  readonly source: string;
  /**
   * Whether, in a write without a source, each point finds its script by its name. The configuration may override this.
   */
  readonly matchesByName?: boolean;
  /** Label of the write in the metrics: `v1-write.<input>`. */
  readonly label: string;
  readonly storageIndex: string | undefined;
  /** Whether no other request was under way when the agent had received the body. */
  readonly isAlone?: boolean | undefined;
}
