// Computes the size of a point that counts when points are packed into bodies of limited size
// (docs/reference/points.md#batches).

import { P_NAME_LENGTH } from "../tape/layout";
import { count, entryAt, gather } from "./entries";
import { countsOf, warningsCount } from "./estimate";
import { warningsOf } from "./pbjson";
import { protobufSize } from "./protobuf/protobuf";

/**
 * Returns the size of the point in bytes: with `exact` the length of its protobuf message, else an estimate that does
 * not depend on how numbers are printed.
 */
export function sizeOf(batch: usize, point: usize, exact: bool): u32 {
  gather(batch, point, false);
  if (exact) return protobufSize(batch, point);
  let size = load<u32>(point, P_NAME_LENGTH);
  for (let i: u32 = 0; i < count; i++) size += countsOf(batch, entryAt(i));
  const warnings = warningsOf(batch, point);
  return warnings ? size + warningsCount(warnings) : size;
}
