// The end of memory. A call that cannot go on without more of it traps; what a scan has besides its batch is given back before that, so that an
// instance whose batch is freed owns all of its pages again.

import { giveShapes } from "../line-protocol/shapes";
import { giveTags } from "../line-protocol/line";

/** The address of what was taken; traps when it is 0. */
// @ts-ignore: decorator
@inline
export function need(address: usize): usize {
  if (!address) endScan();
  return address;
}

function endScan(): void {
  giveTags();
  giveShapes();
  unreachable();
}
