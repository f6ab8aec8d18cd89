// Explains why a point gets its pairs of the header X-Global-Tags: lists, for every field of every configured rule, the
// value that was found in the point.

import { defaultMaxIdentifiers, fieldValue } from "./global-tags.ts";
import { cleanValue } from "./header.ts";
import { type ExtraFields, lookUp, type PlainPoint } from "./plain-point.ts";
import { readTagConfig, type TagField, type TagRule } from "./tag-rules.ts";

export interface ExplainedField {
  readonly dest: string;
  /**
   * The value that the field of the rule contributes to the header X-Global-Tags; empty when the field contributes
   * no value.
   */
  readonly value: string;
  readonly reason: string;
}

/**
 * The explanation of one rule: whether the rule applies to the point, the reason, and the values that the fields
 * of the rule contribute to the header X-Global-Tags.
 */
export interface ExplainedTagRule {
  readonly index: number;
  readonly applies: boolean;
  readonly reason: string;
  readonly fields: readonly ExplainedField[];
}

/**
 * Explains which tags a point gets. `config` is a list of rules, as for `createGlobalTags`. When `config` is the
 * id of a function, returns an empty list, because a function has no rules.
 *
 * @example
 * const point = { measurement: "cpu", tags: { host: "a" }, fields: {} };
 * const rules = explainTags([{ fields: [{ src: "host" }] }], "metric", point);
 * tagsExplanationText(rules); // "rules[0]: applies\n  host = `a': host is `a'"
 */
export function explainTags(
  config: unknown,
  category: string,
  point: PlainPoint,
  extra: ExtraFields = {},
  maxIdentifiers = defaultMaxIdentifiers,
): readonly ExplainedTagRule[] {
  const readKey = (name: string) => lookUp(point, extra, name);
  const keys = new Set<string>();
  return readTagConfig(config, maxIdentifiers).rules.map((rule) => {
    const reason = whyNot(rule, category, readKey);
    if (reason !== "") return { index: rule.index, applies: false, reason, fields: [] };
    const fields = rule.fields.map((field) => {
      const explained = explainField(field, readKey);
      if (explained.value === "") return explained;
      keys.add(field.dest);
      if (keys.size <= maxIdentifiers) return explained;
      keys.delete(field.dest);
      return { ...explained, value: "", reason: `the point has ${maxIdentifiers} identifiers already` };
    });
    return { index: rule.index, applies: true, reason: "category and filter fit", fields };
  });
}

function whyNot(rule: TagRule, category: string, readKey: (name: string) => unknown): string {
  if (rule.categories?.has(category) === false) return `is for ${[...rule.categories].join(", ") || "no category"}`;
  return rule.matches(readKey) ? "" : "the filter does not fit the point";
}

function explainField(field: TagField, readKey: (name: string) => unknown): ExplainedField {
  const { dest, src } = field;
  const given = fieldValue(field, readKey);
  const value = given === undefined ? "" : cleanValue(given);
  return { dest, value, reason: field.fixed === undefined ? whyValue(field, readKey(src!), given) : "fixed" };
}

function whyValue({ src, remap, default: otherwise }: TagField, found: unknown, given: string | undefined): string {
  if (typeof found !== "string") {
    const seen =
      found === undefined
        ? `${src} is neither tag nor field of the point`
        : `${src} is ${kindText(found)}, shard keys are texts`;
    return otherwise === undefined ? seen : `${seen}; the default`;
  }
  if (given === undefined) return `${src} is \`${found}', remapped to nothing`;
  if (cleanValue(given) === "") return `${src} is empty`;
  return remap === undefined || given === found ? `${src} is \`${found}'` : `${src} is \`${found}', remapped`;
}

function kindText(value: unknown): string {
  switch (typeof value) {
    case "number":
    case "bigint":
      return `the number ${value}`;
    case "boolean":
      return `the bool ${value}`;
    default:
      return "a list or binary";
  }
}

/**
 * Returns the explanation as lines of text for people.
 *
 * @example
 * tagsExplanationText([]); // ""
 */
export function tagsExplanationText(rules: readonly ExplainedTagRule[]): string {
  return rules
    .flatMap(({ index, applies, reason, fields }) => [
      `rules[${index}]: ${applies ? "applies" : `does not apply, ${reason}`}`,
      ...fields.map(({ dest, value, reason: why }) =>
        value === "" ? `  no ${dest}: ${why}` : `  ${dest} = \`${value}': ${why}`,
      ),
    ])
    .join("\n");
}
