// Limits the number of requests per minute, for each API key and for each workspace
// (docs/reference/open-api.md#configuration). The counts restart every 60 s and include only requests to this
// process. By default there are no limits. The limit of the key is checked first; a request that exceeds it does
// not count against the limit of the workspace.

import type { Scope } from "../../metadata/scope.ts";
import { OpenApiError, type OpenApiErrorCode } from "../protocol/errors.ts";
import type { OpenApiServices } from "../services.ts";

export interface RateLimit {
  /** Counts a request. Throws OpenApiError when the limit of the key or the workspace is exceeded. */
  count(scope: Scope): void;
}

const windowMs = 60_000;

export function createRateLimit(config: OpenApiServices["config"], nowMs: () => number): RateLimit {
  const status = config["open_api.rate_limit_status"] === "401" ? 401 : 429;
  const limits = [
    {
      most: config["open_api.key_requests_per_minute"],
      nameOf: ({ actor }: Scope) => actor.uuid,
      code: "TriggerApiAkCurrentLimiting",
    },
    {
      most: config["open_api.workspace_requests_per_minute"],
      nameOf: ({ workspace }: Scope) => workspace,
      code: "TriggerApiWorkspaceCurrentLimiting",
    },
  ] satisfies { most: number; nameOf: (scope: Scope) => string; code: OpenApiErrorCode }[];
  /** Number of requests in the current minute, by the name of the key or the workspace. */
  const counts = new Map<string, number>();
  let windowEnd = 0;
  return {
    count: (scope) => {
      const now = nowMs();
      if (now >= windowEnd) {
        counts.clear();
        windowEnd = now - (now % windowMs) + windowMs;
      }
      for (const { most, nameOf, code } of limits) {
        if (most === 0) continue;
        const name = nameOf(scope);
        const count = counts.get(name) ?? 0;
        if (count >= most) {
          const headers = { "retry-after": String(Math.max(1, Math.ceil((windowEnd - now) / 1000))) };
          throw new OpenApiError(code, undefined, { status, headers });
        }
        counts.set(name, count + 1);
      }
    },
  };
}
