// One run of a script over one point: what a compiled closure gets to see.

import type { CategoryName } from "../point/category.ts";
import type { Point } from "../point/point.ts";
import type { PointView } from "../point/view.ts";
import type { Probe } from "./probe.ts";

/** What a host passes in. Nothing in lib asks the clock or the generator of random numbers by itself. */
export interface Host {
  /** Nanoseconds since 1970-01-01 UTC. */
  readonly now: () => bigint;
  /** A number in [0, 1). */
  readonly random: () => number;
  /** IANA zone of the host, such as `Europe/Berlin`. */
  readonly timeZone: string;
}

export interface CreatedPoint {
  readonly category: CategoryName;
  readonly point: Point;
  /** Its `after_use` script called `drop()`: not to be passed on. */
  readonly dropped?: boolean;
}

/** Mutable state of one run; `use` shares it with the called script, but for the variables. */
export interface Run {
  point: PointView;
  readonly category: CategoryName;
  readonly host: Host;
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
  /** Asked when `steps` has run out: the run error's text, or null when the run may go on for `steps` more. */
  readonly overrun: () => string | null;
  /** Is told of the statements of scripts that were compiled for it. */
  readonly probe: Probe | null;
  /** Variables by slot; `undefined` is "no such variable". */
  locals: unknown[];
}
