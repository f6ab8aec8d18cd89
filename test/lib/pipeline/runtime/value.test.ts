// Script values: how they are represented, and how they are written as strings (docs/reference/language.md#values).

import { describe, expect, it } from "vitest";
import { arithmetic, compare, negate, Problem } from "../../../../lib/pipeline/runtime/arithmetic.ts";
import { toJsonText } from "../../../../lib/pipeline/runtime/json-text.ts";
import { Memory } from "../../../../lib/pipeline/runtime/memory.ts";
import { fromPoint, toPoint, writeKey } from "../../../../lib/pipeline/runtime/point-access.ts";
import { toText } from "../../../../lib/pipeline/runtime/to-text.ts";
import {
  compareBytes,
  contains,
  equals,
  Float,
  truth,
  typeName,
  type Value,
  VOID,
} from "../../../../lib/pipeline/runtime/value.ts";
import { formatFloat } from "../../../../lib/point/number-text.ts";
import { Point } from "../../../../lib/point/point.ts";
import { PointArray, Uint } from "../../../../lib/point/value.ts";
import { Key } from "../../../../lib/point/view.ts";

const float = (value: number) => new Float(value);

describe("values of a script", () => {
  it("names types", () => {
    const values: Value[] = [1, 9007199254740993n, float(1), true, "s", null, [], new Map(), VOID];
    expect(values.map(typeName)).toEqual(["int", "int", "float", "bool", "str", "nil", "list", "map", "void"]);
  });

  it("treats empty values and zero as false", () => {
    const falsy: Value[] = [null, VOID, false, 0, 0n, float(0), "", [], new Map()];
    expect(falsy.map(truth)).toEqual(falsy.map(() => false));
    const truthy: Value[] = ["false", [0], float(Number.NaN), -1, new Map([["a", null]])];
    expect(truthy.map(truth)).toEqual(truthy.map(() => true));
  });

  it("writes floats without an exponent", () => {
    const rows: [number, string][] = [
      [1.5, "1.5"],
      [1, "1"],
      [1e21, "1000000000000000000000"],
      [1e-7, "0.0000001"],
      [-1.25e-9, "-0.00000000125"],
      [Number.POSITIVE_INFINITY, "+Inf"],
      [Number.NEGATIVE_INFINITY, "-Inf"],
      [Number.NaN, "NaN"],
      [-0, "-0"],
      [1.2345e25, "12345000000000000000000000"],
    ];
    for (const [value, text] of rows) expect(formatFloat(value)).toBe(text);
  });

  it("writes JSON in the format of the script language", () => {
    const map: Value = new Map<string, Value>([
      ["b", float(1e21)],
      ["a", [float(1), "<&>\u2028\u0001\n", null, 1e15, float(1e-7), true]],
    ]);
    expect(toJsonText(map)).toBe(
      '{"a":[1,"\\u003c\\u0026\\u003e\\u2028\\u0001\\n",null,1000000000000000,1e-07,true],"b":1e+21}',
    );
    expect(toJsonText([float(1.5e-7)], 1)).toBe("[1.5e-7]");
    expect(toJsonText(["\ud800x"])).toBe('["\\ufffdx"]');
    expect(toJsonText([])).toBe("[]");
  });

  it("returns no JSON for NaN and for a value that contains itself", () => {
    const own: Value[] = [1];
    own.push(own);
    expect(toJsonText(own)).toBeNull();
    expect(toJsonText([float(Number.NaN)])).toBeNull();
    expect(toText([float(Number.POSITIVE_INFINITY)])).toBe("");
    const shared: Value[] = [];
    expect(toJsonText([shared, shared])).toBe("[[],[]]");
  });

  it("processes values that are nested deeper than the call stack", () => {
    const nest = (): Value => {
      let value: Value = [];
      for (let depth = 0; depth < 200_000; depth++) value = [value];
      return value;
    };
    expect(toJsonText(nest())).toHaveLength(400_002);
    expect(equals(nest(), nest())).toBe(true);
  });

  it("wraps ints at 64 bits and keeps them exact", () => {
    expect(arithmetic("+", 9223372036854775807n, 1)).toBe(-9223372036854775808n);
    expect(arithmetic("+", 9007199254740991, 2)).toBe(9007199254740993n);
    expect(arithmetic("-", 9007199254740993n, 2)).toBe(9007199254740991);
    expect(arithmetic("*", 4294967296, 4294967296)).toBe(0);
    expect(arithmetic("/", -9223372036854775808n, -1)).toBe(-9223372036854775808n);
    expect(arithmetic("%", -9223372036854775808n, -1)).toBe(0);
    expect(arithmetic("*", 0, -5)).toBe(0);
    expect(negate(-9223372036854775808n)).toBe(-9223372036854775808n);
    expect(negate(0)).toBe(0);
  });

  it("reports why an operator cannot be applied", () => {
    expect(arithmetic("-", "a", "b", "-=")).toEqual(new Problem("unsupported operand type(s) for -=: str and str"));
    expect(arithmetic("+", null, 1)).toEqual(new Problem("unsupported lhs data type: nil"));
    expect(compare("<", "a", "b")).toBeUndefined();
  });

  it("compares ints as doubles for equality, exactly for order", () => {
    expect(equals(9007199254740993n, 9007199254740992n)).toBe(true);
    expect(compare(">", 9007199254740993n, 9007199254740992n)).toBe(true);
    expect(equals(VOID, null)).toBe(true);
    expect(equals(null, VOID)).toBe(false);
    expect(equals([1], [float(1)])).toBe(false);
    const nan = float(Number.NaN);
    expect(equals(nan, nan)).toBe(false);
    expect(contains([float(1)], 1)).toBe(true);
    expect(contains([1], true)).toBe(false);
  });

  it("orders texts by their bytes", () => {
    expect(["\u{1f600}", "\uffff", "a", "ab", ""].sort(compareBytes)).toEqual(["", "a", "ab", "\uffff", "\u{1f600}"]);
  });
});

describe("the conversion between script values and point values", () => {
  it("reads a uint as a wrapped int, an array as JSON text", () => {
    expect(fromPoint(new Uint(18446744073709551615n))).toBe(-1);
    expect(fromPoint(new PointArray([1, 2]))).toBe("[1,2]");
    expect(fromPoint(new TextEncoder().encode("é"))).toBe("é");
  });

  it("writes lists as text and void as a key without value", () => {
    expect(toPoint([1, "a"])).toBe('[1,"a"]');
    expect(toPoint(VOID)).toBeNull();
  });

  it("keeps a tag a tag when a script writes its key", () => {
    const point = new Point("p", 0n);
    const key = new Key("t");
    point.setTag(key, "x");
    const run = { point, steps: 0, pendingTags: null, memory: new Memory() };
    writeKey(run, key, float(1.5));
    expect([...point.entries()]).toEqual([{ key: "t", value: "1.5", isTag: true }]);
    writeKey(run, key, null);
    expect(point.get(key)).toBe("");
  });
});
