// How large a point may be, and the rules of each category for its points (docs/reference/points.md#corrections).

import type { CategoryName } from "./category.ts";

/** Limits: counts, and lengths in bytes; 0 or a negative number switches a limit off. */
export interface Limits {
  readonly maxTags: number;
  readonly maxFields: number;
  readonly maxTagKey: number;
  readonly maxFieldKey: number;
  readonly maxTagValue: number;
  /** Most bytes of string and binary fields. */
  readonly maxFieldValue: number;
  readonly maxMeasurement: number;
  /** Whether unsigned values become ints; values beyond int64 are then dropped with a warning. */
  readonly noUint?: boolean;
}

/** The limits that apply when none are given. */
export const defaultLimits: Limits = {
  maxTags: 256,
  maxFields: 1024,
  maxTagKey: 256,
  maxFieldKey: 256,
  maxTagValue: 1024,
  maxFieldValue: 32 * 1024 * 1024,
  maxMeasurement: 1024,
};

/** Most bytes of measurement and tags in a line, sorted and still escaped; a longer line fails. */
export const maxSeriesKey = 65535;

export interface CategoryRules {
  /** Whether string and binary fields are dropped. */
  readonly dropStrings: boolean;
  /** Whether `.` in keys becomes `_`. */
  readonly replaceDots: boolean;
  /** Keys that are dropped, as tag or as field: they repeat the measurement, or name a column of the store. */
  readonly refused: readonly string[];
  /** The key that every point with a field must have, and the text that it gets when the point came without the key. */
  readonly required: readonly [key: string, text: string] | null;
  /** Whether points that came with tags only get the required key, too. Points without any entry never get it. */
  readonly requiredOfTags: boolean;
}

const plain: CategoryRules = {
  dropStrings: false,
  replaceDots: true,
  refused: [],
  required: null,
  requiredOfTags: false,
};
const object: CategoryRules = {
  ...plain,
  refused: ["class", "date"],
  required: ["name", "default"],
  requiredOfTags: true,
};

const rules: Readonly<Record<CategoryName, CategoryRules>> = {
  metric: { ...plain, dropStrings: true, replaceDots: false },
  logging: { ...plain, refused: ["source", "date"], required: ["status", "unknown"] },
  object,
  custom_object: object,
  network: plain,
  keyevent: plain,
  tracing: plain,
  rum: plain,
  security: plain,
  profiling: plain,
};

export function rulesOf(category: CategoryName): CategoryRules {
  return rules[category];
}
