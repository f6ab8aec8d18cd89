// Limits on the size of a point, and the rules by which each category corrects its points
// (docs/reference/points.md#corrections).

import type { OptionNames } from "../text/argument.ts";
import type { CategoryName } from "./category.ts";

/** Limits on a point: counts, and lengths in bytes. 0 or a negative number means that there is no limit. */
export interface Limits {
  readonly maxTags: number;
  readonly maxFields: number;
  readonly maxTagKey: number;
  readonly maxFieldKey: number;
  readonly maxTagValue: number;
  /** Largest length of a string or binary field in bytes. */
  readonly maxFieldValue: number;
  readonly maxMeasurement: number;
  /**
   * Whether each unsigned integer becomes a signed one. An unsigned integer beyond int64 is then dropped with a
   * warning.
   */
  readonly noUint?: boolean;
}

/** The limits that apply when the caller gives none. */
export const defaultLimits: Limits = {
  maxTags: 256,
  maxFields: 1024,
  maxTagKey: 256,
  maxFieldKey: 256,
  maxTagValue: 1024,
  maxFieldValue: 32 * 1024 * 1024,
  maxMeasurement: 1024,
};

/** The names of all limits. */
export const limitNames: OptionNames<Limits> = {
  ...{ maxTags: true, maxFields: true, maxTagKey: true, maxFieldKey: true, maxTagValue: true, maxFieldValue: true },
  ...{ maxMeasurement: true, noUint: true },
};

/**
 * Largest length in bytes of a line's measurement and tags together, written with sorted tags and with escapes. A line
 * whose measurement and tags are longer is an error.
 */
export const maxSeriesKey = 65535;

export interface CategoryRules {
  /** Whether the category drops string and binary fields. */
  readonly dropStrings: boolean;
  /** Whether the category replaces `.` by `_` in keys. */
  readonly replaceDots: boolean;
  /**
   * Keys that the category drops, as tag or field, because they repeat the measurement or equal a column name of the
   * database that stores the points.
   */
  readonly refused: readonly string[];
  /**
   * The key that every point with a field must have, and the string value that is stored under this key when the
   * point was sent without the key.
   */
  readonly required: readonly [key: string, text: string] | null;
  /**
   * Whether the required key is also added to points that were sent with tags only. The key is never added to a point
   * without tags and fields.
   */
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
