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
  /** The points of all workspaces; a call may use those of `scope.pointsId` only. */
  readonly store: Pick<PointsStore, "ask">;
  /** The session replays of all workspaces, also by `scope.pointsId`. */
  readonly replays: Pick<Replays, "sessions" | "parts" | "part">;
  readonly scripts: ScriptChecker;
  readonly log: Pick<Log, "error">;
  /** Returns milliseconds since 1970. */
  now(): number;
}

/** Compiles scripts to find their mistakes. */
export interface ScriptChecker {
  /**
   * Returns the mistakes of all scripts, which may call one another. `scripts`: texts by name. Throws CheckTimeout.
   */
  check(scripts: Readonly<Record<string, string>>): Promise<readonly Diagnostic[]>;
}

export class CheckTimeout extends Error {}
