// Marks points that no longer have the content of their line in the body, so that encoders do not copy the line.

import { POINT_SERIES, P_FLAGS } from "./layout";

/**
 * Records that the measurement or an entry of the point's line was changed, so that the line cannot be copied to the
 * output any more. A caller that only adds an entry does not need this function.
 */
export function forgetLine(point: usize): void {
  store<u32>(point, load<u32>(point, P_FLAGS) & ~POINT_SERIES, P_FLAGS);
}
