// What handlers of the Open API reach besides the metadata store.

import type { Config } from "../../config/schema.ts";
import type { Log } from "../../http/log.ts";
import type { PointsStore } from "../../store/store.ts";

export interface OpenApiServices {
  readonly config: Config;
  /** The points of all workspaces; a call's own are those of `scope.pointsId`. */
  readonly store: PointsStore;
  readonly log: Log;
  /** Milliseconds since 1970. */
  now(): number;
}
