// The line of a point, as long as it says what the point says.

import { POINT_SERIES, P_FLAGS } from "./layout";

/** An entry of the line, or the measurement, is changed: what the line says counts no longer. Entries may be added without that. */
export function forgetLine(point: usize): void {
  store<u32>(point, load<u32>(point, P_FLAGS) & ~POINT_SERIES, P_FLAGS);
}
