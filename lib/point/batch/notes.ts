// Makes the warnings of points from notes. A note is a short record of one correction, which the WebAssembly module
// leaves on the tape, the binary form of points (docs/reference/points.md#warnings). The messages equal those of
// correct.ts; assembly/correct/notes.ts defines the codes.

import { quoteText } from "../../text/quote.ts";
import { head, note, noteWords } from "../../wasm/tape.ts";
import { defaultName, shortenedKey } from "../correct.ts";
import type { CategoryRules, Limits } from "../limits.ts";
import type { Warning } from "../view.ts";
import type { Batch } from "./batch.ts";
import type { Corrected } from "./settings.ts";
import { TapeBytes } from "./tape-bytes.ts";

/**
 * Returns the warnings of point `index`, made from its notes (short records of corrections). Notes are in the order of
 * the points, so the notes of one point are neighbours.
 */
export function warningsOf(batch: Batch, index: number, { limits }: Corrected): Warning[] {
  const { u32 } = batch.module;
  const start = batch.head(head.notes) >>> 2;
  const count = batch.head(head.noteCount);
  let low = 0;
  let high = count;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (u32[start + middle * noteWords + note.point]! < index) low = middle + 1;
    else high = middle;
  }
  const warnings: Warning[] = [];
  for (let at = start + low * noteWords; low < count && u32[at + note.point] === index; low++, at += noteWords) {
    warnings.push(warningOf(batch, at, limits));
  }
  return warnings;
}

/**
 * Makes warnings from the notes (short records of corrections) with the number `first` or a higher number, and removes
 * these notes from the batch.
 */
export function takeNewest(batch: Batch, first: number, { limits }: Corrected): Warning[] {
  const { u32 } = batch.module;
  const warnings: Warning[] = [];
  for (let i = first; i < batch.head(head.noteCount); i++) {
    warnings.push(warningOf(batch, (batch.head(head.notes) >>> 2) + i * noteWords, limits));
  }
  u32[(batch.base >>> 2) + head.noteCount] = first;
  return warnings;
}

/** Returns the indexes of the points that have notes (short records of corrections), in ascending order. */
export function notedPoints(batch: Batch): number[] {
  const { u32 } = batch.module;
  const start = batch.head(head.notes) >>> 2;
  const points = new Set<number>();
  for (let i = 0; i < batch.head(head.noteCount); i++) points.add(u32[start + i * noteWords + note.point]!);
  return [...points];
}

/** Returns the warning for a point that lacked the required key of its category, so that the key was added. */
export function requiredWarning(rules: CategoryRules): readonly Warning[] {
  let warnings = required.get(rules);
  if (warnings === undefined) {
    warnings = requiredBy(rules);
    required.set(rules, warnings);
  }
  return warnings;
}

const required = new WeakMap<CategoryRules, readonly Warning[]>();

function requiredBy({ required }: CategoryRules): readonly Warning[] {
  if (required === null) return [];
  const [key, text] = required;
  return [{ type: "add_required_kv", message: `add required key-value ${quoteText(key)}: ${quoteText(text)}` }];
}

function warningOf(batch: Batch, at: number, limits: Limits): Warning {
  const code = batch.module.u32[at + note.code]!;
  const make = warningOfCode[code];
  if (make === undefined) throw new Error(`unknown note ${code}`);
  return make(new Note(batch, at), limits);
}

/** A note (the record of one correction of a point) in the memory of the WebAssembly module. */
class Note {
  private readonly batch: Batch;
  /** Index of the first 32-bit word of the note (record of one correction). */
  private readonly at: number;

  constructor(batch: Batch, at: number) {
    this.batch = batch;
    this.at = at;
  }

  get key(): string {
    return this.batch.keyText(this.batch.module.u32[this.at + note.key]!);
  }

  /** The length in bytes, the count or the field value that the warning states. */
  get number(): bigint {
    return BigInt.asUintN(64, this.batch.module.i64[(this.at + note.number) >>> 1]!);
  }

  /** The tag value or the measurement before the correction. */
  get text(): TapeBytes {
    const { u32 } = this.batch.module;
    return new TapeBytes(this.batch, u32[this.at + note.text]!, u32[this.at + note.length]!);
  }
}

/** For each code of a note (record of one correction), the function that makes the warning. */
const warningOfCode: Readonly<Record<number, (note: Note, limits: Limits) => Warning>> = {
  0: ({ key }) => ({ type: "key_name_conflict", message: `same key (${quoteText(key)})` }),
  1: ({ number }, limits) => ({
    type: "invalid_measurement",
    message: `exceed max measurement length(${limits.maxMeasurement}), got length ${number}, trimmed`,
  }),
  2: ({ number }, limits) => tooMany(limits.maxFields, number, "field"),
  3: ({ number }, limits) => tooMany(limits.maxTags, number, "tag"),
  4: ({ number }, limits) => ({
    type: "exceed_max_tag_key_len",
    message: `exceed max tag key length(${limits.maxTagKey}), got ${number}, key truncated`,
  }),
  5: ({ number }, limits) => ({
    type: "exceed_max_field_key_len",
    message: `exceed max field key length(${limits.maxFieldKey}), got length ${number}, key truncated`,
  }),
  6: ({ number }, limits) => ({
    type: "exceed_max_tag_value_len",
    message: `exceed max tag value length(${limits.maxTagValue}), got ${number}, value truncated`,
  }),
  7: ({ key, number }, limits) => ({
    type: "exceed_max_field_value_len",
    message: `field (${shortenedKey(key)}) exceed max field value length(${limits.maxFieldValue}), got ${number}, value truncated`,
  }),
  8: ({ key }) => ({ type: "invalid_tag_key", message: `tag key ${quoteText(key)} exist after truncate` }),
  9: ({ key }) => ({ type: "invalid_tag_key", message: `field key ${quoteText(key)} exist after truncate` }),
  10: ({ key }) => ({ type: "invalid_tag_key", message: `tag key ${quoteText(key)} exist after adjust` }),
  11: ({ key }) => ({ type: "invalid_tag_key", message: `field key ${quoteText(key)} exist after adjust` }),
  12: ({ key }) => ({
    type: "invalid_tag_key",
    message: `invalid tag key ${quoteText(key)}, replace \\ or \\n with ''`,
  }),
  13: ({ key }) => ({
    type: "found_new_line_or_tail_espace",
    message: `invalid field key ${quoteText(key)}: found \\n, replaced with ' '`,
  }),
  14: ({ key }) => ({ type: "invalid_tag_key", message: `invalid tag key \`${shortenedKey(key)}': found \`.'` }),
  15: ({ key }) => ({ type: "dot_in_key", message: `invalid field key \`${shortenedKey(key)}': found \`.'` }),
  16: ({ text }) => ({
    type: "found_new_line_or_tail_espace",
    message: `invalid tag value ${quoteText(text)}, found \\n or tail \\`,
  }),
  17: () => ({ type: "tag_disabled", message: "empty tag key disabled" }),
  18: ({ key }) => ({ type: "tag_disabled", message: `tag key ${quoteText(key)} disabled` }),
  19: ({ key }) => ({
    type: "invalid_field_value_type",
    message: `field(${shortenedKey(key)}) dropped with string value, when [DisableStringField] enabled`,
  }),
  20: ({ key }) => ({ type: "nil_field", message: `nil field(${shortenedKey(key)})` }),
  21: ({ key, number }) => ({
    type: "exceed_max_field_value_int",
    message: `too large int field: key=${shortenedKey(key)}, value=${number}(> 9223372036854775807)`,
  }),
  22: () => ({ type: "invalid_measurement", message: `empty measurement, use ${defaultName}` }),
  23: ({ text }) => ({
    type: "invalid_measurement",
    message: `invalid measurement ${quoteText(text)}, found \\n or tail \\`,
  }),
  24: ({ key }) => ({
    type: "invalid_field_value_type",
    message: `invalid field (${shortenedKey(key)}), value: NaN, type: float`,
  }),
  25: ({ key }) => ({
    type: "convert_inf_to_max_value",
    message: `+inf value from ${quoteText(key)} convert to max-uint64`,
  }),
  26: ({ key }) => ({
    type: "convert_inf_to_min_value",
    message: `+inf value from ${quoteText(key)} convert to min-int64`,
  }),
};

function tooMany(max: number, count: bigint, sort: string): Warning {
  const message = `exceed max ${sort} count(${max}), got ${count} ${sort}s, extra ${sort}s deleted`;
  return { type: "exceed_max_fields", message };
}
