// One run of a script over one point: the state that compiled closures use.

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

/** The known place of an address; the country has two letters of ISO 3166. */
export interface Place {
  readonly city?: string;
  readonly province?: string;
  readonly country?: string;
  readonly isp?: string;
}

/** The services that a host provides. No code in lib reads the clock or makes random numbers by itself. */
export interface Host {
  /** Returns nanoseconds since 1970-01-01 UTC. */
  readonly now: () => bigint;
  /** Returns a random number in [0, 1). */
  readonly random: () => number;
  /** IANA time zone of the host, such as `Europe/Berlin`. */
  readonly timeZone: string;
  /** Returns the current reference tables; absent or null means none. */
  readonly tables?: () => TableLookup | null;
  /** Returns the place of an IP address, null when it is not known; absent means no database. */
  readonly geoip?: (ip: string) => Place | null;
  /** Sends requests for `http_request`; absent means that the function is switched off. */
  readonly fetch?: Fetch;
}

/** The part of the standard's `fetch` that is used. The host that provides it decides which addresses may be reached. */
export type Fetch = (
  url: string,
  init: {
    readonly method: string;
    readonly headers: Readonly<Record<string, string>>;
    readonly body?: string | Uint8Array<ArrayBuffer>;
    readonly signal: AbortSignal;
  },
) => Promise<Response>;

/** A point that `create_point` made, with its category. */
export interface CreatedPoint {
  readonly category: CategoryName;
  readonly point: Point;
  /** Whether its `after_use` script called `drop()`, so that it must not be passed on. */
  readonly dropped?: boolean;
}

/** Mutable state of one run. `use` shares it with the called script, except for the variables. */
export interface Run {
  point: PointView;
  category: CategoryName;
  host: Host;
  /** Whether `drop()` was called. */
  dropped: boolean;
  /** Whether `exit()` was called in the current script. */
  exited: boolean;
  /** Whether the status is mapped: `setopt(status_mapping=...)`. */
  statusMapping: boolean;
  /** Points made by `create_point`. */
  created: CreatedPoint[];
  /** Steps left before `script exceeded N steps`; functions that work on big values may subtract from it. */
  steps: number;
  /** Value of `steps` at the start. */
  allotted: number;
  /** The number N in the message about used-up steps. */
  limit: number;
  /** Called when `steps` is used up: returns the text of the run error, or null when the run may continue for `steps` more. */
  overrun: (this: Run) => string | null;
  /** Counts the bytes of the values that the run makes. */
  readonly memory: Memory;
  /** Receives the events of scripts that were compiled with probes. */
  probe: Probe | null;
  /** Variables by slot; `undefined` means that the variable does not exist. */
  locals: unknown[];
  /** Keys that `set_tag` named before they existed: they become tags when they are written. Null means none. */
  pendingTags: Set<string> | null;
  /** For each key, a map that `pt_kvs_set` wrote and the JSON text that the point holds in its place. Null means none. */
  maps: Map<string, { readonly text: string; readonly value: Value }> | null;
  /** The state that the started script keeps between points. */
  state: ScriptState;
  /** The window in which `point_window` registered the point. */
  window: Window | null;
  /** The requests of the started script. */
  readonly requests: Requests;
  /** Signal that ends the requests. */
  signal: AbortSignal | undefined;
  /** Results of arguments that may wait, which run before their call: each closure returns the value or throws the failure. */
  settled: Map<object, () => Value>;
}
