// The time zone of the page: the zone of the browser, unless the user has chosen another one. The browser keeps the
// choice.

import { namedZone, type Zone } from "../../../../lib/time/index.ts";
import { visitTexts } from "../../state/storage/storage.ts";
import { zoneOf } from "./zoned-time.ts";

const key = "millrace-time-zone";

/** Returns the zone of the browser; UTC when the browser names no zone or an unknown one. */
function ownZone(): string {
  const { timeZone } = new Intl.DateTimeFormat().resolvedOptions();
  return namedZone(timeZone) === null ? "UTC" : timeZone;
}

class ZoneChoice {
  /** The chosen IANA name; null for the zone of the browser. */
  chosen = $state<string | null>(null);
  /** The zone of the browser. */
  readonly own = ownZone();
  readonly name = $derived(this.chosen ?? this.own);
  readonly zone = $derived.by((): Zone => zoneOf(this.name));

  constructor() {
    const stored = visitTexts.get(key);
    if (stored !== null && namedZone(stored) !== null) this.chosen = stored;
  }

  /** Chooses a zone by its IANA name; null for the zone of the browser. */
  choose(name: string | null): void {
    this.chosen = name;
    visitTexts.set(key, name);
  }
}

export const zoneChoice = new ZoneChoice();
