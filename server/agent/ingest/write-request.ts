// A write on its way through the agent: an input makes a WriteRequest of what a client sent, and ingest works on it.

import type { Form } from "../../../lib/index.ts";
import type { CategoryName } from "../../../lib/point/category.ts";

export type { Form };

/** Forms an echo can have. */
export type EchoForm = Exclude<Form, "pb">;

/** A tag to be added where the key is neither tag nor field. */
export type ExtraTag = readonly [key: string, value: string];

/** A body that is in none of the forms of points: the converter with this name makes points of it, in the thread that decodes. */
export interface Conversion {
  /** Name of the converter. */
  readonly converter: string;
  /** Whether `[http_api] max_points` bounds the points. Where it does not, the converter bounds them by their bytes. */
  readonly isCounted: boolean;
}

/** The part of a body that a converter did not accept, as the answer to the client reports it. */
export interface Rejected {
  readonly count: number;
  /** The reasons, each with the number of items. */
  readonly reason: string;
}

/** One write, as an input made it. Worker threads get it as it is, so every member can be cloned. */
export interface WriteRequest {
  readonly body: Uint8Array;
  /** Bytes of the body as the client sent it. */
  readonly sentBytes: number;
  /** The compression that the thread that decodes has to undo. */
  readonly encoding: "" | "zstd";
  readonly category: CategoryName;
  /** Form of the points; with a conversion, the form that the converter makes. */
  readonly form: Form;
  readonly conversion: Conversion | undefined;
  /** Unit of the times, or empty for detection. */
  readonly precision: string;
  readonly strict: boolean;
  readonly echo: EchoForm | undefined;
  readonly dry: boolean;
  /** Receive time, nanoseconds. */
  readonly now: bigint;
  /** Tags that are added before the echo. */
  readonly earlyTags: readonly ExtraTag[];
  /** Address of the browser that RUM points come from. The address and its place are added as tags before the echo. */
  readonly browserAddress?: string | undefined;
  /** Whether the global tags of the election, and of the host, are added behind the echo. */
  readonly electionTags: boolean;
  readonly hostTags: boolean;
  /** `source` of the request, by which the script is chosen. */
  readonly source: string;
  /** Without a source each point finds its script by its name, unless the configuration says otherwise. */
  readonly matchesByName?: boolean;
  /** Label of the metrics: `v1-write.<input>`. */
  readonly label: string;
  readonly storageIndex: string | undefined;
  /** Whether no other request was under way when the body had come. */
  readonly isAlone?: boolean | undefined;
}
