// Checks the versions of objects, so that clients do not overwrite each other's changes. An answer contains the
// version of the object in the header ETag. A request for a change may contain the ETag or the `updateAt` that
// the client has seen, in the header If-Match (docs/reference/open-api.md#a-change-that-is-sent-twice).

import { shownText } from "../../../../lib/text/index.ts";
import type { StoredRecord } from "../../metadata/records.ts";
import { invalidParameter, OpenApiError } from "./errors.ts";

export type Versioned = Pick<StoredRecord<unknown>, "version" | "updateAt" | "changedUs">;

/**
 * Returns the ETag of an object. Each change of the object changes the ETag. It also differs when the object is
 * deleted and created again.
 */
export function etagOf({ version, changedUs }: Versioned): string {
  return `"${version}-${changedUs}"`;
}

/**
 * Throws VersionConflict when the object has changed since the client read it. Without the header If-Match,
 * nothing is checked, and the last change wins. When the header has several values, one of them must match. A
 * weak ETag never matches (RFC 9110, 13.1.1). `updateAt` is a time in whole seconds. When an object has changed
 * more than once in the current second, only the ETag can distinguish its versions, so `updateAt` is refused
 * until the second is over.
 */
export function checkUnchanged(header: (name: string) => string, stored: Versioned, nowMs: number): void {
  const sent = header("if-match").trim();
  if (sent === "" || sent === "*") return;
  if (!VALUES.test(sent)) throw invalidParameter("If-Match", "expected ETag, integer or *");
  const values: readonly string[] = sent.match(VALUE) ?? [];
  if (values.includes(etagOf(stored))) return;
  const seconds = values.map((value) => SECONDS.exec(value)?.[1]).filter((value) => value !== undefined);
  // Clients may still send an `updateAt` with a fraction of a second, because earlier versions of the platform
  // returned such values.
  const { updateAt, changedUs } = stored;
  const same = seconds.find((each) => Number(each) === updateAt || Math.round(Number(each) * 1e6) === changedUs);
  if (same === undefined) {
    const weak = values.some((value) => value.startsWith("W/")) ? " A weak ETag, W/, matches nothing." : "";
    throw new OpenApiError("VersionConflict", `The object has changed since ${shownText(sent, MOST_SHOWN)}.${weak}`);
  }
  if (Number(same) === updateAt && changedUs % 1000 > 0 && Math.floor(nowMs / 1000) === updateAt) {
    const advice = "If-Match with its ETag tells the changes apart.";
    throw new OpenApiError("VersionConflict", `The object has changed more than once at ${same}. ${advice}`);
  }
}

/** Maximum length in bytes of the If-Match value quoted in an error message. */
const MOST_SHOWN = 200;

const VALUE = /(?:W\/)?"[^"]*"|[0-9]+(?:\.[0-9]+)?/g;
const VALUES = new RegExp(`^(?:${VALUE.source})(?:[ \\t]*,[ \\t]*(?:${VALUE.source}))*$`);
/** Matches `updateAt` (seconds since 1970) with or without quotes. */
const SECONDS = /^"?([0-9]+(?:\.[0-9]+)?)"?$/;
