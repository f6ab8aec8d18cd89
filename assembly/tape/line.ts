// Marks points whose line in the body no longer has the same content, so that encoders do not copy the line.

import { POINT_SERIES, P_FLAGS } from "./layout";

/**
 * Records that an entry from the line, or the measurement, was changed, so that the line cannot be copied to the output
 * any more. Adding an entry does not need this call.
 */
export function forgetLine(point: usize): void {
  store<u32>(point, load<u32>(point, P_FLAGS) & ~POINT_SERIES, P_FLAGS);
}
