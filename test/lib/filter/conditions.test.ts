// Conditions over headers and points, one test for each row of the tables (docs/reference/gateway.md#conditions;
// docs/reference/agent.md#filters).

import { describe, expect, it } from "vitest";
import { compileCondition } from "../../../lib/filter/condition.ts";
import { compileDropRules } from "../../../lib/filter/drop-rules.ts";
import { ConditionError } from "../../../lib/filter/errors.ts";
import type { CategoryName } from "../../../lib/point/category.ts";
import { Point } from "../../../lib/point/point.ts";
import { Float, PointArray, type PointValue, Uint } from "../../../lib/point/value.ts";
import { Key } from "../../../lib/point/view.ts";
import { HeaderSubject } from "../../../lib/sharding/header-subject.ts";
import headerRows from "./header-conditions.jsonl?raw";
import pointRows from "./point-conditions.jsonl?raw";

interface Row {
  readonly condition: string;
  readonly header?: string;
  readonly category?: CategoryName;
  readonly strict?: boolean;
  /** Fields that this test case adds to the point `thePoint`. */
  readonly fields?: Readonly<Record<string, string>>;
  readonly gives?: boolean;
  readonly error?: string;
}

const rowsOf = (text: string) =>
  text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as Row);

function messageOf(condition: string): string {
  try {
    compileCondition(condition);
  } catch (error) {
    if (error instanceof ConditionError) return error.message;
    throw error;
  }
  return "";
}

describe("conditions over headers", () => {
  it.each(rowsOf(headerRows))("$condition on $header", ({ condition, header = "", gives, error }) => {
    if (error !== undefined) return expect(messageOf(condition)).toBe(error);
    expect(compileCondition(condition).matches(new HeaderSubject(header, "/v1/write/logging"))).toBe(gives);
  });

  it("use the path of the request, whatever the header contains", () => {
    const subject = new HeaderSubject("__gateway_api=x,a=1", "/v1/write/logging");
    for (const key of ["__gateway_api", "__other_api"]) {
      expect(compileCondition(`{ ${key} = '/v1/write/logging' }`).matches(subject)).toBe(true);
    }
    expect(compileCondition("{ __Other_api = nil }").matches(subject)).toBe(true);
  });
});

const thePoint: Readonly<Record<string, PointValue>> = {
  s: "abc",
  i: 3,
  f: new Float(3),
  b: true,
  u: new Uint(5),
  big: 9007199254740993n,
  umax: new Uint(18446744073709551615n),
  tenth: new Float(0.1 + 0.2),
  nan: new Float(Number.NaN),
  nothing: null,
  list: new PointArray([1, 2]),
  bytes: Uint8Array.of(120),
};

function pointOf({ fields = {} }: Row): Point {
  const point = new Point("app", 0n);
  point.setTag(new Key("host"), "h1");
  for (const [key, value] of Object.entries({ ...thePoint, ...fields })) point.setField(new Key(key), value);
  return point;
}

describe("conditions over points", () => {
  it.each(rowsOf(pointRows))("$condition, $category, strict $strict", (row) => {
    const { condition, category = "logging", strict = false, gives, error } = row;
    const rules = compileDropRules({ [category]: [condition] }, { strictTypes: strict });
    expect(rules.problems.map(({ message }) => message)).toEqual(error === undefined ? [] : [error]);
    expect(rules.drops(pointOf(row), category)).toBe(gives ?? false);
  });
});

describe("drop rules", () => {
  it("drop points that match any rule of the same category, and no points of other categories", () => {
    const rules = compileDropRules({ logging: ["{ s = 'x' }", "{ s = 'abc' }"], metric: ["{ s = 'x' }"] });
    const point = pointOf({ condition: "" });
    expect(rules.drops(point, "logging")).toBe(true);
    expect(rules.drops(point, "metric")).toBe(false);
    expect(rules.drops(point, "object")).toBe(false);
    expect([rules.has("logging"), rules.has("object")]).toEqual([true, false]);
  });

  it("report invalid rules and still apply the valid ones", () => {
    const rules = compileDropRules({ logging: ["{ s = }", "{ s = 'abc' }", ""], log: ["{}"] });
    expect(rules.problems).toEqual([
      { category: "logging", index: 0, message: '1:7 parse error: unexpected: "}"' },
      { category: "logging", index: 2, message: "1:1 parse error: condition empty" },
      { category: "log", index: -1, message: "unknown category" },
    ]);
    expect(rules.drops(pointOf({ condition: "" }), "logging")).toBe(true);
  });
});

describe("a condition", () => {
  it("lists its comparisons with their keys", () => {
    const { parts } = compileCondition("{ a = 'x' and (`b` in ['y', nil] or 1 = 1) }; { c match 'z*' }");
    expect(parts.map(({ text, key }) => [text, key?.text])).toEqual([
      ["a = 'x'", "a"],
      ["`b` in ['y', nil]", "b"],
      ["1 = 1", undefined],
      ["c match 'z*'", "c"],
    ]);
  });

  it("may have 20,000 comparisons, but is refused when it is nested too deep", () => {
    const long = `{ ${Array.from({ length: 20_000 }, (_, at) => `a = '${at}'`).join(" or ")} }`;
    expect(compileCondition(long).matches(new HeaderSubject("a=19999", ""))).toBe(true);
    const nested = (depth: number) => `{ ${"(".repeat(depth)}a = 'x'${")".repeat(depth)} }`;
    expect(compileCondition(nested(200)).matches(new HeaderSubject("a=x", ""))).toBe(true);
    expect(messageOf(nested(100_000))).toBe("1:203 parse error: nesting too deep");
  });
});
