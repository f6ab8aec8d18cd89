// Filter conditions, which are compiled once and then tested many times. Sink rules test the header of a request
// (docs/reference/gateway.md#conditions); drop rules test points (docs/reference/agent.md#filters).

import type { PointValue } from "../point/value.ts";
import { Key } from "../point/view.ts";
import { type OptionNames, requireOptions } from "../text/argument.ts";
import type { CompareOp, Comparison, Expression, Literal, Operand, Pattern } from "./ast.ts";
import { type ComparisonOptions, isEqual, order, textOf } from "./compare.ts";
import { ConditionError } from "./errors.ts";
import { parseCondition } from "./parse.ts";
import { compileSearch, RegexSyntaxError } from "./regex.ts";
import { anything, nothing, type Requirement, requireAll, requireAny, requirementOf } from "./requirement.ts";
import { compileWildcard } from "./wildcard.ts";

/** An object that conditions are tested against: a point or a header. */
export interface Subject {
  /** Returns the value of a key. A key whose value is `undefined` or null counts as missing. */
  get(key: Key): PointValue | undefined;
}

/** One comparison inside a condition. */
export interface ConditionPart {
  /** The comparison as its author wrote it. */
  readonly text: string;
  /** The key that is compared; undefined when the comparison is between two literals. */
  readonly key: Key | undefined;
  matches(subject: Subject): boolean;
}

export interface Condition {
  readonly text: string;
  matches(subject: Subject): boolean;
  /** All comparisons of the condition, in order, to explain the condition's result. */
  readonly parts: readonly ConditionPart[];
  /**
   * A requirement that is weaker than the condition. An object with only text values that meets the condition also
   * meets the requirement; an object that meets the requirement need not meet the condition.
   */
  readonly requirement: Requirement;
}

export interface ConditionOptions {
  /** Whether the types of a value and a literal must match (docs/reference/agent.md#filters); default false. */
  readonly strictTypes?: boolean;
}

export const conditionNames: OptionNames<ConditionOptions> = { strictTypes: true };

type Test = (subject: Subject) => boolean;
/** Tests the value of one key; `undefined` means that the key is missing. */
type ValueTest = (value: PointValue | undefined) => boolean;

interface Compiled {
  readonly test: Test;
  readonly requirement: Requirement;
}

const invalidKey = "invalid key, use backquotes";
const invalidValue = "invalid value, use quotes";

/**
 * Compiles a condition, so that it can be tested against many objects. Throws ConditionError.
 *
 * @example
 * const condition = compileCondition("{ status = 'error' }");
 * condition.matches({ get: (key) => (key.text === "status" ? "error" : undefined) }); // true
 */
export function compileCondition(text: string, options: ConditionOptions = {}): Condition {
  requireOptions("compileCondition", options, conditionNames);
  const parts: ConditionPart[] = [];
  const compiler = new Compiler(text, { strictTypes: options.strictTypes === true }, parts);
  const { test, requirement } = compiler.expression(parseCondition(text));
  return { text, matches: test, parts, requirement };
}

class Compiler {
  private readonly source: string;
  private readonly comparing: ComparisonOptions;
  private readonly parts: ConditionPart[];
  /**
   * Maps the source of each regular expression to the prefix that all strings matching this expression have in
   * common.
   */
  private readonly starts = new Map<string, string>();

  constructor(source: string, comparing: ComparisonOptions, parts: ConditionPart[]) {
    this.source = source;
    this.comparing = comparing;
    this.parts = parts;
  }

  expression(node: Expression): Compiled {
    if (node.op === "compare") return this.comparison(node);
    const terms = node.terms.map((term) => this.expression(term));
    const tests = terms.map(({ test }) => test);
    const requirements = terms.map(({ requirement }) => requirement);
    if (node.op === "or") return { test: anyOf(tests), requirement: requireAny(requirements) };
    return { test: allOf(tests), requirement: requireAll(requirements) };
  }

  private comparison(node: Comparison): Compiled {
    const { left } = node;
    const text = this.source.slice(node.at, node.end);
    if (left.kind === "literal" && "right" in node.test) {
      const isTrue = this.valueTest(node)(left.value);
      const matches = () => isTrue;
      this.parts.push({ text, key: undefined, matches });
      return { test: matches, requirement: isTrue ? anything : nothing };
    }
    if (left.kind !== "name") throw this.mistake(left, invalidKey);
    const key = new Key(left.name);
    const test = this.valueTest(node);
    const matches = (subject: Subject) => test(subject.get(key) ?? undefined);
    this.parts.push({ text, key, matches });
    const requirement = requirementOf(left.name, node.test, (source) => this.starts.get(source) ?? "");
    return { test: matches, requirement };
  }

  private valueTest({ test }: Comparison): ValueTest {
    if ("right" in test) return this.compare(test.op, test.right);
    if ("items" in test) return this.membership(test.op === "in", test.items);
    return this.match(
      test.op === "match",
      "wildcard" in test ? compileWildcard(test.wildcard.source) : this.anySearch(test.regexes),
    );
  }

  private compare(op: CompareOp, right: Operand): ValueTest {
    if (right.kind === "regex") {
      const found = this.search(right);
      if (op === "=") return (value) => found(textOf(value));
      return (value) => !found(textOf(value));
    }
    const literal = this.literal(right);
    if (literal === null) {
      if (op === "=") return (value) => value === undefined || value === null;
      return op === "!=" ? (value) => value !== undefined && value !== null : () => false;
    }
    if (typeof literal === "string" && op === "=") return (value) => textOf(value) === literal;
    const { comparing } = this;
    switch (op) {
      case "=":
        return (value) => isPresent(value) && isEqual(value, literal, comparing) === true;
      case "!=":
        return (value) => !isPresent(value) || isEqual(value, literal, comparing) === false;
      case "<":
        return this.ordered(literal, (sign) => sign < 0);
      case "<=":
        return this.ordered(literal, (sign) => sign <= 0);
      case ">":
        return this.ordered(literal, (sign) => sign > 0);
      case ">=":
        return this.ordered(literal, (sign) => sign >= 0);
    }
  }

  private ordered(literal: Literal, fits: (sign: number) => boolean): ValueTest {
    const { comparing } = this;
    return (value) => {
      const sign = isPresent(value) ? order(value, literal, comparing) : undefined;
      return sign !== undefined && fits(sign);
    };
  }

  private membership(isIn: boolean, items: readonly Operand[]): ValueTest {
    const texts = new Set<string>();
    const others: Literal[] = [];
    const searches: ((text: string | undefined) => boolean)[] = [];
    let hasNil = false;
    for (const item of items) {
      if (item.kind === "regex") {
        searches.push(this.search(item));
        continue;
      }
      const literal = this.literal(item);
      if (typeof literal === "string") texts.add(literal);
      else if (literal === null) hasNil = true;
      else others.push(literal);
    }
    const { comparing } = this;
    return (value) => {
      if (!isPresent(value)) return hasNil === isIn;
      const text = textOf(value);
      const isMember =
        text === undefined
          ? others.some((literal) => isEqual(value, literal, comparing) === true)
          : texts.has(text) || searches.some((found) => found(text));
      return isMember === isIn;
    };
  }

  /**
   * Returns a test for the operator `match` or `notmatch`. For a value that is missing or not a string, both
   * operators are false.
   */
  private match(isWanted: boolean, test: (text: string) => boolean): ValueTest {
    return (value) => {
      const text = textOf(value);
      return text !== undefined && test(text) === isWanted;
    };
  }

  private anySearch(patterns: readonly Pattern[]): (text: string) => boolean {
    const searches = patterns.map((pattern) => this.search(pattern));
    return (text) => searches.some((found) => found(text));
  }

  private search(pattern: Pattern): (text: string | undefined) => boolean {
    try {
      const { found, start } = compileSearch(pattern.source);
      this.starts.set(pattern.source, start);
      return (text) => text !== undefined && found(text);
    } catch (error) {
      if (!(error instanceof RegexSyntaxError)) throw error;
      throw this.mistake(pattern, error.message);
    }
  }

  private literal(operand: Operand): Literal {
    if (operand.kind === "literal") return operand.value;
    throw this.mistake(operand, invalidValue);
  }

  private mistake({ at }: { readonly at: number }, reason: string): ConditionError {
    return new ConditionError(this.source, at, reason);
  }
}

function isPresent(value: PointValue | undefined): value is Exclude<PointValue, null> {
  return value !== undefined && value !== null;
}

function allOf(terms: readonly Test[]): Test {
  return (subject) => {
    for (const term of terms) if (!term(subject)) return false;
    return true;
  };
}

function anyOf(terms: readonly Test[]): Test {
  return (subject) => {
    for (const term of terms) if (term(subject)) return true;
    return false;
  };
}
