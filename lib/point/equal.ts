// Compares two points and describes their first difference (docs/reference/points.md#equality).

import { type OptionNames, refuse, requireMethods, requireOptions } from "../text/argument.ts";
import { isBytes } from "../text/bytes.ts";
import { Float, kindOf, PointArray, type PointValue, Uint } from "./value.ts";
import type { Entry, PointView } from "./view.ts";

/** Options of `pointDifference`, which compares two points. */
export interface EqualOptions {
  readonly ignoreName?: boolean;
  /**
   * Keys that are not compared; `time` may be one of them. When the list is not empty, the points may have different
   * numbers of tags and fields.
   */
  readonly ignoreKeys?: readonly string[];
}

const equalNames: OptionNames<EqualOptions> = { ignoreName: true, ignoreKeys: true };

/**
 * Describes the first difference between two points; returns null when they are equal. The comparison ignores
 * warnings and the order of tags and fields.
 *
 * @example
 * const [a, b] = [new Point("cpu", 1n), new Point("mem", 1n)];
 * pointDifference(a, b, { ignoreName: true }); // null
 */
export function pointDifference(a: PointView, b: PointView, options: EqualOptions = {}): string | null {
  requireMethods("pointDifference", "a", a, "a point", "entries", "get", "setField");
  requireMethods("pointDifference", "b", b, "a point", "entries", "get", "setField");
  requireOptions("pointDifference", options, equalNames);
  const { ignoreName = false, ignoreKeys = [] } = options;
  if (!Array.isArray(ignoreKeys)) refuse("pointDifference", "ignoreKeys", "an array of keys", ignoreKeys);
  if (!ignoreKeys.includes("time") && a.time !== b.time) return `timestamp not equal(${a.time} <> ${b.time})`;
  if (!ignoreName && a.name !== b.name) return `measurement not equla(${a.name} <> ${b.name})`;
  const [left, right] = [entriesOf(a), entriesOf(b)];
  if (ignoreKeys.length === 0) {
    const [tagsA, tagsB] = [left, right].map((entries) => countTags(entries.values()));
    if (tagsA !== tagsB) return `tag count not equal(${tagsA} <> ${tagsB})`;
    const fieldsA = left.size - tagsA!;
    const fieldsB = right.size - tagsB!;
    if (fieldsA !== fieldsB) return `field: count not equal(${fieldsA} <> ${fieldsB})`;
  }
  // When some keys are ignored, the points may have different numbers of tags and fields. So the loop also looks at the
  // tags and fields that only the point `b` has.
  const missing = (ignoreKeys.length === 0 ? [] : [...right.values()]).filter(({ key }) => !left.has(key));
  for (const entry of [...left.values(), ...missing]) {
    if (ignoreKeys.includes(entry.key)) continue;
    const sort = entry.isTag ? "tag" : "field";
    const other = right.get(entry.key);
    if (other === undefined || other.isTag !== entry.isTag || !left.has(entry.key)) {
      return `${sort}: ${entry.key} not exists`;
    }
    if (!areEqual(entry.value, other.value) || unitOf(a, entry.key) !== unitOf(b, entry.key)) {
      return `${sort}: "${entry.key}" value not deep equal(${shown(entry.value)} <> ${shown(other.value)})`;
    }
  }
  return null;
}

function entriesOf(point: PointView): Map<string, Entry> {
  return new Map(Array.from(point.entries(), (entry) => [entry.key, entry]));
}

function countTags(entries: Iterable<Entry>): number {
  let count = 0;
  for (const entry of entries) if (entry.isTag) count++;
  return count;
}

export function areEqual(a: PointValue, b: PointValue): boolean {
  if (kindOf(a) !== kindOf(b)) return false;
  if (a instanceof Float || a instanceof Uint) return a.value === (b as Float | Uint).value;
  if (a instanceof Uint8Array) return areBytesEqual(a, b as Uint8Array);
  if (a instanceof PointArray) {
    const { elements } = b as PointArray;
    return a.elements.length === elements.length && a.elements.every((element, i) => areEqual(element, elements[i]!));
  }
  if (isBytes(a) && isBytes(b)) return areBytesEqual(a.view(), b.view());
  return isBytes(a) || isBytes(b) ? String(a) === String(b) : a === b;
}

function areBytesEqual(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && a.every((byte, i) => byte === b[i]);
}

function unitOf(point: PointView, key: string): string {
  const traits = point.traits?.(key);
  return traits === undefined ? "0  " : `${traits.metricType} ${traits.unit} ${traits.description}`;
}

function shown(value: PointValue): string {
  if (value instanceof Float || value instanceof Uint) return String(value.value);
  return value instanceof PointArray ? `[${value.elements.map(shown).join(" ")}]` : String(value);
}
