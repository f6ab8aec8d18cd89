// Converts JSON logs, as one object per line or as a list of objects, to PBJSON points
// (docs/reference/agent.md#log-streams). Members of a log become fields of its point; numbers keep their digits. The
// time and the level of a log are found by the member names that usual loggers use.

import { mappedStatus } from "../../../../lib/pipeline/index.ts";
import { resolveDecimal, resolveTime } from "../../../../lib/point/index.ts";
import {
  checkJson,
  JsonNumber,
  type JsonObject,
  JsonSyntaxError,
  type JsonValue,
  readJson,
} from "../../../../lib/text/index.ts";
import { exactJson } from "../../../http/body/exact-json.ts";
import { isTooDeep, maxDepth } from "../../../http/body/json-value.ts";
import { StreamError } from "./log-stream.ts";

/** Returns the points of the logs in a body. `source`: the measurement of the points. Throws StreamError. */
export function jsonLogs(body: Uint8Array, source: string): Uint8Array {
  if (isTooDeep(body)) throw new StreamError(`the logs are nested deeper than ${maxDepth}`);
  const name = JSON.stringify(source);
  const points: string[] = [];
  for (const raw of objectsOf(new TextDecoder().decode(body))) {
    const log = reading(`log ${points.length}`, () => readJson(raw)) as JsonObject;
    points.push(`{"name":${name},${pointOf(log, raw)}}`);
  }
  return new TextEncoder().encode(`[${points.join(",")}]`);
}

function reading<T>(what: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof JsonSyntaxError)) throw error;
    throw new StreamError(`${what}: ${error.message}`);
  }
}

const braceOrString = /["{}]/g;
const closing = /["\\]/g;

/**
 * Yields the text of each JSON object in `text`. Between objects, only white space is allowed; in a list, also brackets
 * and commas.
 */
function* objectsOf(text: string): Iterable<string> {
  const isList = /^\s*\[/.test(text);
  if (isList) reading("the list", () => checkJson(text));
  const between = isList ? /[\s,[\]]*/y : /\s*/y;
  for (let at = 0; ; ) {
    between.lastIndex = at;
    between.test(text);
    const start = between.lastIndex;
    if (start === text.length) return;
    if (text[start] !== "{") throw new StreamError(`unit ${start} of the text: an object is expected`);
    at = endOfObject(text, start);
    yield text.slice(start, at);
  }
}

/**
 * Returns the offset after the JSON object that starts at `start`; the length of the text when the object is not
 * closed.
 */
function endOfObject(text: string, start: number): number {
  let depth = 0;
  braceOrString.lastIndex = start;
  for (let found = braceOrString.exec(text); found !== null; found = braceOrString.exec(text)) {
    if (found[0] === "{") depth++;
    else if (found[0] === "}") {
      if (--depth === 0) return braceOrString.lastIndex;
    } else braceOrString.lastIndex = endOfString(text, found.index);
  }
  return text.length;
}

function endOfString(text: string, start: number): number {
  closing.lastIndex = start + 1;
  for (let found = closing.exec(text); found !== null; found = closing.exec(text)) {
    if (found[0] === '"') return closing.lastIndex;
    closing.lastIndex++;
  }
  return text.length;
}

const timeMembers: readonly string[] = ["time", "timestamp", "@timestamp"];
const levelMembers: readonly string[] = ["level", "severity"];

/** Returns the PBJSON text of a log's point, without the point's name. */
function pointOf(log: JsonObject, raw: string): string {
  let time: bigint | undefined;
  let timeMember = "";
  for (const member of timeMembers) {
    time = timeOf(log.get(member) ?? null);
    timeMember = member;
    if (time !== undefined) break;
  }
  const entries: string[] = [];
  for (const [key, value] of log) {
    // The member that holds the log's time becomes the time of the point, not a field.
    if (value === null || (time !== undefined && key === timeMember)) continue;
    entries.push(`{"key":${JSON.stringify(key)},${valueMember(value)}}`);
  }
  if ((log.get("message") ?? null) === null) entries.push(`{"key":"message","s":${JSON.stringify(raw)}}`);
  const status = (log.get("status") ?? null) === null ? statusOf(log) : undefined;
  if (status !== undefined) entries.push(`{"key":"status","s":${JSON.stringify(status)}}`);
  return `"fields":[${entries.join(",")}]${time === undefined ? "" : `,"time":"${time}"`}`;
}

/** Returns the PBJSON member that holds a field's value, named for the type of the value. */
function valueMember(value: Exclude<JsonValue, null>): string {
  if (typeof value === "boolean") return `"b":${value}`;
  if (value instanceof JsonNumber) return numberOf(value);
  return `"s":${JSON.stringify(typeof value === "string" ? value : exactJson(value))}`;
}

const [minInt, maxInt, maxUint] = [-(2n ** 63n), 2n ** 63n - 1n, 2n ** 64n - 1n];

/** Returns the PBJSON member for a number. A number that no field type can hold becomes a string. */
function numberOf({ text }: JsonNumber): string {
  if (/^-?\d{1,20}$/.test(text)) {
    const value = BigInt(text);
    if (value >= minInt && value <= maxInt) return `"i":"${value}"`;
    if (value > 0n && value <= maxUint) return `"u":"${value}"`;
  }
  return Number.isFinite(Number(text)) ? `"f":${text}` : `"s":"${text}"`;
}

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
function timeOf(value: JsonValue): bigint | undefined {
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

function statusOf(log: JsonObject): string | undefined {
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
