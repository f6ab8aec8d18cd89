// Drop rules: lists of conditions, one list for each category. A point that meets any condition of its category is
// dropped (docs/reference/agent.md#filters).

import { type CategoryName, categories } from "../point/category.ts";
import type { PointValue } from "../point/value.ts";
import type { Key, PointView } from "../point/view.ts";
import { requireOptions } from "../text/argument.ts";
import { builtInKeys } from "./built-in-keys.ts";
import { type Condition, type ConditionOptions, compileCondition, conditionNames, type Subject } from "./condition.ts";
import { ConditionError } from "./errors.ts";

/** A problem in the rules: an invalid rule, which is skipped, or an unknown category. */
export interface DropRuleProblem {
  readonly category: string;
  /** Index of the rule in the list of its category; -1 when the category is unknown. */
  readonly index: number;
  readonly message: string;
}

/** Compiled drop rules of all categories. */
export interface DropRules {
  /** Returns whether there are drop rules for the category. */
  has(category: CategoryName): boolean;
  drops(point: PointView, category: CategoryName): boolean;
  readonly problems: readonly DropRuleProblem[];
}

/**
 * Compiles drop rules. `rules` maps the full name of each category to a list of conditions. Invalid rules are
 * skipped and listed in `problems`.
 *
 * @example
 * compileDropRules({ logging: ["{ status = 'debug' }"] }).has("logging"); // true
 */
export function compileDropRules(
  rules: Readonly<Record<string, readonly string[]>>,
  options: ConditionOptions = {},
): DropRules {
  requireOptions("compileDropRules", options, conditionNames);
  const compiled = new Map<CategoryName, Condition[]>();
  const problems: DropRuleProblem[] = [];
  for (const [name, texts] of Object.entries(rules)) {
    const category = categories.find((each) => each === name);
    if (category === undefined) {
      problems.push({ category: name, index: -1, message: "unknown category" });
      continue;
    }
    for (const [index, text] of texts.entries()) {
      try {
        const conditions = compiled.get(category) ?? [];
        conditions.push(compileCondition(text, options));
        compiled.set(category, conditions);
      } catch (error) {
        if (!(error instanceof ConditionError)) throw error;
        problems.push({ category: name, index, message: error.message });
      }
    }
  }
  const subject = new PointSubject();
  return {
    has: (category) => compiled.has(category),
    drops: (point, category) => {
      const conditions = compiled.get(category);
      if (conditions === undefined) return false;
      subject.setPoint(point, category);
      return conditions.some((condition) => condition.matches(subject));
    },
    problems,
  };
}

/**
 * Provides the values of a point to conditions: first its tags and fields, then the built-in keys. One object is reused
 * for all points, one after another.
 */
class PointSubject implements Subject {
  private point: PointView | undefined;
  private builtIn: ReturnType<typeof builtInKeys> = [];

  setPoint(point: PointView, category: CategoryName): void {
    this.point = point;
    this.builtIn = builtInKeys(category, point.name);
  }

  get(key: Key): PointValue | undefined {
    const own = this.point?.get(key);
    return own === undefined ? this.builtIn.find(([name]) => name === key.text)?.[1] : own;
  }
}
