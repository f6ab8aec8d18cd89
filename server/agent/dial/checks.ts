// Compiles the success conditions of a dial test, which is a test request to a server
// (docs/reference/agent.md#dial-tests). A condition applies an operator to a string or a number. The logic
// (`and` or `or`) combines the results of the conditions.

import { Regex, RegexSyntaxError } from "../../../lib/regex/index.ts";
import { formatDuration, parseDuration } from "../../config/go-duration.ts";
import { TaskError } from "./dial-error.ts";
import { boolOf, type Json, numberOf, objectsOf, textOf } from "./members.ts";

/** Checks a string. Returns undefined when the condition holds, otherwise the reason why it does not hold. */
export type TextCheck = (text: string) => string | undefined;

/**
 * Returns a function that checks strings by the condition `option`. `what` is the name of the checked string in error
 * messages, such as ``HTTP header `K'``. Throws TaskError when the condition has an invalid regular expression.
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

/**
 * Returns a function that checks numbers by the condition `{"op","target"}`. A condition with an unknown operator
 * always holds.
 */
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

/**
 * Parses a duration in a dial test, such as `1m30s`. Returns nanoseconds. Throws TaskError when the duration is
 * invalid.
 */
export function durationOf(text: string): number {
  const nanoseconds = parseDuration(text);
  if (nanoseconds === undefined) throw new TaskError(`invalid duration ${JSON.stringify(text)}`);
  return nanoseconds;
}

/**
 * Combines the outcomes of the success conditions. The outcome of a condition is undefined when the condition holds,
 * otherwise the reason why it does not hold. Returns undefined when the test succeeds, otherwise the joined reasons.
 * With the logic `or`, one condition that holds is enough.
 */
export function joinOutcomes(logic: string, outcomes: readonly (string | undefined)[]): string | undefined {
  const reasons = outcomes.filter((outcome) => outcome !== undefined);
  if (logic === "or" && reasons.length < outcomes.length) return undefined;
  return reasons.length === 0 ? undefined : reasons.join(";");
}

/**
 * The result of a test that sends one message: the answer, and the response time in nanoseconds without (`costNs`) and
 * with (`withDnsNs`) the DNS lookup.
 */
export interface TimedAnswer {
  readonly message: string;
  readonly costNs: bigint;
  readonly withDnsNs: bigint;
}

/**
 * Returns the functions that check the response time and the received message. `protocol` is the name of the protocol
 * in error messages.
 */
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
