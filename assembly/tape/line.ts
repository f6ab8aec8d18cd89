// Forgets the line of a point when the line no longer says what the point says.

import { POINT_SERIES, P_FLAGS } from "./layout";

/**
 * Marks that an entry of the line, or the measurement, was changed, so that the line cannot be copied any more. Adding
 * an entry does not need this call.
 */
export function forgetLine(point: usize): void {
  store<u32>(point, load<u32>(point, P_FLAGS) & ~POINT_SERIES, P_FLAGS);
}
