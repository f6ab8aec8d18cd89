// The services that handlers of the Open API use besides the metadata store.

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
  /** The store of points of all workspaces. A call may use only the points of the workspace `scope.pointsId`. */
  readonly store: Pick<PointsStore, "ask">;
  /** The session replays of all workspaces. A call may use only the replays of the workspace `scope.pointsId`. */
  readonly replays: Pick<Replays, "sessions" | "parts" | "part">;
  readonly scripts: ScriptChecker;
  readonly log: Pick<Log, "error">;
  /** Returns the current time in milliseconds since 1970. */
  now(): number;
}

/** Compiles pipeline scripts to find their mistakes. */
export interface ScriptChecker {
  /**
   * Returns the mistakes of all scripts. `scripts`: source code by script name; the scripts may call one another.
   * Throws CheckTimeout.
   */
  check(scripts: Readonly<Record<string, string>>): Promise<readonly Diagnostic[]>;
}

export class CheckTimeout extends Error {}
