// Decides where a request goes: to the targets that sink rules (routing rules) choose, or directly to the
// platform. The token of the request decides (docs/reference/gateway.md#order-of-the-checks).

import { hasTokenShape } from "../../lib/sharding/index.ts";
import type { Config } from "../config/schema.ts";
import { ApiError } from "../http/errors.ts";
import { isSameToken } from "../http/guards/token.ts";

export type Destination =
  | { readonly kind: "sink" }
  /** The request is sent directly to the platform, with the token `token`. */
  | { readonly kind: "direct"; readonly token: string };

const internalToken = "__internal__";

/**
 * Returns whether a request is routed by sink rules (rules that choose the targets of a request) or sent
 * directly to the platform. `hasHeader`: whether the request has the header X-Global-Tags, even with an empty
 * value. Throws an ApiError with status 403 when the token is missing or not allowed.
 */
export function destinationOf(config: Config, isSinkOn: boolean, token: string, hasHeader: boolean): Destination {
  const own = config["gateway_api.token"];
  const secret = config["gateway_api.secret_token"];
  if (token === "") {
    if (config["gateway_api.enable_empty_token"]) return { kind: "direct", token: own };
    if (isSinkOn && secret === "") return { kind: "sink" };
    throw new ApiError("gateway.emptyToken", "a token is needed: ?token=...");
  }
  if (token === internalToken) {
    if (config["gateway_api.enable_internal_token"]) return { kind: "direct", token: own };
    throw new ApiError("gateway.invalidToken", "the internal token is switched off");
  }
  if (!isSinkOn) return { kind: "direct", token };
  if (secret !== "") return isSameToken(token, secret) ? { kind: "sink" } : { kind: "direct", token };
  // Clients that use sink rules send the header X-Global-Tags, by which the rules choose the target. So a request
  // with a workspace token and without this header is sent directly to the platform.
  return hasTokenShape(token) && !hasHeader ? { kind: "direct", token } : { kind: "sink" };
}
