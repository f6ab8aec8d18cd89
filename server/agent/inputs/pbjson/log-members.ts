// Finds the time and the status of a log in JSON, by the member names and formats that common loggers use.

import { mappedStatus } from "../../../../lib/pipeline/index.ts";
import { resolveDecimal, resolveTime } from "../../../../lib/point/index.ts";
import { JsonNumber, type JsonObject, type JsonValue } from "../../../../lib/text/index.ts";

/** Names of the members that may hold the time of a log; the first one that the log has is used. */
export const timeMembers: readonly string[] = ["time", "timestamp", "@timestamp"];
/** Names of the JSON members that may hold the level of a log. */
const levelMembers: readonly string[] = ["level", "severity"];

/**
 * Matches a time as a decimal number of seconds, milliseconds, microseconds or nanoseconds. The size of the number
 * decides the unit.
 */
const decimal = /^\d+(?:\.\d+)?(?:[eE][+-]?\d+)?$/;
/**
 * Matches a time in RFC 3339, also with a space instead of `T` or a comma as decimal sign. A time without a zone is in
 * the machine's local time.
 */
const date = /^(\d{4}-\d\d-\d\d)[Tt ](\d\d:\d\d:\d\d)(?:[.,](\d+))?\s*([Zz]|[+-]\d\d:?\d\d)?$/;

/** Parses the time of a log. Returns nanoseconds since 1970; undefined when the value is not a valid time. */
export function timeOf(value: JsonValue): bigint | undefined {
  const text = value instanceof JsonNumber ? value.text : typeof value === "string" ? value : "";
  // A string of more than 64 characters is not a time, so it is not matched against the patterns.
  if (text.length > 64) return undefined;
  if (decimal.test(text)) {
    const time = /^\d{1,19}$/.test(text) ? resolveTime(BigInt(text), "", 0n) : resolveDecimal(text, "", 0n);
    return time === 0n ? undefined : time;
  }
  const found = date.exec(text);
  if (found === null) return undefined;
  const [, day, clock, fraction = "", zone = ""] = found;
  const ms = Date.parse(`${day}T${clock}${zone.toUpperCase().replace(/^(...)(\d\d)$/, "$1:$2")}`);
  return ms > 0 ? BigInt(ms) * 1_000_000n + BigInt(fraction.slice(0, 9).padEnd(9, "0")) : undefined;
}

/** Statuses of logs by syslog severity, from 0 (`emerg`) to 7 (`debug`). */
const syslogStatuses = ["emerg", "alert", "critical", "error", "warning", "notice", "info", "debug"] as const;
/**
 * Statuses of logs by the numeric levels of Node loggers: trace (10), debug (20), info (30), warn (40), error (50) and
 * fatal (60).
 */
const loggerStatuses = ["debug", "debug", "info", "warning", "error", "critical"] as const;

/** Returns the status for the level of a log; undefined when the log has no known level. */
export function statusOf(log: JsonObject): string | undefined {
  for (const member of levelMembers) {
    const value = log.get(member) ?? null;
    if (typeof value === "string" && value !== "") return mappedStatus(value);
    if (!(value instanceof JsonNumber)) continue;
    const level = Number(value.text);
    const status =
      syslogStatuses[level] ?? (member === "level" ? loggerStatuses[Math.floor(level / 10) - 1] : undefined);
    if (status !== undefined) return status;
  }
  return undefined;
}
