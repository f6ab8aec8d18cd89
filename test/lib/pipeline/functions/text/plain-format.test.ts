// For some verbs and values, strfmt uses short rules (plain-format.ts) instead of the full formatter
// (format-verbs.ts). The test checks that the short rules and the full formatter return the same text.

import { expect, it } from "vitest";
import { formatVerbs } from "../../../../../lib/pipeline/functions/text/format-verbs.ts";
import { plainFormat } from "../../../../../lib/pipeline/functions/text/plain-format.ts";
import { Float, type Value, VOID } from "../../../../../lib/pipeline/runtime/value.ts";

const values: readonly Value[] = [
  ...["", "x", "é%d", 0, -5, 12, 9007199254740993n, true, null, VOID, ["a"], new Map([["k", 1]])],
  ...[
    0,
    -0,
    1,
    -1,
    0.5,
    1.5,
    2.5,
    30,
    1e15,
    2 ** 53 - 1,
    2 ** 53,
    1e21,
    1e300,
    Number.NaN,
    Number.POSITIVE_INFINITY,
  ].map((value) => new Float(value)),
];

it.each([
  ...[
    "%s",
    "%v",
    "%d",
    "%.0f",
    "a%sb",
    "%%%s",
    "%s%%",
    "%09.0f",
    "%00.0f",
    "%009.0f",
    "%031.0f",
    "%032.0f",
    "%0999.0f",
  ],
  ...["%.1f", "%f", "%5d", "%-5s", "%+d", "%x", "%[1]d", "%*d", "%", "%s%", "%.f", "%0.0f", "%5.0f", "%\u{1f600}", "é"],
])("%s", (format) => {
  const short = plainFormat(format, 1);
  for (const value of values) {
    const text = short?.([value]);
    if (text !== undefined) expect([value, text]).toEqual([value, formatVerbs(format, [value])]);
  }
});

it("formats several values when their number matches the format", () => {
  expect(plainFormat("%.0f%09.0f-%s", 3)!([new Float(12), new Float(34), "x"])).toBe("12000000034-x");
  expect(plainFormat("%.0f%09.0f", 2)!([new Float(12), new Float(0.5)])).toBeUndefined();
  expect(plainFormat("%s", 2)).toBeNull();
  expect(plainFormat("%s%s", 1)).toBeNull();
});
