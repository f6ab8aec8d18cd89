// The points that a workspace received, as lines.

import { createMillrace } from "../../../lib/index.ts";
import type { Delivered } from "../support/running-gateway.ts";

const mill = await createMillrace();

/** Returns line protocol unchanged, and the points of protobuf in nanoseconds. */
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
