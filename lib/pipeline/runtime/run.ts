// One run of a script over one point: what a compiled closure gets to see.

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

/** Where an address lies, as far as it is known; country as two letters of ISO 3166. */
export interface Place {
  readonly city?: string;
  readonly province?: string;
  readonly country?: string;
  readonly isp?: string;
}

/** What a host passes in. Nothing in lib asks the clock or the generator of random numbers by itself. */
export interface Host {
  /** Nanoseconds since 1970-01-01 UTC. */
  readonly now: () => bigint;
  /** A number in [0, 1). */
  readonly random: () => number;
  /** IANA zone of the host, such as `Europe/Berlin`. */
  readonly timeZone: string;
  /** The reference tables in force; absent or null: none. */
  readonly tables?: () => TableLookup | null;
  /** Where an IP address lies, null when it is not known; absent: there is no database. */
  readonly geoip?: (ip: string) => Place | null;
  /** The way out for `http_request`; absent: switched off. */
  readonly fetch?: Fetch;
}

/** The standard's `fetch`, as far as it is used. Who passes it in decides which addresses may be reached. */
export type Fetch = (
  url: string,
  init: {
    readonly method: string;
    readonly headers: Readonly<Record<string, string>>;
    readonly body?: string | Uint8Array<ArrayBuffer>;
    readonly signal: AbortSignal;
  },
) => Promise<Response>;

export interface CreatedPoint {
  readonly category: CategoryName;
  readonly point: Point;
  /** Its `after_use` script called `drop()`: not to be passed on. */
  readonly dropped?: boolean;
}

/** Mutable state of one run; `use` shares it with the called script, but for the variables. */
export interface Run {
  point: PointView;
  category: CategoryName;
  host: Host;
  /** `drop()` was called. */
  dropped: boolean;
  /** `exit()` was called in the script that is running now. */
  exited: boolean;
  /** `setopt(status_mapping=...)`. */
  statusMapping: boolean;
  /** Points made by `create_point`. */
  created: CreatedPoint[];
  /** Steps left before `script exceeded N steps`; functions that work on big values may subtract from it. */
  steps: number;
  /** What `steps` was at the start. */
  allotted: number;
  /** The number of the message that says that they have run out. */
  limit: number;
  /** Asked when `steps` has run out: the run error's text, or null when the run may go on for `steps` more. */
  overrun: (this: Run) => string | null;
  /** Bytes of the values that the run makes. */
  readonly memory: Memory;
  /** Is told of the statements of scripts that were compiled for it. */
  probe: Probe | null;
  /** Variables by slot; `undefined` is "no such variable". */
  locals: unknown[];
  /** Keys that `set_tag` named before they were there: they become tags when they are written. Null: none. */
  pendingTags: Set<string> | null;
  /** By key: a map that `pt_kvs_set` wrote as a map, and the JSON text that the point holds of it. Null: none. */
  maps: Map<string, { readonly text: string; readonly value: Value }> | null;
  /** What the script that was started keeps between points. */
  state: ScriptState;
  /** Where `point_window` registered the point. */
  window: Window | null;
  /** The requests of the script that was started. */
  readonly requests: Requests;
  /** Ends its requests. */
  signal: AbortSignal | undefined;
  /** Arguments that may wait, run before the call they belong to: each gives its value or fails. */
  settled: Map<object, () => Value>;
}
