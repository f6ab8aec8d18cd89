// Encodes points as line protocol, JSON and protobuf JSON in plain JavaScript
// (docs/reference/points.md#writing-line-protocol). Tests compare the encoders written in WebAssembly with the encoders
// in this file. The encoders in this file replace bytes that are not UTF-8 by U+FFFD.

import { arrayTypeUrl } from "../../lib/point/codec/pbjson.ts";
import { maxSeriesKey } from "../../lib/point/limits.ts";
import { metricTypeName } from "../../lib/point/metric-type.ts";
import { isTimeInRange, nanosecondsIn } from "../../lib/point/precision.ts";
import { Float, PointArray, type PointValue, type Scalar, Uint } from "../../lib/point/value.ts";
import type { Entry, EntryTraits, PointView } from "../../lib/point/view.ts";
import { encodeBase64 } from "../../lib/text/base64.ts";
import { isBytes } from "../../lib/text/bytes.ts";
import { byteLength, compareText } from "../../lib/text/utf8.ts";
import { jsonFloat, plainFloat } from "./float.ts";

/**
 * Returns the points as lines of line protocol, joined by newlines. Leaves out points that line protocol cannot
 * express.
 */
export function encodeLineProtocol(points: Iterable<PointView>, precision = "n"): string {
  const lines: string[] = [];
  for (const point of points) {
    const line = lineOf(point, precision);
    if (line !== null) lines.push(line);
  }
  return lines.join("\n");
}

/**
 * Returns the point as one line with its time in units of `precision`, or null when line protocol cannot express the
 * point.
 */
function lineOf(point: PointView, precision: string): string | null {
  const parts = lineParts(point);
  return parts === null ? null : `${parts.series} ${parts.fields} ${point.time / nanosecondsIn(precision)}`;
}

export function encodeJson(points: Iterable<PointView>): string {
  return `[${Array.from(points, jsonOf).join(",")}]`;
}

export function encodePbjson(points: Iterable<PointView>): string {
  return `[${Array.from(points, pbjsonOf).join(",")}]`;
}

/**
 * Returns the two parts of a point's line: its series (measurement and tags) and its fields. Returns null when line
 * protocol cannot express the point.
 */
function lineParts(point: PointView): { series: string; fields: string } | null {
  const entries = sorted(point);
  let series = escapeMeasurement(point.name);
  const fields: string[] = [];
  for (const { key, value, isTag } of entries) {
    const text = isTag ? textOf(value) : lineValue(value);
    if (isTag) {
      if (text !== "") series += `,${escapeTag(key)}=${escapeTag(text!)}`;
    } else if (text !== undefined) {
      if (key === "") return null;
      fields.push(`${escapeFieldKey(key)}=${text}`);
    }
  }
  if (fields.length === 0 || !isTimeInRange(point.time) || byteLength(series) > maxSeriesKey) return null;
  return { series, fields: fields.join(",") };
}

/** Returns a field's value in line protocol, or `undefined` when the field is left out. */
function lineValue(value: PointValue): string | undefined {
  if (value === null) return undefined;
  if (!(value instanceof PointArray)) return lineScalar(value);
  const elements = value.elements.map(lineScalar);
  return elements.length === 0 || elements.includes(undefined) ? undefined : `[${elements.join(",")}]`;
}

function lineScalar(value: Scalar): string | undefined {
  if (typeof value === "string") return quoted(value);
  if (typeof value === "number" || typeof value === "bigint") return `${value}i`;
  if (typeof value === "boolean") return value ? "true" : "false";
  if (value instanceof Float) return Number.isFinite(value.value) ? plainFloat(value.value) : undefined;
  if (value instanceof Uint) return `${value.value}u`;
  if (value instanceof Uint8Array) return `"${encodeBase64(value)}"b`;
  return quoted(value.toString());
}

function quoted(text: string): string {
  return /["\\]/.test(text) ? `"${text.replace(/["\\]/g, "\\$&")}"` : `"${text}"`;
}

function escapeMeasurement(name: string): string {
  return /[, ]/.test(name) ? name.replace(/\\([, ])/g, "$1").replace(/[, ]/g, "\\$&") : name;
}

function escapeTag(text: string): string {
  return /[, =]/.test(text) ? text.replace(/[, =]/g, "\\$&") : text;
}

function escapeFieldKey(text: string): string {
  return /[, ="]/.test(text) ? text.replace(/[, ="]/g, "\\$&") : text;
}

function jsonOf(point: PointView): string {
  const tags: string[] = [];
  const fields: string[] = [];
  for (const { key, value, isTag } of sorted(point)) {
    const text = jsonValue(value);
    if (text !== undefined) (isTag ? tags : fields).push(`${JSON.stringify(key)}:${text}`);
  }
  const members = [`"measurement":${JSON.stringify(point.name)}`];
  if (tags.length > 0) members.push(`"tags":{${tags.join(",")}}`);
  members.push(`"fields":{${fields.join(",")}}`);
  if (point.time !== 0n) members.push(`"time":${point.time}`);
  return `{${members.join(",")}}`;
}

function jsonValue(value: PointValue): string | undefined {
  if (value === null) return undefined;
  if (!(value instanceof PointArray)) return jsonScalar(value);
  const elements = value.elements.map(jsonScalar);
  return elements.includes(undefined) ? undefined : `[${elements.join(",")}]`;
}

function jsonScalar(value: Scalar): string | undefined {
  if (typeof value === "string") return JSON.stringify(value);
  if (typeof value === "number" || typeof value === "bigint" || typeof value === "boolean") return String(value);
  if (value instanceof Float) return Number.isFinite(value.value) ? jsonFloat(value.value) : undefined;
  if (value instanceof Uint) return String(value.value);
  if (value instanceof Uint8Array) return `"${encodeBase64(value)}"`;
  return JSON.stringify(value.toString());
}

function pbjsonOf(point: PointView): string {
  const entries = Array.from(point.entries(), (entry) => pbjsonEntry(entry, point.traits?.(entry.key)));
  const members = [`"name":${JSON.stringify(point.name)}`, `"fields":[${entries.join(",")}]`, `"time":"${point.time}"`];
  const { warnings = [] } = point;
  if (warnings.length > 0) {
    const warns = warnings.map(({ type, message }) => JSON.stringify({ type, message }));
    members.push(`"warns":[${warns.join(",")}]`);
  }
  return `{${members.join(",")}}`;
}

function pbjsonEntry({ key, value, isTag }: Entry, traits: EntryTraits | undefined): string {
  let text = `{"key":${JSON.stringify(key)}`;
  if (value instanceof PointArray) {
    const elements = value.elements.map((element) => `{${pbjsonScalar(element)}}`);
    text += `,"a":{"@type":"${arrayTypeUrl}"${elements.length > 0 ? `,"arr":[${elements.join(",")}]` : ""}}`;
  } else if (value !== null) text += `,${pbjsonScalar(value)}`;
  if (isTag) text += `,"is_tag":true`;
  if (traits !== undefined) {
    const { metricType, unit, description } = traits;
    if (metricType !== 0) text += `,"type":${JSON.stringify(metricTypeName(metricType) ?? metricType)}`;
    if (unit !== "") text += `,"unit":${JSON.stringify(unit)}`;
    if (description !== "") text += `,"description":${JSON.stringify(description)}`;
  }
  return `${text}}`;
}

/** Returns a scalar value as a JSON member named after its type, such as `"s":"text"`. */
function pbjsonScalar(value: Scalar): string {
  if (typeof value === "string") return `"s":${JSON.stringify(value)}`;
  if (typeof value === "number" || typeof value === "bigint") return `"i":"${value}"`;
  if (typeof value === "boolean") return `"b":${value}`;
  if (value instanceof Float) return `"f":${pbjsonFloat(value.value)}`;
  if (value instanceof Uint) return `"u":"${value.value}"`;
  if (value instanceof Uint8Array) return `"d":"${encodeBase64(value)}"`;
  return `"s":${JSON.stringify(value.toString())}`;
}

function pbjsonFloat(value: number): string {
  return Number.isFinite(value) ? jsonFloat(value) : `"${value}"`;
}

function sorted(point: PointView): Entry[] {
  return [...point.entries()].sort((a, b) => compareText(a.key, b.key));
}

function textOf(value: PointValue): string {
  return isBytes(value) ? value.toString() : String(value);
}
