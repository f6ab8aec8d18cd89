// The points that a workspace received from a gateway, as lines of line protocol.

import { createMillrace } from "../../../lib/index.ts";
import type { Delivered } from "../support/running-gateway.ts";

const mill = await createMillrace();

/**
 * Returns the lines of an upload: line protocol unchanged, and protobuf converted to lines with times in nanoseconds.
 */
export function linesOf({ headers, body }: Delivered): string[] {
  if (headers["content-type"] !== "application/protobuf") return split(body);
  const points = mill.decodePoints(body, { category: "metric", form: "pb", precision: "n" });
  try {
    return split(mill.encodePoints(points, "lp"));
  } finally {
    points.release();
  }
}

function split(bytes: Uint8Array): string[] {
  return new TextDecoder().decode(bytes).trim().split("\n");
}
