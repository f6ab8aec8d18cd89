// The index of sink rules: it selects the conditions that must be tested for a header, and skips those that cannot
// match.

import { describe, expect, it } from "vitest";
import { compileCondition } from "../../../lib/filter/condition.ts";
import { HeaderSubject } from "../../../lib/sharding/header-subject.ts";
import { SinkIndex } from "../../../lib/sharding/sink-index.ts";

/**
 * Returns the indexes of the conditions that the index of sink rules tested for a header (`tested`), and of the
 * conditions that the header meets (`met`).
 */
function visited(texts: readonly string[], header: string): { tested: number[]; met: number[] } {
  const tested: number[] = [];
  const index = new SinkIndex(
    texts.map((text, at) => {
      const condition = compileCondition(text);
      const matches: typeof condition.matches = (subject) => {
        tested.push(at);
        return condition.matches(subject);
      };
      return [{ ...condition, matches }];
    }),
  );
  const met: number[] = [];
  index.visit(new HeaderSubject(header, "/v1/write/rum"), (entry) => met.push(entry) > 0);
  return { tested, met };
}

describe("an index of sink rules tests", () => {
  it.each([
    ["only conditions with the value", ["{ a = 'x' }", "{ a = 'y' }", "{ b = 'x' }"], "a=x", [0], [0]],
    ["a condition without a requirement always", ["{ a != 'x' }", "{ a = 'x' }"], "b=1", [0], [0]],
    ["by the rarer of two values", ["{ e = 'p' and h = '1' }", "{ e = 'p' and h = '2' }"], "e=p,h=2", [1], [1]],
    ["by all values of a list", ["{ a in ['x', 'y'] }"], "a=y", [0], [0]],
    ["by a prefix and by a suffix", ["{ a match 'x*' }", "{ a match '*x' }"], "a=x-y", [0], [0]],
    ["by the start of an expression", ["{ a = re('^x[0-9]') }", "{ a = re('^y[0-9]') }"], "a=xy", [0], []],
    ["by a key that must be there", ["{ a match '*x*' }", "{ b match '*x*' }"], "a=yxy", [0], [0]],
    ["by the path", ["{ __x_api = '/v1/write/rum' }", "{ __x_api = '/v1/write/log' }"], "a=1", [0], [0]],
    ["in the order of the rules", ["{ b = '1' }", "{ c != '1' }", "{ a = '1' }"], "a=1,b=1", [0, 1, 2], [0, 1, 2]],
    ["no condition that no header meets", ["{ a = 1 }"], "a=1", [], []],
  ])("%s", (_name, texts, header, tested, met) => expect(visited(texts, header)).toEqual({ tested, met }));

  it("each condition only once, when many conditions share values", () => {
    const texts = Array.from({ length: 100 }, (_, at) => `{ a = 'x' or b = 'y' or c = '${at}' }`);
    const all = texts.map((_, at) => at);
    expect(visited(texts, "c=5,b=y,a=x")).toEqual({ tested: all, met: all });
  });

  it("no further condition of an entry after the first match, and no entry after the visitor stops", () => {
    let tested = 0;
    const condition = compileCondition("{ a = 'x' }");
    const counted = { ...condition, matches: () => ++tested > 0 };
    const index = new SinkIndex([[counted, counted], [counted]]);
    index.visit(new HeaderSubject("a=x", "/p"), (entry) => entry > 0);
    expect(tested).toBe(1);
  });
});
