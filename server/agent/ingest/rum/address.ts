// Makes the tags that a RUM point gets from the IP address of its browser: the address and its geographic place
// (docs/reference/agent.md#rum). The place is "unknown" when there is no address database or the database does not know
// the address.

import type { IncomingMessage } from "node:http";
import { isIP } from "node:net";
import { headerOf, peerAddress } from "../../../http/guards/client.ts";
import type { Place } from "../../engine.ts";
import type { ExtraTag } from "../write-request.ts";

/**
 * Returns the address of the browser that sent the request. Takes it from the header `originHeader`, otherwise from
 * `x-forwarded-for` or `x-real-ip`, otherwise from the connection.
 */
export function browserAddress(request: IncomingMessage, originHeader: string): string {
  const named = originHeader === "" ? "" : headerOf(request, originHeader.toLowerCase());
  const forwarded = named || headerOf(request, "x-forwarded-for") || headerOf(request, "x-real-ip");
  // When the header contains a list, only the first element of the list is used. Spaces in this element are not
  // removed.
  return forwarded.split(",")[0] || peerAddress(request);
}

/**
 * Returns the tags for the IP address of a browser. Calls `placeOf`, which looks up the geographic place of an address,
 * only with a valid IP address.
 */
export function addressTags(address: string, placeOf: (address: string) => Place | null): ExtraTag[] {
  const place = isIP(address) === 0 ? null : placeOf(address);
  const parts = ["city", "province", "country", "isp"] as const;
  return [["ip", address], ...parts.map((part): ExtraTag => [part, place?.[part] || "unknown"])];
}
