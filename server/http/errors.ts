// The errors that HTTP answers report. Every error code is declared once, in the folder `error-codes`, with its HTTP
// status.

import { escapeJson, shortenedText } from "../../lib/text/index.ts";
import { agentErrors } from "./error-codes/agent.ts";
import { gatewayErrors } from "./error-codes/gateway.ts";
import { platformErrors } from "./error-codes/platform.ts";

export const declaredErrors = { ...agentErrors, ...gatewayErrors, ...platformErrors } as const;

export type ErrorCode = keyof typeof declaredErrors;

/** Services whose answers report errors as `{"error_code","message"}`. */
export type Service = "agent" | "gateway" | "platform";

/**
 * Returns the error code with which `service` answers. The modules that all services share throw errors with an agent's
 * error code, such as `agent.bodyTooLarge`. For a gateway, this function returns the code `gateway.bodyTooLarge`
 * instead.
 */
export function codeFor(service: Exclude<Service, "agent">, code: ErrorCode): ErrorCode {
  if (code === "agent.queryParseError") return code;
  const own = code.replace(/^agent\./, `${service}.`);
  return own in declaredErrors ? (own as ErrorCode) : `${service}.badRequest`;
}

/**
 * An error that is sent to the client as `{"error_code","message"}`. An empty message is left out of the answer;
 * a long message is cut to 1 KB.
 */
export class ApiError extends Error {
  readonly code: ErrorCode;
  readonly headers: Readonly<Record<string, string>>;

  constructor(code: ErrorCode, message = "", headers: Readonly<Record<string, string>> = {}) {
    super(shortenedText(message));
    this.code = code;
    this.headers = headers;
  }

  get status(): number {
    return declaredErrors[this.code].status;
  }
}

export function errorBody(code: ErrorCode, message: string): string {
  return safeJson(message === "" ? { error_code: code } : { error_code: code, message });
}

/**
 * Returns a value as JSON text in which control characters are escaped. Strings in the value may quote text from
 * a client, and a user may print the answer in a terminal; unescaped control characters could manipulate the
 * terminal.
 */
export function safeJson(value: unknown): string {
  return escapeJson(JSON.stringify(value));
}
