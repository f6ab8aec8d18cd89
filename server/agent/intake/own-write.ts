// Decides which requests an intake process (a further process that accepts writes) handles itself. These are writes to
// which no script and no filter applies, and which need neither resolved error stacks nor tags with the browser's
// address. Their body must be quick to decode, since decoding blocks the process.

import type { IncomingMessage } from "node:http";
import { formOf } from "../../http/body/point-form.ts";
import { headerOf } from "../../http/guards/client.ts";
import { briefBytes } from "../ingest/fast-path/small-writes.ts";
import { writtenCategory } from "../inputs/http-write/write-front.ts";
import { writeQueryOf } from "../inputs/write-query.ts";
import { pathOf } from "../serving/guards.ts";
import type { IntakeState } from "./protocol.ts";

/**
 * Largest length in bytes of a compressed body that an intake process (a further process that accepts writes) handles
 * itself. The body may decompress to a hundred times as many bytes.
 */
const mostCompressedBytes = 64 * 1024;

/**
 * Returns whether the intake process handles the request itself. `matchesByName`: whether the name of each point
 * decides which script runs over the point.
 */
export function isOwnWrite(
  raw: IncomingMessage,
  { handedOn, scripted }: Pick<IntakeState, "handedOn" | "scripted">,
  matchesByName: boolean,
): boolean {
  if (raw.method !== "POST") return false;
  const path = pathOf(raw);
  const category = writtenCategory.get(path);
  if (category === undefined || handedOn.includes(category)) return false;
  const query = writeQueryOf(raw.url!.slice(path.length + 1));
  if ((matchesByName || query.source !== "") && scripted.includes(category)) return false;
  const bytes = Number(raw.headers["content-length"] ?? Number.POSITIVE_INFINITY);
  const isCompressed = raw.headers["content-encoding"] !== undefined || query.encoding !== "";
  return bytes <= (isCompressed ? mostCompressedBytes : briefBytes[formOf(headerOf(raw, "content-type"))]);
}
