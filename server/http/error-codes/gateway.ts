// Declares the error codes in the answers of a gateway. Modules that all services share throw errors with an
// agent's error code; the gateway replaces such a code by its own code of the same name.

import type { DeclaredError } from "./declared-error.ts";

export const gatewayErrors = {
  "gateway.badRequest": {
    status: 400,
    meaning: "The URL, a parameter or a header is wrong, or the body cannot be decompressed.",
    remedy: "Read the message: it names the part that is wrong.",
  },
  "gateway.ipForbidden": {
    status: 403,
    meaning: "The client's address is not in `gateway_api.white_list`.",
    remedy: "Add its network; behind a proxy, that of the proxy.",
  },
  "gateway.emptyToken": {
    status: 403,
    meaning: "The request has no token.",
    remedy: "Add ?token=..., or set `gateway_api.enable_empty_token` and `gateway_api.token`.",
  },
  "gateway.invalidToken": {
    status: 403,
    meaning: "The token has a wrong form, or is the internal one, which is switched off.",
    remedy: "Use the token of a workspace.",
  },
  "gateway.publicAccessDisabled": {
    status: 403,
    meaning: "The interface answers programs of this machine only.",
    remedy: "Call from this machine, or list the path in `gateway_api.public_apis` (docs/access.md).",
  },
  "gateway.invalidCategory": {
    status: 404,
    meaning: "The path names no category.",
    remedy: "Use one of the ten categories, in lower case.",
  },
  "gateway.sinkRulesNotMatched": {
    status: 406,
    meaning: "No sink rule takes the request, and there is no default entry; nothing was kept.",
    remedy:
      "Add an entry with the condition `*`, or a rule that fits; `millrace gateway explain` shows every comparison.",
  },
  "gateway.bodyTooSlow": {
    status: 408,
    meaning: "The body came with fewer bytes per second than `gateway_api.min_body_bytes_per_second`.",
    remedy: "Send again, in smaller bodies over a slow network, or lower the setting.",
  },
  "gateway.bodyTooLarge": {
    status: 413,
    meaning: "The body is larger than `gateway_api.max_http_body_bytes`, or its parts are larger than allowed.",
    remedy: "Send smaller bodies, or raise the setting that the message names.",
  },
  "gateway.tooManyRequests": {
    status: 429,
    meaning: "The path gets more requests than `gateway_api.api_limit_rate` allows.",
    remedy: "Send again after the seconds of Retry-After, or raise the setting.",
  },
  "gateway.headerTooLarge": {
    status: 431,
    meaning: "The header X-Global-Tags is larger than the gateway reads.",
    remedy: "Send fewer or shorter shard keys.",
  },
  "gateway.internalServerError": {
    status: 500,
    meaning: "The gateway failed in a way it does not expect, or the client went away.",
    remedy: "Send again; if it comes back, look into the log and report it.",
  },
  "gateway.upstreamFailed": {
    status: 502,
    meaning:
      "A target took nothing, and the request is not kept: the cache is off or full, or the body too large for it.",
    remedy: "Check that the targets run; look at `gateway_api.cache`.",
  },
  "gateway.queueFailed": {
    status: 503,
    meaning: "A target took nothing, and the request cannot be written to disk.",
    remedy: "Free space on the disk or repair it, then send again.",
  },
  "gateway.sinkRulesInvalid": {
    status: 503,
    meaning: "The file of sink rules is missing or has mistakes; nothing is sent where it should not go.",
    remedy: "Correct the file: `millrace gateway check` names each mistake.",
  },
  "gateway.noRemoteHost": {
    status: 503,
    meaning: "No sink rule routes the request, and there is no `gateway_api.remote_host`.",
    remedy: "Add a rule that matches, or set the host.",
  },
  "gateway.tooManyBytesInFlight": {
    status: 503,
    meaning: "The bodies held at once reach `gateway_api.max_inflight_bytes`; nothing was kept.",
    remedy: "Send again after the seconds of Retry-After.",
  },
  "gateway.upstreamTimeout": {
    status: 504,
    meaning: "A target took longer than `gateway_api.http_timeout`.",
    remedy: "Send again; look what keeps the target busy.",
  },
  "gateway.tooManyHops": {
    status: 508,
    meaning: "The request passed too many gateways, most often because they send to each other in a circle.",
    remedy: "Look where the sink rules and `remote_host` of each gateway lead.",
  },
} as const satisfies Record<string, DeclaredError>;
