// Conditions that are made up: texts of any tokens, and conditions whose answer a plain model knows.

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { compileCondition } from "../../../lib/filter/condition.ts";
import { ConditionError } from "../../../lib/filter/errors.ts";
import { compileWildcard } from "../../../lib/filter/wildcard.ts";
import { HeaderSubject } from "../../../lib/sharding/header-subject.ts";

const runs = { numRuns: 1500 };

/** Null when the text is a condition. */
function mistakeIn(text: string): ConditionError | null {
  try {
    compileCondition(text).matches(new HeaderSubject("a=x,b=12", "/p"));
    return null;
  } catch (error) {
    if (error instanceof ConditionError) return error;
    throw error;
  }
}

function expectInside(text: string, { line, column, reason }: ConditionError): void {
  const lines = text.split("\n");
  expect(line).toBeGreaterThanOrEqual(1);
  expect(line).toBeLessThanOrEqual(lines.length);
  expect(column).toBeGreaterThanOrEqual(1);
  // One behind the end, and one more for a bracket without an opener.
  expect(column).toBeLessThanOrEqual(new TextEncoder().encode(lines[line - 1]).length + 2);
  expect(reason).not.toBe("");
}

describe("any text", () => {
  const words =
    "{ } ( ) [ ] , ; = == != > >= < <= + - * / % ^ . ! & | && || a b `c-d` 'x' \"y\" 'it''s' 12 -3.5 0x1f 5m 12a and OR in notin match NOTMATCH true nil re identifier filter # \n ' ` \\ 中 😀 re('x') ['a','b']";
  const soup = fc.array(fc.constantFrom(...words.split(" ")), { maxLength: 16 }).map((parts) => parts.join(" "));

  it("of tokens is a condition or a mistake with its place", () => {
    fc.assert(
      fc.property(soup, fc.boolean(), (inner, isBraced) => {
        const text = isBraced ? `{ ${inner} }` : inner;
        const mistake = mistakeIn(text);
        if (mistake !== null) expectInside(text, mistake);
      }),
      runs,
    );
  });

  it("of characters too", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 30 }), (text) => {
        const mistake = mistakeIn(text);
        if (mistake !== null) expectInside(text, mistake);
      }),
      runs,
    );
  });
});

interface Model {
  readonly text: string;
  readonly holds: (pairs: ReadonlyMap<string, string>) => boolean;
}

const quote = (text: string) => `'${text.replace(/[\\']/g, "\\$&")}'`;
const keys = ["a", "b", "key-c", "中"];
const values = ["", "x", "xy", "it's", "a\\b", "12", "中文"];
const keyText = (key: string) => (/^[a-z]+$/.test(key) ? key : `\`${key}\``);

const key = fc.constantFrom(...keys);
const value = fc.constantFrom(...values);

const leaf: fc.Arbitrary<Model> = fc.oneof(
  fc.tuple(key, value).map(([k, v]) => ({
    text: `${keyText(k)} = ${quote(v)}`,
    holds: (pairs: ReadonlyMap<string, string>) => pairs.get(k) === v,
  })),
  fc.tuple(key, value).map(([k, v]) => ({
    text: `${keyText(k)} != ${quote(v)}`,
    holds: (pairs: ReadonlyMap<string, string>) => pairs.get(k) !== v,
  })),
  fc.tuple(key, fc.boolean()).map(([k, isNil]) => ({
    text: `${keyText(k)} ${isNil ? "=" : "!="} nil`,
    holds: (pairs: ReadonlyMap<string, string>) => pairs.has(k) !== isNil,
  })),
  fc.tuple(key, fc.array(value, { maxLength: 3 }), fc.boolean()).map(([k, list, isIn]) => ({
    text: `${keyText(k)} ${isIn ? "IN" : "notin"} [${list.map(quote).join(", ")}]`,
    holds: (pairs: ReadonlyMap<string, string>) => list.includes(pairs.get(k) ?? "none") === isIn,
  })),
  fc.tuple(key, value, fc.boolean()).map(([k, v, isMatch]) => ({
    text: `${keyText(k)} ${isMatch ? "match" : "notmatch"} ${quote(`${v.replaceAll("\\", "\\\\")}*`)}`,
    holds: (pairs: ReadonlyMap<string, string>) => pairs.get(k)?.startsWith(v) === isMatch,
  })),
);

const { expression } = fc.letrec<{ expression: Model }>((tie) => ({
  expression: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    leaf,
    fc
      .tuple(tie("expression"), tie("expression"), fc.constantFrom("and", "OR", "&&", "||"))
      .map(([left, right, op]): Model => {
        const isAnd = op === "and" || op === "&&";
        return {
          text: `(${left.text}) ${op} (${right.text})`,
          holds: (pairs) => (isAnd ? left.holds(pairs) && right.holds(pairs) : left.holds(pairs) || right.holds(pairs)),
        };
      }),
  ),
}));

describe("a condition that is made up", () => {
  const pairs = fc.dictionary(
    key,
    value.filter((text) => text !== "it's"),
    { maxKeys: 3, noNullPrototype: true },
  );

  it("holds where its model holds; blocks are alternatives, commas are not", () => {
    const blocks = fc.array(fc.array(expression, { minLength: 1, maxLength: 3 }), { minLength: 1, maxLength: 3 });
    fc.assert(
      fc.property(blocks, pairs, (model, dictionary) => {
        const text = model.map((block) => `{ ${block.map((each) => each.text).join(", ")} }`).join("; # or\n");
        const known = new Map(Object.entries(dictionary));
        const header = [...known].map(([name, each]) => `${name}=${each}`).join(",");
        const wanted = model.some((block) => block.every((each) => each.holds(known)));
        expect(compileCondition(text).matches(new HeaderSubject(header, "/p"))).toBe(wanted);
      }),
      runs,
    );
  });

  it("binds `and` tighter than `or`", () => {
    const chain = fc.array(fc.tuple(leaf, fc.constantFrom("and", "or")), { minLength: 1, maxLength: 6 });
    fc.assert(
      fc.property(chain, pairs, (terms, dictionary) => {
        const text = `{ ${terms.map(([{ text: each }, op], at) => (at === 0 ? each : `${op} ${each}`)).join(" ")} }`;
        const known = new Map(Object.entries(dictionary));
        const header = [...known].map(([name, each]) => `${name}=${each}`).join(",");
        const alternatives: boolean[] = [];
        for (const [at, [term, op]] of terms.entries()) {
          if (at === 0 || op === "or") alternatives.push(term.holds(known));
          else alternatives.push(alternatives.pop()! && term.holds(known));
        }
        expect(compileCondition(text).matches(new HeaderSubject(header, "/p"))).toBe(alternatives.includes(true));
      }),
      runs,
    );
  });
});

describe("a wildcard that is made up", () => {
  it("fits what the same regular expression fits", () => {
    const unit = fc.constantFrom("a", "b", "*", "?", "😀", ".", "(");
    const text = fc.string({ unit: fc.constantFrom("a", "b", "😀", ".", "(", "\n"), maxLength: 12 });
    fc.assert(
      fc.property(fc.string({ unit, maxLength: 8 }), text, (pattern, subject) => {
        const source = pattern.replace(/[.(]/g, "\\$&").replaceAll("?", ".").replace(/\*+/g, ".*");
        expect(compileWildcard(pattern)(subject)).toBe(new RegExp(`^${source}$`, "su").test(subject));
      }),
      { numRuns: 3000 },
    );
  });

  it("costs no more than pattern times text", () => {
    const pattern = compileWildcard(`${"*a".repeat(50)}b`);
    let steps = 0;
    const text = "a".repeat(2000);
    const counted = Object.create(String.prototype) as string;
    Object.defineProperties(counted, {
      length: { value: text.length },
      codePointAt: {
        value: (at: number) => {
          steps++;
          return text.codePointAt(at);
        },
      },
    });
    expect(pattern(counted)).toBe(false);
    expect(steps).toBeLessThan(101 * 2000 * 3);
  });
});
