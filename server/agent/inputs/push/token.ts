// Checks the token of a push (a request that brings data), before its body is read. So a client without the token
// causes almost no work.

import { headerOf } from "../../../http/guards/client.ts";
import { isSameToken } from "../../../http/guards/token.ts";
import type { Call } from "../../serving/route.ts";
import { PushRefusal } from "./push.ts";

/** Query parameters that may hold the token: `p` is the password of InfluxDB 1, `token` the token of Splunk. */
const parameters = ["p", "token"] as const;

/**
 * Throws PushRefusal when the request does not have the token. The token may be in the header Authorization, with any
 * scheme (with `Basic`, as the password), or in a query parameter. When `token` is empty, accepts every request.
 */
export function checkToken({ request, query }: Pick<Call, "request" | "query">, token: string): void {
  if (token === "") return;
  const sent = [
    ...inHeader(headerOf(request.raw, "authorization")),
    ...parameters.map((name) => query.get(name) ?? ""),
  ];
  if (sent.every((each) => each === "")) {
    throw new PushRefusal(401, "a token is missing: send the header Authorization", "no token");
  }
  // All texts of the request that may be the token are compared, even after one has matched. So the time of the check
  // does not tell which of these texts is the token.
  const fitting = sent.filter((each) => isSameToken(each, token));
  if (fitting.length === 0) throw new PushRefusal(401, "the token is wrong", "wrong token");
}

/** Returns the parts of the header Authorization that may be the token. */
function inHeader(header: string): string[] {
  const [, scheme = "", sent = ""] = /^(\S+)\s+(.*)$/.exec(header) ?? [];
  switch (scheme.toLowerCase()) {
    case "basic":
      return [afterColon(decoded(sent))];
    case "apikey":
      return [sent, decoded(sent), afterColon(decoded(sent))];
    case "token":
      // Clients of InfluxDB 1 send the header `Authorization: Token user:password`.
      return [sent, afterColon(sent)];
    default:
      return [sent];
  }
}

const decoded = (text: string) => Buffer.from(text, "base64").toString();
const afterColon = (text: string) => text.slice(text.indexOf(":") + 1);
