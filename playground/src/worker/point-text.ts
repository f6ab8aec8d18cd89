// Converts points to plain objects of strings, which can be posted to the page.

import {
  type CategoryName,
  correct,
  Float,
  isBytes,
  kindOf,
  type Point,
  PointArray,
  type PointValue,
  type PointView,
  Uint,
} from "../../../lib/index.ts";
import type { Instance } from "./instance.ts";
import type { EntryText, OutputForm, PointText } from "./protocol.ts";

/** Longer values are cut to this many characters before they are sent to the page. */
const longestValue = 8 * 1024;

export function pointText(point: PointView): PointText {
  const entries: EntryText[] = [];
  for (const { key, value, isTag } of point.entries()) {
    const text = valueText(value);
    const kind = kindOf(value);
    entries.push(
      text.length > longestValue
        ? { key, kind, isTag, text: text.slice(0, longestValue), length: text.length }
        : { key, kind, isTag, text },
    );
  }
  return { name: point.name, time: point.time, entries };
}

/** Returns a value of a point as text for the user to read. */
export function valueText(value: PointValue): string {
  if (value === null) return "";
  if (value instanceof Float) return floatText(value.value);
  if (value instanceof Uint) return String(value.value);
  if (value instanceof PointArray) return `[${value.elements.map(elementText).join(", ")}]`;
  if (value instanceof Uint8Array) return `${value.length} bytes ${hex(value.subarray(0, 64))}`;
  if (isBytes(value)) return value.toString();
  return String(value);
}

function elementText(value: PointValue): string {
  return typeof value === "string" || isBytes(value) ? JSON.stringify(value.toString()) : valueText(value);
}

/** Returns a float as text. A whole number gets `.0`, so that it does not look like an int. */
function floatText(value: number): string {
  return Number.isInteger(value) && Math.abs(value) < 1e15 ? value.toFixed(1) : String(value);
}

function hex(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join(" ");
}

const decoder = new TextDecoder();

export function pointForms(mill: Instance, point: Point): Record<OutputForm, string> {
  const written = (form: OutputForm) => decoder.decode(mill.encodePoints([point], form));
  return { lp: written("lp"), json: written("json").slice(1, -1), pbjson: written("pbjson").slice(1, -1) };
}

/**
 * Corrects a point once more, by the rules of its category (such as metrics or logs), because the script may have
 * changed the point. The agent does the same before it sends the point.
 */
export function corrected(point: Point, category: CategoryName): Point {
  correct(point, category);
  return point;
}
