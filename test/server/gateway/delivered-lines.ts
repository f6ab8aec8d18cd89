// The points that a workspace was sent, as lines.

import { createMillrace } from "../../../lib/index.ts";
import type { Delivered } from "../support/running-gateway.ts";

const mill = await createMillrace();

/** Of line protocol as it came; of protobuf what it holds, in nanoseconds. */
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
