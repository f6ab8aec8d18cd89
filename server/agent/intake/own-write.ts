// Which requests an intake process takes itself: writes whose points need no script, filter, stack or address, and whose body
// is decoded in a moment, since nothing else goes on in the process meanwhile.

import type { IncomingMessage } from "node:http";
import { formOf } from "../../http/body/point-form.ts";
import { headerOf } from "../../http/guards/client.ts";
import { briefBytes } from "../ingest/fast-path/small-writes.ts";
import { writtenCategory } from "../inputs/http-write/write-front.ts";
import { writeQueryOf } from "../inputs/write-query.ts";
import { pathOf } from "../serving/guards.ts";
import type { IntakeState } from "./protocol.ts";

/** Of a compressed body, which may become a hundred times as many. */
const mostCompressedBytes = 64 * 1024;

/** `matchesByName`: points find their scripts by their names. */
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
