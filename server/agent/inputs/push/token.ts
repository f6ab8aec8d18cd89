// Checks the token of a push. The check comes before the body is read, so that clients without the token cost nothing.

import { headerOf } from "../../../http/guards/client.ts";
import { isSameToken } from "../../../http/guards/token.ts";
import type { Call } from "../../serving/route.ts";
import { PushRefusal } from "./push.ts";

/** Query parameters in which senders of the protocols put their token: the password of Influx v1, the token of Splunk. */
const parameters = ["p", "token"] as const;

/**
 * Throws PushRefusal when the request does not bring the token. The token may come in the header Authorization, whatever
 * the scheme (as password of `Basic`), or as a query parameter. With an empty `token` each request is let through.
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
  // Each candidate is compared, so that the time does not show which one fits.
  const fitting = sent.filter((each) => isSameToken(each, token));
  if (fitting.length === 0) throw new PushRefusal(401, "the token is wrong", "wrong token");
}

/** Returns the texts of a header Authorization that may be the token. */
function inHeader(header: string): string[] {
  const [, scheme = "", sent = ""] = /^(\S+)\s+(.*)$/.exec(header) ?? [];
  switch (scheme.toLowerCase()) {
    case "basic":
      return [afterColon(decoded(sent))];
    case "apikey":
      return [sent, decoded(sent), afterColon(decoded(sent))];
    case "token":
      // Clients of Influx v1 send `Token user:password`.
      return [sent, afterColon(sent)];
    default:
      return [sent];
  }
}

const decoded = (text: string) => Buffer.from(text, "base64").toString();
const afterColon = (text: string) => text.slice(text.indexOf(":") + 1);
