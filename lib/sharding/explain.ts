// Explains to which targets a request with the header X-Global-Tags is routed. Lists every sink entry (a
// target and its conditions), every condition of the entry, and every comparison in the condition. For each
// comparison, also shows which value from the request was compared.

import type { ConditionPart } from "../filter/condition.ts";
import { HeaderSubject } from "./header-subject.ts";
import { decide, type MatchMode, type SinkDecision } from "./match-sink-rules.ts";
import type { SinkEntry, SinkRules } from "./sink-rules.ts";
import { maskTokens } from "./token.ts";

export interface ExplainedPart {
  readonly text: string;
  readonly matches: boolean;
  /**
   * Explains in words why the comparison is true or false: shows the value that was compared, or says that the header
   * has no value for the key.
   */
  readonly reason: string;
}

export interface ExplainedCondition {
  readonly text: string;
  readonly matches: boolean;
  readonly parts: readonly ExplainedPart[];
}

export interface ExplainedEntry {
  readonly entry: SinkEntry;
  readonly matches: boolean;
  /**
   * Whether the request is sent to the target of this sink entry. No request is sent for a matching entry when an
   * earlier matching entry has the same URL, or when only the first matching entry counts and this entry is a later
   * one.
   */
  readonly isTarget: boolean;
  /** Says in words whether the sink entry matches, and why the request is sent to its target or not. */
  readonly outcome: string;
  readonly conditions: readonly ExplainedCondition[];
}

/** The result of `explain`: the targets to which a request with a header X-Global-Tags is sent, and the reasons. */
export interface Explanation {
  /** The keys and values that were read from the header X-Global-Tags. */
  readonly pairs: ReadonlyMap<string, string>;
  readonly decision: SinkDecision;
  readonly entries: readonly ExplainedEntry[];
}

/**
 * Explains to which targets a request with the given header and path is sent; `mode` says whether it is sent to all
 * matching entries or only to the first.
 *
 * @example
 * const { rules } = loadSinkRules('{"rules":[{"url":"https://a.example/?token=t","rules":["{ env = \'prod\' }"]}]}');
 * if (rules !== undefined) explain(rules, "env=prod", "/v1/write/metric", "all").decision.result; // "matched"
 */
export function explain(rules: SinkRules, header: string, path: string, mode: MatchMode): Explanation {
  const subject = new HeaderSubject(header, path);
  const decision = decide(rules, header, path, mode);
  const entries = rules.entries.map((entry): ExplainedEntry => {
    const conditions = entry.conditions.map(
      (condition): ExplainedCondition => ({
        text: condition.text,
        matches: condition.matches(subject),
        parts: condition.parts.map((part) => ({
          text: part.text,
          matches: part.matches(subject),
          reason: reason(part, subject),
        })),
      }),
    );
    const matches = conditions.some((condition) => condition.matches);
    const isTarget = decision.entries.includes(entry);
    return { entry, matches, isTarget, outcome: describeOutcome(entry, matches, isTarget), conditions };
  });
  return { pairs: subject.pairs, decision, entries };
}

function reason({ key }: ConditionPart, subject: HeaderSubject): string {
  if (key === undefined) return "two constants";
  const value = subject.get(key);
  if (value !== undefined) return `${key.text} is \`${value}'`;
  const other = [...subject.pairs.keys()].find((name) => name.toLowerCase() === key.text.toLowerCase());
  const hint = other === undefined ? "" : `, only ${other} (keys are case-sensitive)`;
  return `${key.text} is not in the header${hint}`;
}

/**
 * Returns the explanation as lines of text for people; tokens are masked.
 *
 * @example
 * const { rules } = loadSinkRules('{"rules":[]}');
 * if (rules !== undefined) explanationText(explain(rules, "", "/v1/write/metric", "all"));
 */
export function explanationText({ pairs, decision, entries }: Explanation): string {
  const lines = [
    pairs.size === 0
      ? "header: no keys"
      : `header: ${[...pairs].map(([key, value]) => `${key} = \`${value}'`).join(", ")}`,
  ];
  for (const { entry, outcome, conditions } of entries) {
    const name = `rules[${entry.index}]${entry.info === "" ? "" : ` (${entry.info})`}`;
    lines.push(`${name} ${maskTokens(entry.url)}: ${outcome}`);
    for (const condition of conditions) {
      lines.push(`  ${condition.matches ? "true " : "false"} ${condition.text.trim()}`);
      for (const part of condition.parts) {
        lines.push(`    ${part.matches ? "true " : "false"} ${part.text}: ${part.reason}`);
      }
    }
  }
  lines.push(conclusion(decision));
  return lines.join("\n");
}

function describeOutcome(entry: SinkEntry, matches: boolean, isTarget: boolean): string {
  if (matches) return isTarget ? "matches" : "matches, but its url or an earlier entry was taken already";
  if (isTarget) return "default, taken because nothing else matches";
  return entry.isDefault ? "default, not needed" : "does not match";
}

function conclusion({ result, entries }: SinkDecision): string {
  if (result === "dropped") return "result: dropped with 406, nothing matches and there is no default rule";
  return `result: ${result}, sent to ${entries.map(({ index }) => `rules[${index}]`).join(", ")}`;
}
