// Requirements that a condition makes of an object with only text values, such as the header of a request. A
// requirement is weaker than its condition: every object that meets the condition meets the requirement, but an object
// that meets the requirement need not meet the condition. An index of many conditions uses the requirements to find the
// few conditions that an object can meet, and tests only these.

import type { Literal, Operand, Test } from "./ast.ts";
import { literalOf, parseWildcard } from "./wildcard.ts";

/**
 * A requirement on the value of one key. `present` accepts any value; the other operators compare the value with
 * `text`.
 */
export interface KeyRequirement {
  readonly op: "equal" | "prefix" | "suffix" | "present";
  readonly key: string;
  /** Text that the value is compared with: never empty for `prefix` and `suffix`, always empty for `present`. */
  readonly text: string;
}

/**
 * A requirement on the value of one key, or a combination of requirements (`terms`): all of them must be met (`and`),
 * or at least one (`or`).
 */
export type Requirement = KeyRequirement | { readonly op: "and" | "or"; readonly terms: readonly Requirement[] };

/** The requirement that every object meets. */
export const anything: Requirement = { op: "and", terms: [] };

/** The requirement that no object meets. */
export const nothing: Requirement = { op: "or", terms: [] };

/**
 * Returns a requirement that is met when all requirements in `terms` are met. Terms that every object meets are left
 * out.
 */
export function requireAll(terms: readonly Requirement[]): Requirement {
  return joined("and", terms, nothing);
}

/**
 * Returns a requirement that is met when at least one requirement in `terms` is met. Terms that no object meets are
 * left out.
 */
export function requireAny(terms: readonly Requirement[]): Requirement {
  return joined("or", terms, anything);
}

/**
 * Joins several requirements (`terms`) into one with `and` or `or`. `decisive` is the requirement that decides
 * the result by itself: `nothing` for `and`, `anything` for `or`. When `decisive` is one of the terms, it is the
 * result.
 */
function joined(op: "and" | "or", terms: readonly Requirement[], decisive: Requirement): Requirement {
  const flat: Requirement[] = [];
  for (const term of terms) {
    if (term === decisive) return decisive;
    if (term.op !== op || !("terms" in term)) flat.push(term);
    else for (const inner of term.terms) flat.push(inner);
  }
  if (flat.length === 1) return flat[0]!;
  return flat.length > 0 ? { op, terms: flat } : op === "and" ? anything : nothing;
}

/**
 * Returns the requirement that a comparison makes of the text value of `key`. `startOf` takes a regular expression and
 * returns the prefix that all matching texts have in common, which may be empty.
 */
export function requirementOf(key: string, test: Test, startOf: (source: string) => string): Requirement {
  const present: Requirement = { op: "present", key, text: "" };
  const fixed = (op: "prefix" | "suffix", text: string): Requirement => (text === "" ? present : { op, key, text });
  const operand = (right: Operand): Requirement => {
    if (right.kind === "regex") return fixed("prefix", startOf(right.source));
    return right.kind === "literal" ? equalTo(key, right.value) : anything;
  };
  if ("items" in test) {
    const hasNil = test.items.some((item) => item.kind === "literal" && item.value === null);
    if (test.op === "notin") return hasNil ? present : anything;
    return requireAny(test.items.map(operand));
  }
  if ("right" in test) {
    const isNil = test.right.kind === "literal" && test.right.value === null;
    if (test.op === "=") return operand(test.right);
    if (test.op === "!=") return isNil ? present : anything;
    return isNil ? nothing : present;
  }
  if (test.op === "notmatch") return present;
  if ("regexes" in test) return requireAny(test.regexes.map(({ source }) => fixed("prefix", startOf(source))));
  const parts = parseWildcard(test.wildcard.source);
  const first = parts.findIndex((part) => part < 0);
  if (first < 0) return { op: "equal", key, text: literalOf(parts) };
  const last = parts.findLastIndex((part) => part < 0);
  const [prefix, suffix] = [parts.slice(0, first), parts.slice(last + 1)];
  if (prefix.length === 0 && suffix.length === 0) return present;
  const ends: Requirement[] = [];
  if (prefix.length > 0) ends.push(fixed("prefix", literalOf(prefix)));
  if (suffix.length > 0) ends.push(fixed("suffix", literalOf(suffix)));
  return requireAll(ends);
}

/**
 * Returns the requirement that the value of a key equals a literal. A text value equals only a text literal; a
 * missing value equals nil.
 */
function equalTo(key: string, value: Literal): Requirement {
  if (typeof value === "string") return { op: "equal", key, text: value };
  return value === null ? anything : nothing;
}
