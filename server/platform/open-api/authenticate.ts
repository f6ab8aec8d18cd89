// Whose request it is: the header DF-API-KEY names key and workspace (Open API document, 1.6), and what the key's roles allow.

import type { IncomingMessage } from "node:http";
import { headerOf } from "../../http/client.ts";
import type { KeyStore } from "../metadata/keys.ts";
import type { Actor, Scope } from "../metadata/scope.ts";
import { OpenApiError } from "./errors.ts";

export async function authenticate(request: IncomingMessage, keys: KeyStore, traceId: string): Promise<Scope> {
  const secret = headerOf(request, "df-api-key");
  const opened = secret === "" ? undefined : await keys.open(secret);
  if (opened === undefined) throw new OpenApiError("InvalidApiKey");
  return { ...opened, traceId };
}

export const roles = ["owner", "wsAdmin", "general", "readOnly"] as const;
/** Of a new key. */
export const usualRoles: readonly string[] = ["wsAdmin"];

/** Several roles allow what any of them allows. */
export function mayChange({ roles }: Actor): boolean {
  return roles.some((role) => role !== "readOnly");
}
