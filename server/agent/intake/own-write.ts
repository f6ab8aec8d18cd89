// Which requests an intake process takes itself: writes whose points need no script, filter, stack or address, and whose body
// is decoded in a moment, since nothing else goes on in the process meanwhile.

import type { IncomingMessage } from "node:http";
import type { CategoryName } from "../../../lib/point/category.ts";
import { headerOf } from "../../http/client.ts";
import { formOf } from "../../http/point-form.ts";
import { pathOf } from "../guards.ts";
import { writtenCategory } from "../write/front.ts";
import { briefBytes } from "../write/small-writes.ts";

/** Of a compressed body, which may become a hundred times as many. */
const mostCompressedBytes = 64 * 1024;

export function isOwnWrite(raw: IncomingMessage, handedOn: readonly CategoryName[]): boolean {
  if (raw.method !== "POST") return false;
  const category = writtenCategory.get(pathOf(raw));
  if (category === undefined || handedOn.includes(category)) return false;
  const bytes = Number(raw.headers["content-length"] ?? Number.POSITIVE_INFINITY);
  const isCompressed = raw.headers["content-encoding"] !== undefined || raw.url!.includes("encoding=");
  return bytes <= (isCompressed ? mostCompressedBytes : briefBytes[formOf(headerOf(raw, "content-type"))]);
}
