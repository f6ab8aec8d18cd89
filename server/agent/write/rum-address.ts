// The tags a RUM point gets from the address of its browser (agent document, A.3.8). Without an address database the
// place is unknown.

import type { IncomingMessage } from "node:http";
import { headerOf } from "../../http/client.ts";
import type { ExtraTag } from "./protocol.ts";

export function rumTags(request: IncomingMessage, originHeader: string): ExtraTag[] {
  const forwarded =
    originHeader !== ""
      ? headerOf(request, originHeader)
      : headerOf(request, "x-forwarded-for") || headerOf(request, "x-real-ip");
  // Only the first of a list counts; it is not trimmed.
  const address = forwarded.split(",")[0] || (request.socket.remoteAddress ?? "").replace(/^::ffff:/, "");
  return [["ip", address], ...["city", "province", "country", "isp"].map((key): ExtraTag => [key, "unknown"])];
}
