// Opens the grok mode with a row that a grok did not match.

import { addressText } from "../state/address.ts";
import type { Session } from "../state/session.svelte.ts";
import type { PlaceCount, PointRecord } from "../worker/protocol.ts";

/** Opens the grok mode with the row's text and the expression of the call at `place`. */
export async function openInGrok(session: Session, record: PointRecord, place: PlaceCount | undefined): Promise<void> {
  if (place === undefined || !(await session.takeIntoGrok(record, place))) return;
  location.hash = addressText({ mode: "grok", project: null });
}
