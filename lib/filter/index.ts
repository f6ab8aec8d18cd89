// `millrace/filter`: conditions over points and headers, and rules that drop points.

export {
  type Condition,
  type ConditionOptions,
  type ConditionPart,
  compileCondition,
  type Subject,
} from "./condition.ts";
export { compileDropRules, type DropRuleProblem, type DropRules } from "./drop-rules.ts";
export { ConditionError } from "./errors.ts";
