// Opens the grok mode with the text of a row that a `grok` call of the script did not match.

import { addressText } from "../state/address.ts";
import type { Session } from "../state/session.svelte.ts";
import type { PlaceCount, PointRecord } from "../worker/protocol.ts";

/** Opens the grok mode with the text of a row and the expression of the `grok` call at `place` in a script. */
export async function openInGrok(session: Session, record: PointRecord, place: PlaceCount | undefined): Promise<void> {
  if (place === undefined || !(await session.takeIntoGrok(record, place))) return;
  location.hash = addressText({ mode: "grok", project: null });
}
