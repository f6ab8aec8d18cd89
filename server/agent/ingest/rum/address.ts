// The tags a RUM point gets from the address of its browser (docs/reference/agent.md#rum). Without an address database, and for
// addresses that it does not know, the place is unknown.

import type { IncomingMessage } from "node:http";
import { isIP } from "node:net";
import { headerOf, peerAddress } from "../../../http/guards/client.ts";
import type { Place } from "../../engine.ts";
import type { ExtraTag } from "../write-request.ts";

/** Told by the named header, else by the usual ones, else the peer. */
export function browserAddress(request: IncomingMessage, originHeader: string): string {
  const named = originHeader === "" ? "" : headerOf(request, originHeader.toLowerCase());
  const told = named || headerOf(request, "x-forwarded-for") || headerOf(request, "x-real-ip");
  // Only the first of a list counts; it is not trimmed.
  return told.split(",")[0] || peerAddress(request);
}

/** `placeOf` is asked about addresses only. */
export function addressTags(address: string, placeOf: (address: string) => Place | null): ExtraTag[] {
  const place = isIP(address) === 0 ? null : placeOf(address);
  const parts = ["city", "province", "country", "isp"] as const;
  return [["ip", address], ...parts.map((part): ExtraTag => [part, place?.[part] || "unknown"])];
}
