// Explains each type of correction that the decoder makes to points (docs/reference/points.md#warnings).

import type { CategoryName } from "../../../../lib/index.ts";
import { english, t } from "../../text/translate.ts";

type Reason = string | ((category: string) => string);

const reasons: Readonly<Record<string, Reason>> = {
  invalid_measurement: english("A measurement is not empty, has no line feed, and has at most 1,024 bytes."),
  exceed_max_fields: english("A point has at most 1,024 fields and 256 tags; the first ones stay."),
  exceed_max_tag_key_len: english("A tag key has at most 256 bytes; the rest is cut."),
  exceed_max_field_key_len: english("A field key has at most 256 bytes; the rest is cut."),
  exceed_max_tag_value_len: english("A tag value has at most 1,024 bytes; the rest is cut."),
  exceed_max_field_value_len: english("A text has at most 32 MiB; the rest is cut."),
  exceed_max_field_value_int: english(
    "The value is too large for a signed integer of 64 bits, so the field is dropped.",
  ),
  invalid_tag_key: english(
    "Keys have no line feed, no backslash at the end and, in most categories, no dot. Each key stays once.",
  ),
  dot_in_key: english("Points of {category} have no dots in keys; each becomes an underscore."),
  found_new_line_or_tail_espace: english("Field keys and tag values have no line feed and no backslash at the end."),
  tag_disabled: english("The store has a column of this name for {category}, so the key is dropped."),
  key_name_conflict: english("A key stands once in a point: a tag counts before a field, else the later one counts."),
  invalid_field_value_type: (category) =>
    category === "metric"
      ? english("A metric has no text fields and no NaN; the field is dropped.")
      : english("NaN is no value; the field is dropped."),
  nil_field: english("A field needs a value: text, number, boolean, or a list of one of these."),
  convert_inf_to_max_value: english("An infinity cannot be stored; the largest number stands for it."),
  convert_inf_to_min_value: english("An infinity cannot be stored; the smallest number stands for it."),
  add_required_kv: english("A point of {category} always has this key; it came without it."),
};

/** Returns a sentence that explains why a point was corrected; empty when the type of the correction is unknown. */
export function reasonOf(type: string, category: CategoryName): string {
  const reason = reasons[type] ?? "";
  return t(typeof reason === "string" ? reason : reason(category), { category: category.replaceAll("_", " ") });
}
