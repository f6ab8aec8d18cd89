// The catalogue of errors of the Open API (Open API document, 1.8): code, HTTP status and message, declared once.

import { shortenedText } from "../../../../lib/point/shown-text.ts";

export const catalogue = {
  RouterNotFound: { status: 400, message: "Requested route address does not exist." },
  InvalidJSON: { status: 400, message: "Request body is not valid JSON: <reason>" },
  InvalidContentType: { status: 400, message: "Content-Type must be application/json." },
  InvalidParameter: { status: 400, message: "<name>: <reason>" },
  NameDuplicated: { status: 400, message: '<name>: "<value>" already exists' },
  InvalidApiKey: { status: 403, message: "Invalid request API KEY." },
  NoPermission: { status: 403, message: "No permission to access this data." },
  ObjectNotFound: { status: 404, message: "The operation object cannot be found: <uuid>" },
  MethodNotAllowed: { status: 405, message: "Only GET and POST are supported." },
  RequestTooSlow: { status: 408, message: "Request body comes with less than <n> bytes per second." },
  VersionConflict: { status: 412, message: "The object has changed since <updateAt>." },
  RequestTooLarge: { status: 413, message: "Request body is larger than <n> bytes." },
  TriggerApiAkCurrentLimiting: { status: 429, message: "Too many requests for this API KEY." },
  TriggerApiWorkspaceCurrentLimiting: { status: 429, message: "Too many requests for this workspace." },
  ServerError: { status: 500, message: "Server-side processing error." },
  InternalError: { status: 503, message: "Unknown error." },
} as const satisfies Record<string, { readonly status: number; readonly message: string }>;

export type OpenApiErrorCode = keyof typeof catalogue;

export interface ErrorExtras {
  readonly headers?: Readonly<Record<string, string>>;
  /** The HTTP status, in place of the catalogue's. */
  readonly status?: number;
  /** The wrong member or parameter; the message begins with its name. */
  readonly parameter?: string;
}

/** A refusal that is sent as the answer. Its message is at most 1 KB long. */
export class OpenApiError extends Error {
  readonly code: OpenApiErrorCode;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly parameter: string | undefined;

  /** `message`: the whole message, for a code whose catalogue message has a part in angle brackets. */
  constructor(code: OpenApiErrorCode, message: string = catalogue[code].message, extras: ErrorExtras = {}) {
    super(shortenedText(message));
    this.code = code;
    this.status = extras.status ?? catalogue[code].status;
    this.headers = extras.headers ?? {};
    this.parameter = extras.parameter;
  }
}

/** Returns the error for a wrong parameter. `reason`: `required`, `expected string`, ... */
export function invalidParameter(name: string, reason: string): OpenApiError {
  return new OpenApiError("InvalidParameter", `${name}: ${reason}`, { parameter: name });
}

export function duplicated(name: string, value: string): OpenApiError {
  return new OpenApiError("NameDuplicated", `${name}: "${value}" already exists`);
}

/** Returns the object. Throws ObjectNotFound when it is undefined. */
export function found<T>(object: T | undefined, uuid: string): T {
  if (object === undefined) throw objectNotFound(uuid);
  return object;
}

export function objectNotFound(uuid: string): OpenApiError {
  return new OpenApiError("ObjectNotFound", `The operation object cannot be found: ${uuid}`);
}
