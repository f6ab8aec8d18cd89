// Refuses requests that name two hosts (RFC 9112, sections 3.2 and 3.2.2): in two Host headers, or in the Host
// header and in an absolute URL in the request line. A proxy in front of the service may have checked only one
// of these hosts, and the service might use the other one.

import type { IncomingMessage, RequestListener } from "node:http";
import { sendError } from "../answer.ts";
import { ApiError, type Service } from "../errors.ts";
import { headerOf } from "./client.ts";

/**
 * Returns a listener that checks each request. A request that names one host is passed to `listener`; an
 * absolute URL in its request line is first replaced by the path. Any other request is answered with the status
 * 400 and an error code of `service`.
 */
export function withOneHost(service: Service, listener: RequestListener): RequestListener {
  return (request, response) => {
    const mistake = mistakeOf(request);
    if (mistake === undefined) {
      listener(request, response);
      return;
    }
    sendError(response, new ApiError(`${service}.badRequest`, mistake, { connection: "close" }));
  };
}

/**
 * Returns the reason why the host of the request is refused; undefined when it is accepted. Replaces an absolute URL in
 * the request line by its path.
 */
function mistakeOf(request: IncomingMessage): string | undefined {
  if (hasSeveralHosts(request.rawHeaders)) return "the request has more than one Host header";
  const { url = "" } = request;
  if (url.startsWith("/") || url === "*") return undefined;
  const [, authority, target] = /^https?:\/\/([^/?#]*)(.*)$/is.exec(url) ?? [];
  if (authority === undefined || authority.toLowerCase() !== headerOf(request, "host").toLowerCase()) {
    return "the target of the request names another host than its Host header";
  }
  request.url = target!.startsWith("/") ? target : `/${target}`;
  return undefined;
}

function hasSeveralHosts(rawHeaders: readonly string[]): boolean {
  let hosts = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at]!;
    if (name.length === 4 && name.toLowerCase() === "host") hosts++;
  }
  return hosts > 1;
}
