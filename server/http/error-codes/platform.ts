// Declares the error codes of a platform's interfaces for points and queries. The Open API has its own list of codes
// (server/platform/open-api/protocol/errors.ts).

import type { DeclaredError } from "./declared-error.ts";

export const platformErrors = {
  "platform.badRequest": {
    status: 400,
    meaning: "The URL or a parameter is wrong, or the body cannot be decompressed.",
    remedy: "Read the message: it names the part that is wrong.",
  },
  "platform.emptyBody": { status: 400, meaning: "The request has no body.", remedy: "Send the points as the body." },
  "platform.invalidPoints": {
    status: 400,
    meaning: "The body cannot be read as points; none of them was kept.",
    remedy: "Correct what the message quotes.",
  },
  "platform.invalidJSON": {
    status: 400,
    meaning: "The body is not JSON.",
    remedy: "Send valid JSON; the message says where reading ended.",
  },
  "platform.invalidRequest": {
    status: 400,
    meaning: "A member of the request is missing or has the wrong type.",
    remedy: "Correct the member that the message names (docs/reference/query.md).",
  },
  "platform.emptyToken": {
    status: 403,
    meaning: "The request has no token.",
    remedy: "Add ?token=..., or the header X-Token.",
  },
  "platform.invalidToken": {
    status: 403,
    meaning: "The token names no workspace.",
    remedy: "Use a token of `platform.tokens`, or that of a workspace (`millrace key`).",
  },
  "platform.publicAccessDisabled": {
    status: 403,
    meaning: "The interface answers programs of this machine only.",
    remedy: "Call from this machine, or list the path in `platform.public_apis` (docs/access.md).",
  },
  "platform.notFound": {
    status: 404,
    meaning: "The platform has no such interface.",
    remedy: "Check path and method.",
  },
  "platform.invalidCategory": {
    status: 404,
    meaning: "The path names no category.",
    remedy: "Use one of the ten categories, in lower case.",
  },
  "platform.bodyTooSlow": {
    status: 408,
    meaning: "The body came with fewer bytes per second than `platform.min_body_bytes_per_second`.",
    remedy: "Send again, in smaller bodies over a slow network, or lower the setting.",
  },
  "platform.bodyTooLarge": {
    status: 413,
    meaning: "The body, its points, or what they become, is larger than a limit; nothing was kept.",
    remedy: "Send smaller bodies, or raise the setting that the message names.",
  },
  "platform.queryCancelled": {
    status: 499,
    meaning: "The client closed the connection before the query was answered.",
    remedy: "Nothing; nobody reads this answer, it stands in the metrics.",
  },
  "platform.internalServerError": {
    status: 500,
    meaning: "The platform failed in a way it does not expect.",
    remedy: "Send again; if it comes back, look into the log and report it.",
  },
  "platform.queryFailed": {
    status: 500,
    meaning: "The store could not compute the answer, or it needs more than `platform.query_memory_mb`.",
    remedy: "Ask for a shorter time, fewer columns or fewer groups; the message says which bound was met.",
  },
  "platform.storeFailed": {
    status: 503,
    meaning: "The points, or a session replay, cannot be written to the store.",
    remedy: "Send again after the seconds of Retry-After; look at the disk and at `millrace platform check`.",
  },
  "platform.tooManyBytesInFlight": {
    status: 503,
    meaning: "The bodies held at once reach `platform.max_inflight_bytes`; nothing was kept.",
    remedy: "Send again after the seconds of Retry-After.",
  },
  "platform.queryTimeout": {
    status: 504,
    meaning: "The query took longer than `platform.query_timeout`.",
    remedy: "Ask for a shorter time or fewer groups, or raise the setting.",
  },
} as const satisfies Record<string, DeclaredError>;
