// The services that the handlers of the Open API use in addition to the metadata store.

import type { Diagnostic } from "../../../lib/index.ts";
import type { Config } from "../../config/schema.ts";
import type { PointsStore } from "../../store/store.ts";
import type { Log } from "../../telemetry/log.ts";
import type { Replays } from "./replay-parts.ts";

export interface OpenApiServices {
  readonly config: Pick<
    Config,
    | "open_api.key_requests_per_minute"
    | "open_api.max_body_bytes"
    | "open_api.rate_limit_status"
    | "open_api.workspace_requests_per_minute"
    | "platform.query_timeout"
  >;
  /**
   * The points store, with the points of all workspaces. A handler must use only the points of its own workspace,
   * whose id in the store is `scope.pointsId`.
   */
  readonly store: Pick<PointsStore, "ask">;
  /**
   * The store of session replays of all workspaces. A handler must use only the replays of its own workspace,
   * whose id in the store is `scope.pointsId`.
   */
  readonly replays: Pick<Replays, "sessions" | "parts" | "part">;
  readonly scripts: ScriptChecker;
  readonly log: Pick<Log, "error">;
  /** Returns the current time in milliseconds since 1970. */
  now(): number;
}

/** Compiles pipeline scripts to find their mistakes. */
export interface ScriptChecker {
  /**
   * Compiles scripts and returns their mistakes. `scripts`: the source code of each script by its name; the
   * scripts may call one another. Throws CheckTimeout when compiling takes too long.
   */
  check(scripts: Readonly<Record<string, string>>): Promise<readonly Diagnostic[]>;
}

export class CheckTimeout extends Error {}
