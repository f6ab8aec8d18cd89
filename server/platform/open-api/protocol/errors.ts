// The list of all errors of the Open API (docs/errors.md#open-api). Each entry declares an error code, its HTTP
// status, its message, and advice for the user.

import { shortenedText } from "../../../../lib/text/index.ts";

export const catalogue = {
  RouterNotFound: {
    status: 400,
    message: "Requested route address does not exist.",
    remedy: "Check path and method against the list of routes.",
  },
  InvalidJSON: {
    status: 400,
    message: "Request body is not valid JSON: <reason>",
    remedy: "Send valid JSON; the reason says where reading ended.",
  },
  InvalidContentType: {
    status: 400,
    message: "Content-Type must be application/json.",
    remedy: "Send the header Content-Type: application/json.",
  },
  InvalidParameter: {
    status: 400,
    message: "<name>: <reason>",
    remedy: "Correct the member or parameter that the message names.",
  },
  NameDuplicated: {
    status: 400,
    message: '<name>: "<value>" already exists',
    remedy: "Choose another name, or modify the object that has it.",
  },
  InvalidApiKey: {
    status: 403,
    message: "Invalid request API KEY.",
    remedy: "Send a key of this platform in the header DF-API-KEY; `millrace key create` makes one.",
  },
  NoPermission: {
    status: 403,
    message: "No permission to access this data.",
    remedy: "Use a key of the workspace that the object belongs to.",
  },
  ObjectNotFound: {
    status: 404,
    message: "The operation object cannot be found: <uuid>",
    remedy: "List the objects: it was deleted, or belongs to another workspace.",
  },
  MethodNotAllowed: {
    status: 405,
    message: "Only GET and POST are supported.",
    remedy: "Use GET to read and POST to change.",
  },
  RequestTooSlow: {
    status: 408,
    message: "Request body comes with less than <n> bytes per second.",
    remedy: "Send again, in smaller bodies over a slow network.",
  },
  VersionConflict: {
    status: 412,
    message: "The object has changed since <updateAt>.",
    remedy: "Read the object again, make the change anew, and send its new ETag.",
  },
  RequestTooLarge: {
    status: 413,
    message: "Request body is larger than <n> bytes.",
    remedy: "Send a smaller body, or raise `open_api.max_body_bytes`.",
  },
  TriggerApiAkCurrentLimiting: {
    status: 429,
    message: "Too many requests for this API KEY.",
    remedy: "Send again after the seconds of Retry-After, or raise `open_api.key_requests_per_minute`.",
  },
  TriggerApiWorkspaceCurrentLimiting: {
    status: 429,
    message: "Too many requests for this workspace.",
    remedy: "Send again after the seconds of Retry-After, or raise `open_api.workspace_requests_per_minute`.",
  },
  ServerError: {
    status: 500,
    message: "Server-side processing error.",
    remedy: "Send again; look into the log of the platform.",
  },
  InternalError: {
    status: 503,
    message: "Unknown error.",
    remedy: "Send again; if it comes back, look into the log and report it.",
  },
} as const satisfies Record<string, { readonly status: number; readonly message: string; readonly remedy: string }>;

export type OpenApiErrorCode = keyof typeof catalogue;

export interface ErrorExtras {
  readonly headers?: Readonly<Record<string, string>>;
  /** The HTTP status of this error, if it differs from the status that is declared for the error code. */
  readonly status?: number;
  /** The name of the wrong member or parameter. The error message begins with this name. */
  readonly parameter?: string;
}

/** An error that is sent to the client as the answer. Its message is at most 1 KB long. */
export class OpenApiError extends Error {
  readonly code: OpenApiErrorCode;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly parameter: string | undefined;

  /**
   * Creates the error for an error code. `message`: the error message; by default the message that is declared for
   * the code. It must be given when the declared message has a variable part (written as `<...>`), with this part
   * filled in.
   */
  constructor(code: OpenApiErrorCode, message: string = catalogue[code].message, extras: ErrorExtras = {}) {
    super(shortenedText(message));
    this.code = code;
    this.status = extras.status ?? catalogue[code].status;
    this.headers = extras.headers ?? {};
    this.parameter = extras.parameter;
  }
}

/**
 * Returns the error for a wrong parameter. `reason`: the description of the mistake, such as `required` or
 * `expected string`.
 */
export function invalidParameter(name: string, reason: string): OpenApiError {
  return new OpenApiError("InvalidParameter", `${name}: ${reason}`, { parameter: name });
}

export function duplicated(name: string, value: string): OpenApiError {
  return new OpenApiError("NameDuplicated", `${name}: "${value}" already exists`);
}

/** Returns `object`. When `object` is undefined, throws ObjectNotFound with the identifier `uuid` in the message. */
export function found<T>(object: T | undefined, uuid: string): T {
  if (object === undefined) throw objectNotFound(uuid);
  return object;
}

export function objectNotFound(uuid: string): OpenApiError {
  return new OpenApiError("ObjectNotFound", `The operation object cannot be found: ${uuid}`);
}
