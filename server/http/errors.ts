// The errors of answers: every error code is declared once in `error-codes`, with its HTTP status.

import { escapeJson, shortenedText } from "../../lib/text/index.ts";
import { agentErrors } from "./error-codes/agent.ts";
import { gatewayErrors } from "./error-codes/gateway.ts";
import { platformErrors } from "./error-codes/platform.ts";

export const declaredErrors = { ...agentErrors, ...gatewayErrors, ...platformErrors } as const;

export type ErrorCode = keyof typeof declaredErrors;

/** Services that answer errors in this form. */
export type Service = "agent" | "gateway" | "platform";

/** Returns the error code of another service than the agent for an error of shared code, which has an agent's code. */
export function codeFor(service: Exclude<Service, "agent">, code: ErrorCode): ErrorCode {
  if (code === "agent.queryParseError") return code;
  const own = code.replace(/^agent\./, `${service}.`);
  return own in declaredErrors ? (own as ErrorCode) : `${service}.badRequest`;
}

/**
 * An error that becomes the answer `{"error_code","message"}`. The message is left out when it is empty, and is cut to
 * 1 KB.
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
 * Returns JSON without control sequences for a terminal: its texts may quote what a client sent, and a user may print
 * the answer.
 */
export function safeJson(value: unknown): string {
  return escapeJson(JSON.stringify(value));
}
