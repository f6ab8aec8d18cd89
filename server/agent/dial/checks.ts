// Compiles success conditions: operators on texts and numbers, and the logic that combines their results
// (docs/reference/agent.md#dial-tests).

import { Regex, RegexSyntaxError } from "../../../lib/regex/index.ts";
import { formatDuration, parseDuration } from "../../config/go-duration.ts";
import { TaskError } from "./dial-error.ts";
import { boolOf, type Json, numberOf, objectsOf, textOf } from "./members.ts";

/** Checks a text. Returns undefined when the condition holds, else the reason. */
export type TextCheck = (text: string) => string | undefined;

/**
 * Returns the check of a text. `what` names the text in the reason: ``HTTP header `K'``. Throws TaskError for an
 * invalid expression.
 */
export function textCheck(option: Json, what: string): TextCheck {
  const is = textOf(option, "is");
  if (is !== "") return (text) => (text === is ? undefined : `${what}: expect to be \`${is}', got \`${text}'`);
  const isNot = textOf(option, "is_not");
  if (isNot !== "") return (text) => (text !== isNot ? undefined : `${what}: shoud not be ${isNot}`);
  const match = textOf(option, "match_regex");
  const notMatch = textOf(option, "not_match_regex");
  const contains = textOf(option, "contains");
  const notContains = textOf(option, "not_contains");
  const matching = match === "" ? undefined : expression(match);
  const notMatching = notMatch === "" ? undefined : expression(notMatch);
  return (text) => {
    if (matching?.test(text) === false) return `${what}: regex \`${match}' match \`${text}' failed`;
    if (notMatching?.test(text) === true) return `${what}: regex \`${notMatch}' should not match \`${text}'`;
    if (contains !== "" && !text.includes(contains)) return `${what}: do not contains \`${contains}', got \`${text}'`;
    if (notContains !== "" && text.includes(notContains)) {
      return `${what}: should not contains \`${notContains}', got \`${text}'`;
    }
    return undefined;
  };
}

function expression(source: string): Regex {
  try {
    return Regex.compile(source);
  } catch (error) {
    if (!(error instanceof RegexSyntaxError)) throw error;
    throw new TaskError(`compile regex ${source} failed: ${error.message}`);
  }
}

/** Returns the check `{"op","target"}` of a number. An unknown operator always holds. */
export function numberCheck(option: Json): (value: number) => string | undefined {
  const op = textOf(option, "op");
  const target = numberOf(option, "target", 0);
  return (value) => compare(op, value, target);
}

export function compare(op: string, value: number, target: number): string | undefined {
  switch (op) {
    case "eq":
      return value === target ? undefined : `${value} is not equal to target ${target}`;
    case "lt":
      return value < target ? undefined : `${value} is greater equal than target ${target}`;
    case "leq":
      return value <= target ? undefined : `${value} is greater than target ${target}`;
    case "gt":
      return value > target ? undefined : `${value} is less than target ${target}`;
    case "geq":
      return value >= target ? undefined : `${value} is less equal than target ${target}`;
    default:
      return undefined;
  }
}

/** Returns a duration of a task in nanoseconds. Throws TaskError. */
export function durationOf(text: string): number {
  const nanoseconds = parseDuration(text);
  if (nanoseconds === undefined) throw new TaskError(`invalid duration ${JSON.stringify(text)}`);
  return nanoseconds;
}

/**
 * Combines the results of single checks, undefined for a check that passed. Returns undefined when the test succeeds,
 * else the reasons. With `or`, one passed check is enough.
 */
export function joinOutcomes(logic: string, outcomes: readonly (string | undefined)[]): string | undefined {
  const reasons = outcomes.filter((outcome) => outcome !== undefined);
  if (logic === "or" && reasons.length < outcomes.length) return undefined;
  return reasons.length === 0 ? undefined : reasons.join(";");
}

/**
 * The result of a test that sends one message: the answer, and its time in nanoseconds without and with the DNS lookup.
 */
export interface TimedAnswer {
  readonly message: string;
  readonly costNs: bigint;
  readonly withDnsNs: bigint;
}

/** Returns the checks of response time and message. `protocol` names the test in the reasons. */
export function answerChecks(
  condition: Json,
  protocol: "TCP" | "Websocket",
): ((answer: TimedAnswer) => string | undefined)[] {
  const times = objectsOf(condition, "response_time").map((option) => {
    const withDns = boolOf(option, "is_contain_dns");
    const target = BigInt(Math.round(durationOf(textOf(option, "target"))));
    return ({ costNs, withDnsNs }: TimedAnswer) => {
      const cost = withDns ? withDnsNs : costNs;
      return cost >= target
        ? `${protocol} response time(${formatDuration(cost)}) larger equal than ${formatDuration(target)}`
        : undefined;
    };
  });
  const messages = objectsOf(condition, "response_message").map((option) => {
    const check = textCheck(option, "response message");
    return ({ message }: TimedAnswer) => check(message);
  });
  return [...times, ...messages];
}
