// Declares the error codes in the answers of an agent.

import type { DeclaredError } from "./declared-error.ts";

export const agentErrors = {
  "agent.badRequest": {
    status: 400,
    meaning: "A parameter, a member or the URL is wrong.",
    remedy: "Read the message: it names the part that is wrong.",
  },
  "agent.invalidRequest": {
    status: 400,
    meaning: "The JSON body of a debug request, a dial test or an object label is not what the interface takes.",
    remedy: "Send a JSON object with the members that docs/reference/agent.md lists.",
  },
  "agent.invalidCategory": {
    status: 400,
    meaning: "The path or the member `category` names no category.",
    remedy: "Use one of the ten categories, in lower case.",
  },
  "agent.invalidPipeline": {
    status: 400,
    meaning: "The scripts of a debug request are missing or not base64.",
    remedy: "Send each script as base64 below `pipeline`, by category and name.",
  },
  "agent.invalidData": {
    status: 400,
    meaning: "The data of a debug request or of a sender's request cannot be read, or is larger than allowed.",
    remedy: "Send base64 of valid points or logs, or what the protocol asks for; the message names the bound.",
  },
  "agent.decodeBodyFailed": {
    status: 400,
    meaning: "The body cannot be decompressed, or ended early.",
    remedy: "Name the right encoding in `Content-Encoding` or `encoding=`: gzip, deflate, br or zstd.",
  },
  "agent.emptyBody": { status: 400, meaning: "The request has no body.", remedy: "Send the points as the body." },
  "agent.noPoints": {
    status: 400,
    meaning: "The body holds no point, only blank lines, comments or an empty list.",
    remedy: "Send at least one point; skip the request when there is none.",
  },
  "agent.invalidLinePoint": {
    status: 400,
    meaning: "A line of line protocol cannot be read; no point of the body was kept.",
    remedy: "Correct the lines that the message quotes. `pos` is the offset in bytes.",
  },
  "agent.invalidJsonPoint": {
    status: 400,
    meaning: "The body is not a JSON list of points; no point of the body was kept.",
    remedy: "Correct the member that the message names. Send logs of other JSON forms to /v1/write/logstreaming.",
  },
  "agent.invalidProtobufPoint": {
    status: 400,
    meaning: "The body is not the protobuf message that the interface takes; no point was kept.",
    remedy: "Check the Content-Type and how the sender encodes.",
  },
  "agent.pointGotWarning": {
    status: 400,
    meaning: "A point had to be corrected, and the request asked for `strict`.",
    remedy: "Send points that need no correction, or leave out `strict`.",
  },
  "agent.invalidStorageIndex": {
    status: 400,
    meaning: "The parameter `storage_index` has a wrong form.",
    remedy: "Begin with a letter; use only lower-case letters, digits and `_`.",
  },
  "agent.invalidJSON": {
    status: 400,
    meaning: "The body is not the JSON object that the interface takes.",
    remedy: "Send valid JSON; the message says what is expected.",
  },
  "agent.inputOrErrcontentCanNotBeNil": {
    status: 400,
    meaning: "A report to /v1/lasterror lacks `input` or `err_content`.",
    remedy: "Send both members as texts.",
  },
  "agent.unknownRUMMeasurement": {
    status: 400,
    meaning: "A RUM point has an unknown measurement, and `rum.check_points` is on.",
    remedy: "Use view, resource, action, long_task, error or telemetry, or switch the check off.",
  },
  "agent.tokenRequired": {
    status: 401,
    meaning: "The input has a token, and the request brings none or another one.",
    remedy: "Send the token in the header Authorization (docs/inputs.md).",
  },
  "agent.scriptSavingDisabled": {
    status: 403,
    meaning: "A client wanted to save a script, and `pipeline.save_scripts` is off.",
    remedy: "Write the file into the data folder, or switch the setting on.",
  },
  "agent.scriptNotSaved": {
    status: 409,
    meaning:
      "A script was not saved: its file is another one than the client believes, no plain file, has no version before, or cannot be written.",
    remedy: "Ask for the scripts again, look at the difference, and send the request again.",
  },
  "agent.livePointsDisabled": {
    status: 403,
    meaning: "A client wanted to look at live points, and `pipeline.live_points` is off.",
    remedy: "Switch the setting on.",
  },
  "agent.publicAccessDisabled": {
    status: 403,
    meaning: "The interface answers programs of this machine only; or a browser's page, or an unknown Host, asked.",
    remedy: "Call from this machine, or list the path in `http_api.public_apis` (docs/access.md).",
  },
  "agent.RUMApp_idNotInTheWhiteList": {
    status: 403,
    meaning: "The `app_id` of a RUM point is not in `http_api.rum_app_id_white_list`.",
    remedy: "Add the application to the list.",
  },
  "agent.invalidToken": {
    status: 403,
    meaning: "The token of GET /restart is missing or wrong.",
    remedy: "Send the token of the first address in `gateway.urls`.",
  },
  "agent.electionDisabled": {
    status: 403,
    meaning: "Election tags were asked for, and elections are off.",
    remedy: "Set `election.enable = true`.",
  },
  "agent.inputOff": {
    status: 404,
    meaning: "The path belongs to an input that is switched off.",
    remedy: "Set `enable = true` in the table that the message names.",
  },
  "agent.bodyTooSlow": {
    status: 408,
    meaning: "The body came with fewer bytes per second than `http_api.min_body_bytes_per_second`.",
    remedy: "Send again, in smaller bodies over a slow network, or lower the setting.",
  },
  "agent.bodyTooLarge": {
    status: 413,
    meaning: "The body, its points, or what they become, is larger than a limit; nothing was kept.",
    remedy: "Send smaller bodies, or raise the setting that the message names.",
  },
  "agent.reachMaxAPILimit": {
    status: 429,
    meaning: "The client sent more requests to this path than `http_api.request_rate_limit` allows.",
    remedy: "Send fewer and larger bodies, or raise the setting.",
  },
  "agent.queryParseError": {
    status: 400,
    meaning: "A query cannot be read, or asks for what the language does not allow. The platform uses this code, too.",
    remedy: "Correct the query at the line and column of the message; see the table of query errors below.",
  },
  "agent.queryFailed": {
    status: 500,
    meaning: "The platform could not answer the query.",
    remedy: "Read the message; look into the log of the platform.",
  },
  "agent.internalServerError": {
    status: 500,
    meaning: "The agent failed in a way it does not expect, or the client went away.",
    remedy: "Send again; if it comes back, look into the log and report it.",
  },
  "agent.allRetryFailed": {
    status: 500,
    meaning: "A gateway did not answer a request that was handed on to it.",
    remedy: "Check `gateway.urls` and the network with `millrace doctor`.",
  },
  "agent.gatewayTokenMissing": {
    status: 500,
    meaning: "The request goes to a gateway, and neither the request nor `gateway.urls` has a token.",
    remedy: "Write the address as http://host:port?token=...",
  },
  "agent.noGatewayAvailable": {
    status: 500,
    meaning: "The interface needs a gateway, and none is configured.",
    remedy: "Set `gateway.urls`.",
  },
  "agent.noGatewayRules": {
    status: 404,
    meaning: "The page asked for the rules of the gateway, and no gateway gave any.",
    remedy: "Read the message: it says what is missing, and where to set it.",
  },
  "agent.noPlatform": {
    status: 404,
    meaning: "The request is for the Open API, and the agent knows no platform.",
    remedy: "Set `http_api.open_api.url` and `http_api.open_api.key`, or run `millrace start`.",
  },
  "agent.noOpenApiPath": {
    status: 404,
    meaning: "The Open API has no such path, or not with this method.",
    remedy: "Look the path up in the reference of the Open API, `/api/v1/docs` of the platform.",
  },
  "agent.platformFailed": {
    status: 502,
    meaning: "The platform did not answer a request for its Open API, or its answer is too large.",
    remedy: "Look whether the platform runs; check `http_api.open_api`; ask for less.",
  },
  "agent.platformTimeout": {
    status: 504,
    meaning: "The platform did not answer a request for its Open API within `http_api.open_api.timeout`.",
    remedy: "Ask for a shorter time or fewer groups, or raise the setting.",
  },
  "agent.tokenMissing": {
    status: 500,
    meaning: "A session replay needs a token, and `gateway.urls` has none.",
    remedy: "Write the address as http://host:port?token=...",
  },
  "agent.tooManyBytesInFlight": {
    status: 503,
    meaning: "The bodies held at once reach `http_api.max_inflight_bytes`; nothing was kept.",
    remedy: "Send again after the seconds of Retry-After.",
  },
  "agent.tooManyWritesWaiting": {
    status: 503,
    meaning: "The writes that wait for a thread reach `http_api.max_waiting_writes`; nothing was kept.",
    remedy: "Send again after the seconds of Retry-After; give the agent more threads or simpler scripts.",
  },
  "agent.queueFull": {
    status: 503,
    meaning: "The queue on disk holds `gateway.wal.max_capacity_gb` and refuses more.",
    remedy: "Send again later; find out why the gateway takes nothing (`millrace queue`, `millrace doctor`).",
  },
  "agent.queueFailed": {
    status: 503,
    meaning: "The queue, or the output file, cannot be written. Part of a body with several categories may be kept.",
    remedy: "Free space on the disk or repair it, then send again.",
  },
  "agent.notReady": {
    status: 503,
    meaning: "The agent stops, or reads its configuration anew.",
    remedy: "Send again after the seconds of Retry-After.",
  },
  "agent.queryTimeout": {
    status: 504,
    meaning: "The query took longer than the time allowed.",
    remedy: "Ask for a shorter time or fewer groups, or raise `platform.query_timeout`.",
  },
} as const satisfies Record<string, DeclaredError>;
