// A write on its way through the agent. An input (an interface such as OTLP) makes a WriteRequest from a client's
// request; the code in the folder `ingest` processes it.

import type { Form } from "../../../lib/index.ts";
import type { CategoryName } from "../../../lib/point/index.ts";

export type { Form };

/** Wire formats in which the echo (the points returned in the answer) can be encoded. */
export type EchoForm = Exclude<Form, "pb">;

/** Used in place of a script's file name when the name of each point decides which script runs over the point. */
export const anyScript = "*";

/** A tag that is added to a point when the point has no tag or field with this key. */
export type ExtraTag = readonly [key: string, value: string];

/**
 * The way to convert a body in another format, such as OTLP. The named converter turns the body into encoded
 * points. It runs in the thread that decodes the points.
 */
export interface Conversion {
  /** Name of the converter that turns the body of the write into points. */
  readonly converter: string;
  /**
   * Whether the setting `[http_api] max_points` limits the number of points. If not, the converter limits the bytes of
   * the converted points.
   */
  readonly isCounted: boolean;
}

/** The items of a body that a converter did not accept, as the answer to the client reports them. */
export interface Rejected {
  readonly count: number;
  /** The reasons why items were not accepted, each with the number of items, as one text. */
  readonly reason: string;
}

/**
 * One write, which an input (an interface such as OTLP) makes from a client's request. Some of these members are
 * also members of WriteJob and are sent to worker threads, so the structured clone algorithm must support them.
 */
export interface WriteRequest {
  readonly body: Uint8Array;
  /** Length of the body in bytes, as the client sent it. */
  readonly sentBytes: number;
  /**
   * The compression of the body as it is passed to the decoding thread, which decompresses it; empty when the body
   * is not compressed.
   */
  readonly encoding: "" | "zstd";
  readonly category: CategoryName;
  /** Wire format of the points in the body, or of the points that the converter returns when there is a converter. */
  readonly form: Form;
  readonly conversion: Conversion | undefined;
  /** Unit of the points' times; when empty, the decoder detects the unit from the size of each time. */
  readonly precision: string;
  readonly strict: boolean;
  readonly echo: EchoForm | undefined;
  readonly dry: boolean;
  /** Time when the agent received the write, in nanoseconds since 1970. */
  readonly now: bigint;
  /** Tags that are added before the echo (the points returned in the answer) is encoded. */
  readonly earlyTags: readonly ExtraTag[];
  /**
   * IP address of the browser that sent RUM (real user monitoring) points. The address and its geographic place are
   * added as tags before the echo (the points returned in the answer) is encoded.
   */
  readonly browserAddress?: string | undefined;
  /**
   * Whether the agent's election tags (a second set of global tags) are added to the points. They are added after the
   * echo (the points returned in the answer) is encoded.
   */
  readonly electionTags: boolean;
  readonly hostTags: boolean;
  /** The query parameter `source`, which selects the script that runs over the points. */
  readonly source: string;
  /**
   * Whether the name of each point decides which script runs when the write has no `source`. The configuration may
   * override this member.
   */
  readonly matchesByName?: boolean;
  /** Label under which the metrics count the write: `v1-write.<input>`. */
  readonly label: string;
  readonly storageIndex: string | undefined;
  /** Whether no other request was under way when the agent had received the whole body. */
  readonly isAlone?: boolean | undefined;
}
