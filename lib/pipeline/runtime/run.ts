// One run of a script over one point: the mutable state that the compiled closures use.

import type { CategoryName } from "../../point/category.ts";
import type { Point } from "../../point/point.ts";
import type { PointView } from "../../point/view.ts";
import type { TableLookup } from "../../refer-table/tables.ts";
import type { Probe } from "./instrumentation.ts";
import type { Memory } from "./memory.ts";
import type { Requests } from "./requests.ts";
import type { ScriptState } from "./state/state.ts";
import type { Window } from "./state/windows.ts";
import type { Value } from "./value.ts";

/** The geographic place of an IP address. The country is a two-letter code of ISO 3166. */
export interface Place {
  readonly city?: string;
  readonly province?: string;
  readonly country?: string;
  readonly isp?: string;
}

/**
 * The services that scripts get from the program that uses the library (the host). No code in lib reads the clock or
 * makes random numbers by itself.
 */
export interface Host {
  /** Returns the current time in nanoseconds since 1970-01-01 UTC. */
  readonly now: () => bigint;
  /** Returns a random number in [0, 1). */
  readonly random: () => number;
  /** IANA time zone of times without a zone, such as `Europe/Berlin`. */
  readonly timeZone: string;
  /** Returns the current reference tables. When this member is absent or null, there are no tables. */
  readonly tables?: () => TableLookup | null;
  /**
   * Returns the geographic place of an IP address; null when the place is not known. When this member is absent,
   * scripts have no database of addresses.
   */
  readonly geoip?: (ip: string) => Place | null;
  /** Sends requests for the function `http_request`. When this member is absent, the function is switched off. */
  readonly fetch?: Fetch;
}

/**
 * The part of the web standard's `fetch` that scripts use. The program that provides the function decides which
 * addresses scripts may reach.
 */
export type Fetch = (
  url: string,
  init: {
    readonly method: string;
    readonly headers: Readonly<Record<string, string>>;
    readonly body?: string | Uint8Array<ArrayBuffer>;
    readonly signal: AbortSignal;
  },
) => Promise<Response>;

/** A parsed JSON text. No script gets the value or a part of it, so it never changes. */
export interface JsonDocument {
  readonly text: string;
  /** The value of the text; undefined for a text that is not JSON. */
  readonly value: Value | undefined;
  /** Number of bytes that the value counts toward the memory limit of a run. */
  readonly bytes: number;
}

/** A point that `create_point` made, with its category. */
export interface CreatedPoint {
  readonly category: CategoryName;
  readonly point: Point;
  /**
   * Whether the script that `create_point` ran over the created point (its argument `after_use`) called `drop()`, so
   * that the point must not be passed on.
   */
  readonly dropped?: boolean;
}

/**
 * Mutable state of one run. A script that is called by `use` shares this state with its caller, except for the
 * variables.
 */
export interface Run {
  point: PointView;
  category: CategoryName;
  host: Host;
  /** Whether the script has called `drop()` for the point. */
  dropped: boolean;
  /** Whether the current script has called `exit()`. */
  exited: boolean;
  /** Whether the status of a log is mapped to a standard word after the script; set by `setopt(status_mapping=...)`. */
  statusMapping: boolean;
  /** Points that the script has made by `create_point`. */
  created: CreatedPoint[];
  /**
   * Number of steps left before the run fails with `script exceeded N steps`. Functions that work on large values may
   * subtract steps.
   */
  steps: number;
  /** Number of steps that the run had left at its start, the first value of `steps`. */
  allotted: number;
  /** The number N in the error message `script exceeded N steps`. */
  limit: number;
  /**
   * Called when `steps` is used up. To end the run, returns the text of the run error. To let the run continue, sets
   * `steps` to a new value and returns null.
   */
  overrun: (this: Run) => string | null;
  /** Counts the bytes of the values that the run makes. */
  readonly memory: Memory;
  /**
   * Receives the events of the run, such as the start of a statement. Only scripts that were compiled with the option
   * `probes` send events.
   */
  probe: Probe | null;
  /**
   * Values of the script's variables by slot (index that the compiler gave to a variable); `undefined` means that the
   * variable does not exist.
   */
  locals: unknown[];
  /**
   * Keys that were passed to `set_tag` before the point had them. When such a key is written later, the key becomes a
   * tag. Null when there is no such key.
   */
  pendingTags: Set<string> | null;
  /**
   * For each key to which `pt_kvs_set` wrote a map: the map, and the JSON text that was written to the point in
   * place of the map. Null when `pt_kvs_set` has written no map.
   */
  maps: Map<string, { readonly text: string; readonly value: Value }> | null;
  /**
   * The JSON text that the function `json` parsed last in JavaScript. The next calls of `json` for the same text use
   * its value again. Null when there is none.
   */
  document: JsonDocument | null;
  /**
   * State that is kept between points. A script that is called by `use` shares the state of the script with which the
   * run started.
   */
  state: ScriptState;
  /**
   * The window (the last points of a stream) in which `point_window` registered the point; null when the script did not
   * call `point_window`.
   */
  window: Window | null;
  /** Sends the HTTP requests of the script with which the run started. */
  readonly requests: Requests;
  /** Signal that aborts the HTTP requests of the run. */
  signal: AbortSignal | undefined;
  /**
   * Results of the arguments that may wait for an HTTP answer. Such an argument is evaluated before the call that it
   * belongs to. The map has one function for each of these arguments, which returns the argument's value or throws the
   * error of its evaluation.
   */
  liftedArguments: Map<object, () => Value>;
}
