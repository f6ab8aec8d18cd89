// The versions of an object for clients: the header ETag of answers, and the header If-Match of changes (Open API document, 1.9), which has
// the ETag or the `updateAt` that the client has seen.

import type { StoredRecord } from "../../metadata/records.ts";
import { invalidParameter, OpenApiError } from "./errors.ts";

export type Versioned = Pick<StoredRecord<unknown>, "version" | "updateAt" | "changedUs">;

/** Another one for every change, also of an object that was deleted and made again. */
export function etagOf({ version, changedUs }: Versioned): string {
  return `"${version}-${changedUs}"`;
}

/**
 * Throws VersionConflict when the object has changed since. Without the header the last writer wins. Only the ETag tells changes of one
 * second apart: while a second lasts in which the object changed more than once, its `updateAt` may be an earlier state's and is refused.
 */
export function checkUnchanged(header: (name: string) => string, stored: Versioned, nowMs: number): void {
  const sent = header("if-match").trim();
  if (sent === "" || sent === "*" || sent === etagOf(stored)) return;
  const changed = (since: string) => new OpenApiError("VersionConflict", `The object has changed since ${since}.`);
  if (/^"[0-9]+-[0-9]+"$/.test(sent)) throw changed(sent);
  const seen = /^"?([0-9]+(?:\.[0-9]+)?)"?$/.exec(sent)?.[1];
  if (seen === undefined) throw invalidParameter("If-Match", "expected integer");
  // Answers of earlier versions had a fraction.
  const { updateAt, changedUs } = stored;
  if (Number(seen) !== updateAt && Math.round(Number(seen) * 1e6) !== changedUs) throw changed(seen);
  if (Number(seen) === updateAt && changedUs % 1000 > 0 && Math.floor(nowMs / 1000) === updateAt) {
    const advice = "If-Match with its ETag tells the changes apart.";
    throw new OpenApiError("VersionConflict", `The object has changed more than once at ${seen}. ${advice}`);
  }
}
