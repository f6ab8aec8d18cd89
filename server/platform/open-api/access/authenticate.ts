// Finds the key and the workspace of a request from the header DF-API-KEY (docs/reference/open-api.md#a-key), and
// checks what the roles of the key allow.

import type { KeyStore } from "../../metadata/keys.ts";
import type { Actor, Scope } from "../../metadata/scope.ts";
import { OpenApiError } from "../protocol/errors.ts";

/** Returns the workspace and the actor (an API key) to which a secret belongs. Throws InvalidApiKey. */
export async function authenticate(secret: string, keys: KeyStore, traceId: string): Promise<Scope> {
  const opened = secret === "" ? undefined : await keys.open(secret);
  if (opened === undefined) throw new OpenApiError("InvalidApiKey");
  return { ...opened, traceId };
}

export const roles = ["owner", "wsAdmin", "general", "readOnly"] as const;
/** The roles that a new API key gets when the request names none. */
export const usualRoles: readonly string[] = ["wsAdmin"];

/** The roles that an API key may have when it is made through the Open API. */
export const givenRoles = ["wsAdmin", "general", "readOnly"] as const satisfies readonly (typeof roles)[number][];

/** Returns whether an actor (an API key) may make and delete keys and rename workspaces. */
export function mayAdminister({ roles }: Actor): boolean {
  return roles.some((role) => role === "owner" || role === "wsAdmin");
}

/**
 * Returns whether an actor (an API key) may change objects. An actor with several roles may do whatever one of them
 * allows.
 */
export function mayChange({ roles }: Actor): boolean {
  return roles.some((role) => role !== "readOnly");
}
