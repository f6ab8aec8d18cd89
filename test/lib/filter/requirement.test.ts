// The requirement of a condition is a simpler and weaker condition: every object with text values that matches
// the condition also meets the requirement.

import { describe, expect, it } from "vitest";
import { compileCondition } from "../../../lib/filter/condition.ts";
import type { Requirement } from "../../../lib/filter/requirement.ts";

/** Returns a requirement as text: `a=x` for equal, `a=x*` for a prefix, `a=*x` for a suffix, `a` for present. */
function written(requirement: Requirement): string {
  if ("terms" in requirement) {
    if (requirement.terms.length === 0) return requirement.op === "and" ? "anything" : "nothing";
    return `(${requirement.terms.map(written).join(` ${requirement.op} `)})`;
  }
  const { op, key, text } = requirement;
  if (op === "present") return key;
  return `${key}=${op === "suffix" ? "*" : ""}${text}${op === "prefix" ? "*" : ""}`;
}

describe("the texts that a condition requires", () => {
  it.each([
    ["{}", "anything"],
    ["{ a = 'x' }", "a=x"],
    ["{ a = '' }", "a="],
    ["{ a = 'x' and b = 'y', c = 'z' }", "(a=x and b=y and c=z)"],
    ["{ a = 'x' or b = 'y' }; { c = 'z' }", "(a=x or b=y or c=z)"],
    ["{ a = 'x' and (b = 'y' or c != 'z') }", "a=x"],
    ["{ a = 'x' or c != 'z' }", "anything"],
    ["{ a = 'x' or b = 1 }", "a=x"],
    ["{ a = 1 }", "nothing"],
    ["{ a = true and b = 'x' }", "nothing"],
    ["{ a != 1 }", "anything"],
    ["{ a = nil }", "anything"],
    ["{ a != nil }", "a"],
    ["{ a > nil }", "nothing"],
    ["{ a > 'x' }", "a"],
    ["{ 'x' = 'x' }", "anything"],
    ["{ 'x' = 'y' }", "nothing"],
    ["{ a in ['x', 'y', 3] }", "(a=x or a=y)"],
    ["{ a in ['x'] }", "a=x"],
    ["{ a in [] }", "nothing"],
    ["{ a in ['x', nil] }", "anything"],
    ["{ a in ['x', re('^y+z')] }", "(a=x or a=y*)"],
    ["{ a notin ['x'] }", "anything"],
    ["{ a notin ['x', nil] }", "a"],
    ["{ a match 'x' }", "a=x"],
    ["{ a match 'x*' }", "a=x*"],
    ["{ a match '*x' }", "a=*x"],
    ["{ a match '中*😀' }", "(a=中* and a=*😀)"],
    ["{ a match '*x*' }", "a"],
    ["{ a match '?' }", "a"],
    ["{ a notmatch 'x*' }", "a"],
    ["{ a match ['^x', 'y'] }", "(a=x* or a)"],
    ["{ a = re('x') }", "a"],
    ["{ a = re('^app-1-[0-9]+$') }", "a=app-1-*"],
    ["{ a != re('^x') }", "anything"],
  ])("%s: %s", (text, wanted) => expect(written(compileCondition(text).requirement)).toBe(wanted));
});
