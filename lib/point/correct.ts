// Corrects points by the rules of their category, in the order and with the warnings of
// docs/reference/points.md#corrections. `correct` changes the point itself and lists the corrections in
// `point.warnings`.

import { refuse, requireOneOf, requireOptions } from "../text/argument.ts";
import { isBytes, type Text } from "../text/bytes.ts";
import { integer } from "../text/integer.ts";
import { mostQuoted, quoteText } from "../text/quote.ts";
import { shortenedText } from "../text/shown-text.ts";
import { byteLength, cutText, isLonger, OwnedBytes } from "../text/utf8.ts";
import { type CategoryName, categories } from "./category.ts";
import { type CategoryRules, defaultLimits, type Limits, limitNames, rulesOf } from "./limits.ts";
import { Point, type Slot } from "./point.ts";
import { Float, PointArray, type PointValue, Uint } from "./value.ts";

/** The measurement that a point gets when it is sent without a measurement. */
export const defaultName = "__default";

/** Returns a key as warnings show it: shortened when it is long, and without quotes around it. */
export function shortenedKey(key: string): string {
  return shortenedText(key, mostQuoted);
}

/** Whether a point had a field, only tags, or nothing before it was corrected. */
export type ReceivedEntries = "field" | "tag" | "nothing";

/**
 * Corrects the point in place. The required key of the category is added to a point that was sent with fields. A
 * point that was sent without any field does not get this key, and is therefore not stored. Points that describe
 * objects (categories `object` and `custom_object`) are an exception: they get the key even if they were sent
 * with tags only. `receivedEntries` says what the point was sent with, because the corrections may drop all its
 * fields.
 *
 * @example
 * const point = new Point("cpu", 0n);
 * point.setTag(new Key("a\nb"), "x");
 * correct(point, "metric");
 * point.warnings.length > 0; // true
 */
export function correct(
  point: Point,
  category: CategoryName,
  limits: Limits = defaultLimits,
  receivedEntries: ReceivedEntries = "field",
): void {
  if (!(point instanceof Point)) refuse("correct", "point", "a Point", point);
  requireOneOf("correct", "category", category, categories);
  requireOptions("correct", limits, limitNames, "limits");
  requireOneOf("correct", "receivedEntries", receivedEntries, ["field", "tag", "nothing"]);
  const rules = rulesOf(category);
  const warn = (type: string, message: string): void => {
    point.warnings.push({ type, message });
  };
  let slots = point.slotList();
  if (point.hasUnseenKeys) slots = withoutRepeats(slots, warn);
  correctName(point, limits, warn);
  slots = withinCount(slots, false, limits.maxFields, warn);
  slots = withinCount(slots, true, limits.maxTags, warn);
  slots = new EntryCorrector(slots, rules, limits, warn).run();
  const getsRequired = receivedEntries === "field" || (receivedEntries === "tag" && rules.requiredOfTags);
  if (rules.required !== null && getsRequired) addRequired(slots, rules.required, warn);
  point.adopt(slots);
}

/** Returns whether a newly read point has a field, only tags, or nothing. */
export function receivedEntries(entries: Iterable<{ readonly isTag: boolean }>): ReceivedEntries {
  let found: ReceivedEntries = "nothing";
  for (const { isTag } of entries) {
    if (!isTag) return "field";
    found = "tag";
  }
  return found;
}

/**
 * Corrects a measurement that line protocol cannot express, because it contains newlines or ends with
 * backslashes.
 */
export function correctJsonName(point: Point): void {
  const name = withoutNewlines(point.name);
  if (name === point.name) return;
  point.warnings.push({
    type: "invalid_measurement",
    message: `invalid measurement ${quoteText(point.name)}, found \\n or tail \\`,
  });
  point.name = name;
}

type Warn = (type: string, message: string) => void;

/**
 * Keeps one entry (tag or field) for each key, at the position where the key occurs first. The kept entry is the last
 * tag with the key, or the last field when no tag has the key.
 */
function withoutRepeats(slots: Slot[], warn: Warn): Slot[] {
  const places = new Map<string, number>();
  const kept: Slot[] = [];
  for (const slot of slots) {
    const place = places.get(slot.key);
    if (place === undefined) places.set(slot.key, kept.push(slot) - 1);
    else {
      warn("key_name_conflict", `same key (${quoteText(slot.key)})`);
      if (slot.isTag || !kept[place]!.isTag) kept[place] = slot;
    }
  }
  return kept;
}

function correctName(point: Point, { maxMeasurement }: Limits, warn: Warn): void {
  if (point.name === "") {
    warn("invalid_measurement", `empty measurement, use ${defaultName}`);
    point.name = defaultName;
  }
  if (exceeds(point.name, maxMeasurement)) {
    const length = byteLength(point.name);
    warn("invalid_measurement", `exceed max measurement length(${maxMeasurement}), got length ${length}, trimmed`);
    point.name = cutText(point.name, maxMeasurement);
  }
}

/** Keeps the first `max` tags (or fields) of the list and drops all other ones. */
function withinCount(slots: Slot[], tags: boolean, max: number, warn: Warn): Slot[] {
  if (max <= 0 || slots.length <= max) return slots;
  let count = 0;
  const kept = slots.filter((slot) => slot.isTag !== tags || ++count <= max);
  if (count <= max) return slots;
  const sort = tags ? "tag" : "field";
  warn("exceed_max_fields", `exceed max ${sort} count(${max}), got ${count} ${sort}s, extra ${sort}s deleted`);
  return kept;
}

function addRequired(slots: Slot[], [key, text]: readonly [string, string], warn: Warn): void {
  if (slots.some((slot) => slot.key === key)) return;
  warn("add_required_kv", `add required key-value ${quoteText(key)}: ${quoteText(text)}`);
  slots.push({ key, value: text, isTag: false });
}

/**
 * One run of corrections over the tags and fields of a point, in their order. When a correction changes the
 * key of a tag or field to a key that another tag or field of the point already has, the tag or field with
 * the changed key is dropped.
 */
class EntryCorrector {
  private readonly slots: Slot[];
  private readonly rules: CategoryRules;
  private readonly limits: Limits;
  private readonly warn: Warn;
  /**
   * The keys of all tags and fields of the point. The set is made when the first key has to be changed, and is null
   * until then.
   */
  private keys: Set<string> | null = null;
  /**
   * The tags and fields before index `at` that are kept. Null as long as no tag or field was dropped: all of them are
   * then kept.
   */
  private kept: Slot[] | null = null;
  private at = 0;

  constructor(slots: Slot[], rules: CategoryRules, limits: Limits, warn: Warn) {
    this.slots = slots;
    this.rules = rules;
    this.limits = limits;
    this.warn = warn;
  }

  run(): Slot[] {
    const { slots } = this;
    for (this.at = 0; this.at < slots.length; this.at++) {
      const slot = slots[this.at]!;
      const stays = slot.isTag ? this.tag(slot) : this.field(slot);
      if (stays) this.kept?.push(slot);
      else {
        this.kept ??= slots.slice(0, this.at);
        this.keys?.delete(slot.key);
      }
    }
    return this.kept ?? slots;
  }

  private tag(slot: Slot): boolean {
    const { limits, rules, warn } = this;
    if (exceeds(slot.key, limits.maxTagKey)) {
      const length = byteLength(slot.key);
      warn("exceed_max_tag_key_len", `exceed max tag key length(${limits.maxTagKey}), got ${length}, key truncated`);
      if (!this.rekey(slot, cutText(slot.key, limits.maxTagKey), "truncate")) return false;
    }
    if (hasNewlineOrTail(slot.key)) {
      warn("invalid_tag_key", `invalid tag key ${quoteText(slot.key)}, replace \\ or \\n with ''`);
      if (!this.rekey(slot, withoutNewlines(slot.key), "adjust")) return false;
    }
    if (rules.replaceDots && slot.key.includes(".")) {
      warn("invalid_tag_key", `invalid tag key \`${shortenedKey(slot.key)}': found \`.'`);
      if (!this.rekey(slot, slot.key.replaceAll(".", "_"), "adjust")) return false;
    }
    if (this.isRefused(slot)) return false;
    this.tagValue(slot);
    return true;
  }

  private tagValue(slot: Slot): void {
    let text = slot.value as Text;
    if (hasNewlineOrTail(text)) {
      this.warn("found_new_line_or_tail_espace", `invalid tag value ${quoteText(text)}, found \\n or tail \\`);
      text = withoutNewlines(text);
    }
    const max = this.limits.maxTagValue;
    if (exceeds(text, max)) {
      const message = `exceed max tag value length(${max}), got ${byteLength(text)}, value truncated`;
      this.warn("exceed_max_tag_value_len", message);
      text = cutText(text, max);
    }
    slot.value = text;
  }

  private field(slot: Slot): boolean {
    const { limits, rules, warn } = this;
    const max = limits.maxFieldKey;
    if (exceeds(slot.key, max)) {
      const length = byteLength(slot.key);
      warn("exceed_max_field_key_len", `exceed max field key length(${max}), got length ${length}, key truncated`);
      if (!this.rekey(slot, cutText(slot.key, max), "truncate")) return false;
    }
    if (rules.replaceDots && slot.key.includes(".")) {
      warn("dot_in_key", `invalid field key \`${shortenedKey(slot.key)}': found \`.'`);
      if (!this.rekey(slot, slot.key.replaceAll(".", "_"), "adjust")) return false;
    }
    if (hasNewlineOrTail(slot.key)) {
      const message = `invalid field key ${quoteText(slot.key)}: found \\n, replaced with ' '`;
      warn("found_new_line_or_tail_espace", message);
      if (!this.rekey(slot, withoutNewlines(slot.key), "adjust")) return false;
    }
    if (this.isRefused(slot)) return false;
    const value = this.fieldValue(slot.key, slot.value);
    if (value === undefined) return false;
    slot.value = value;
    return true;
  }

  /** Returns the corrected value of a field; `undefined` when the field must be dropped. */
  private fieldValue(key: string, value: PointValue): PointValue | undefined {
    if (typeof value === "number" || typeof value === "bigint" || typeof value === "boolean") return value;
    if (typeof value === "string" || value instanceof Uint8Array || isBytes(value)) return this.sized(key, value);
    if (value instanceof Float) return this.finite(key, value);
    if (value instanceof Uint) return this.limits.noUint === true ? this.signed(key, value) : value;
    if (value instanceof PointArray && value.elements.length > 0) return this.finiteArray(key, value);
    this.warn("nil_field", `nil field(${shortenedKey(key)})`);
    return null;
  }

  private sized(key: string, value: Text | Uint8Array): PointValue | undefined {
    if (this.rules.dropStrings) {
      const message = `field(${shortenedKey(key)}) dropped with string value, when [DisableStringField] enabled`;
      this.warn("invalid_field_value_type", message);
      return undefined;
    }
    const max = this.limits.maxFieldValue;
    const isLong = value instanceof Uint8Array ? max > 0 && value.length > max : exceeds(value, max);
    if (!isLong) return value;
    const length = value instanceof Uint8Array ? value.length : byteLength(value);
    const message = `field (${shortenedKey(key)}) exceed max field value length(${max}), got ${length}, value truncated`;
    this.warn("exceed_max_field_value_len", message);
    return value instanceof Uint8Array ? value.slice(0, max) : cutText(value, max);
  }

  private finite(key: string, value: Float): Float | undefined {
    if (Number.isFinite(value.value)) return value;
    if (Number.isNaN(value.value)) {
      this.warn("invalid_field_value_type", `invalid field (${shortenedKey(key)}), value: NaN, type: float`);
      return undefined;
    }
    if (value.value > 0) {
      this.warn("convert_inf_to_max_value", `+inf value from ${quoteText(key)} convert to max-uint64`);
      return new Float(2 ** 64);
    }
    this.warn("convert_inf_to_min_value", `+inf value from ${quoteText(key)} convert to min-int64`);
    return new Float(-(2 ** 63));
  }

  private finiteArray(key: string, array: PointArray): PointArray | undefined {
    const isSafe = (element: unknown): boolean => !(element instanceof Float) || Number.isFinite(element.value);
    if (array.elements.every(isSafe)) return array;
    const elements: Float[] = [];
    for (const element of array.elements) {
      const value = this.finite(key, element as Float);
      if (value === undefined) return undefined;
      elements.push(value);
    }
    return new PointArray(elements);
  }

  private signed(key: string, { value }: Uint): PointValue | undefined {
    if (value <= 0x7fffffffffffffffn) return integer(BigInt(value));
    const message = `too large int field: key=${shortenedKey(key)}, value=${value}(> 9223372036854775807)`;
    this.warn("exceed_max_field_value_int", message);
    return undefined;
  }

  private isRefused(slot: Slot): boolean {
    if (slot.key === "") {
      this.warn("tag_disabled", "empty tag key disabled");
      return true;
    }
    if (!this.rules.refused.includes(slot.key)) return false;
    this.warn("tag_disabled", `tag key ${quoteText(slot.key)} disabled`);
    return true;
  }

  /**
   * Changes the key of the tag or field `slot`. Returns false when another tag or field of the point has the new key;
   * the caller must then drop `slot`.
   */
  private rekey(slot: Slot, key: string, step: "truncate" | "adjust"): boolean {
    const keys = (this.keys ??= this.currentKeys());
    if (keys.has(key)) {
      const sort = slot.isTag ? "tag" : "field";
      this.warn("invalid_tag_key", `${sort} key ${quoteText(key)} exist after ${step}`);
      return false;
    }
    keys.delete(slot.key);
    keys.add(key);
    slot.key = key;
    return true;
  }

  private currentKeys(): Set<string> {
    const keys = new Set<string>();
    if (this.kept !== null) for (const slot of this.kept) keys.add(slot.key);
    for (let i = this.kept === null ? 0 : this.at; i < this.slots.length; i++) keys.add(this.slots[i]!.key);
    return keys;
  }
}

function exceeds(text: Text, max: number): boolean {
  return max > 0 && isLonger(text, max);
}

function hasNewlineOrTail(text: Text): boolean {
  if (typeof text === "string") return text.charCodeAt(text.length - 1) === 0x5c || text.includes("\n");
  const bytes = text.view();
  return bytes[bytes.length - 1] === 0x5c || bytes.includes(0x0a);
}

/**
 * Removes backslashes at the end, then replaces every newline by a space. The order matters: in `a\` + newline the
 * backslash is not at the end, so it is kept.
 */
function withoutNewlines<T extends Text>(text: T): T;
function withoutNewlines(text: Text): Text {
  if (typeof text === "string") {
    let end = text.length;
    while (text.charCodeAt(end - 1) === 0x5c) end--;
    return text.slice(0, end).replaceAll("\n", " ");
  }
  const bytes = text.view();
  let end = bytes.length;
  while (bytes[end - 1] === 0x5c) end--;
  return new OwnedBytes(bytes.slice(0, end).map((byte) => (byte === 0x0a ? 0x20 : byte)));
}
