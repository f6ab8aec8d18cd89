// The versions of an object for clients: the header ETag of answers, and the header If-Match of changes
// (docs/reference/open-api.md#a-change-that-is-sent-twice), which has
// the ETag or the `updateAt` that the client has seen.

import { shownText } from "../../../../lib/point/shown-text.ts";
import type { StoredRecord } from "../../metadata/records.ts";
import { invalidParameter, OpenApiError } from "./errors.ts";

export type Versioned = Pick<StoredRecord<unknown>, "version" | "updateAt" | "changedUs">;

/** Another one for every change, also of an object that was deleted and made again. */
export function etagOf({ version, changedUs }: Versioned): string {
  return `"${version}-${changedUs}"`;
}

/**
 * Throws VersionConflict when the object has changed since. Without the header the last writer wins; of several values one has to be that
 * of the object. A weak ETag is that of no object (RFC 9110, 13.1.1). Only the ETag tells changes of one second apart: while a second lasts
 * in which the object changed more than once, its `updateAt` may be an earlier state's and is refused.
 */
export function checkUnchanged(header: (name: string) => string, stored: Versioned, nowMs: number): void {
  const sent = header("if-match").trim();
  if (sent === "" || sent === "*") return;
  if (!VALUES.test(sent)) throw invalidParameter("If-Match", "expected ETag, integer or *");
  const values: readonly string[] = sent.match(VALUE) ?? [];
  if (values.includes(etagOf(stored))) return;
  const seconds = values.map((value) => SECONDS.exec(value)?.[1]).filter((value) => value !== undefined);
  // Answers of earlier versions had a fraction.
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

/** Bytes. */
const MOST_SHOWN = 200;

const VALUE = /(?:W\/)?"[^"]*"|[0-9]+(?:\.[0-9]+)?/g;
const VALUES = new RegExp(`^(?:${VALUE.source})(?:[ \\t]*,[ \\t]*(?:${VALUE.source}))*$`);
/** `updateAt` as it is, and in quotes. */
const SECONDS = /^"?([0-9]+(?:\.[0-9]+)?)"?$/;
