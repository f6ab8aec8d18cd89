// Corrections that the tables of pbjson.test.ts do not cover: lengths of strings in bytes, several corrections at once,
// infinities, quoting in messages, the list of warnings of a point with many tags and fields, and equality.

import { describe, expect, it } from "vitest";
import { correct } from "../../../lib/point/correct.ts";
import { pointDifference } from "../../../lib/point/equal.ts";
import { defaultLimits } from "../../../lib/point/limits.ts";
import { Point } from "../../../lib/point/point.ts";
import { Float, PointArray, type PointValue, Uint } from "../../../lib/point/value.ts";
import { Key } from "../../../lib/point/view.ts";
import type { Text } from "../../../lib/text/bytes.ts";
import { byteLength, cutText, OwnedBytes } from "../../../lib/text/utf8.ts";

const bytes = (...list: number[]) => new OwnedBytes(new Uint8Array(list));

function point(...entries: readonly (readonly [key: string, value: PointValue, isTag?: boolean])[]) {
  const made = new Point("m", 1n);
  for (const [key, value, isTag = false] of entries) made.append(key, value, isTag);
  return made;
}

const list = (made: Point) => Array.from(made.entries(), ({ key, value, isTag }) => [key, value, isTag]);
const messages = (made: Point) => made.warnings.map((warning) => warning.message);

describe("corrections", () => {
  it("compare a changed key with the keys of later entries, but not with dropped entries", () => {
    const made = point(["a.b", 1], ["a_b", 2], ["source", 3], ["a.c", 4]);
    correct(made, "logging");
    expect(list(made).slice(0, 2)).toEqual([
      ["a_b", 2, false],
      ["a_c", 4, false],
    ]);
    const freed = point(["x.y", 1], ["x\ny", 2], ["x y", 3]);
    correct(freed, "logging");
    expect(list(freed).slice(0, 2)).toEqual([
      ["x_y", 1, false],
      ["x y", 3, false],
    ]);
  });

  it("keep one of several equal keys, prefer a tag, and use the position of the first", () => {
    const made = point(["a", 1], ["b", 2], ["a", "t", true], ["a", 3], ["b", 4]);
    correct(made, "tracing");
    expect(list(made)).toEqual([
      ["a", "t", true],
      ["b", 4, false],
    ]);
    expect(messages(made)).toEqual(['same key ("a")', 'same key ("a")', 'same key ("b")']);
  });

  it("replace infinities with the bounds of the integers, and drop NaN", () => {
    const made = point(
      ["p", new Float(Infinity)],
      ["n", new PointArray([new Float(1), new Float(-Infinity)])],
      ["x", new PointArray([new Float(Number.NaN)])],
    );
    correct(made, "metric");
    expect(list(made)).toEqual([
      ["p", new Float(2 ** 64), false],
      ["n", new PointArray([new Float(1), new Float(-(2 ** 63))]), false],
    ]);
    expect(messages(made)).toEqual([
      '+inf value from "p" convert to max-uint64',
      '+inf value from "n" convert to min-int64',
      "invalid field (x), value: NaN, type: float",
    ]);
  });

  it("convert unsigned values to signed values with the option noUint", () => {
    const made = point(
      ["a", new Uint(7)],
      ["b", new Uint(9223372036854775807n)],
      ["c", new Uint(9223372036854775808n)],
    );
    correct(made, "metric", { ...defaultLimits, noUint: true });
    expect(list(made)).toEqual([
      ["a", 7, false],
      ["b", 9223372036854775807n, false],
    ]);
    expect(messages(made)).toEqual(["too large int field: key=c, value=9223372036854775808(> 9223372036854775807)"]);
  });

  it("treat bytes like strings", () => {
    const made = point(["t", bytes(0x61, 0x0a, 0xff, 0x5c, 0x5c), true], ["s", bytes(0x61, 0xe4, 0xb8, 0xad)]);
    correct(made, "tracing", { ...defaultLimits, maxFieldValue: 3 });
    expect(list(made).map(([, value]) => [...(value as OwnedBytes).view()])).toEqual([[0x61, 0x20, 0xff], [0x61]]);
    expect(messages(made)).toEqual([
      'invalid tag value "a\\n\\xff\\\\\\\\", found \\n or tail \\',
      "field (s) exceed max field value length(3), got 4, value truncated",
    ]);
  });

  it("add the required key even beyond the limit, unless a tag or a field has it", () => {
    const made = point(["a", 1]);
    correct(made, "object", { ...defaultLimits, maxFields: 1 });
    expect(list(made)).toEqual([
      ["a", 1, false],
      ["name", "default", false],
    ]);
    const named = point(["name", "", true]);
    correct(named, "custom_object");
    expect(named.warnings).toEqual([]);
  });
});

describe("texts that are measured and cut by bytes", () => {
  it.each<[Text, number, number, Text]>([
    ["aé中😀", 10, 10, "aé中😀"],
    ["aé中😀", 10, 9, "aé中"],
    ["aé中😀", 10, 5, "aé"],
    ["aé", 3, 2, "a"],
    ["\ud800x", 4, 3, "\ud800"],
    [bytes(0xf0, 0x9f, 0x98, 0x80, 0x61), 5, 3, bytes()],
    [bytes(0x80, 0x80, 0x80, 0x80, 0x80), 5, 4, bytes(0x80, 0x80, 0x80, 0x80)],
  ])("%s", (text, length, max, cut) => {
    expect(byteLength(text)).toBe(length);
    expect(cutText(text, max)).toEqual(cut);
  });
});

describe("a point with many entries", () => {
  it("finds, changes, renames and deletes its entries correctly", () => {
    const wide = new Point("m", 1n);
    const expected = new Map<string, PointValue>();
    for (let i = 0; i < 200; i++) {
      const key = `k${(i * 7) % 50}`;
      const to = `k${(i * 11) % 60}`;
      switch (i % 5) {
        case 3:
          expect(wide.delete(new Key(key))).toBe(expected.delete(key));
          break;
        case 4: {
          const value = expected.get(key);
          expect(wide.rename(new Key(key), new Key(to))).toBe(value !== undefined);
          if (value !== undefined && key !== to) {
            expected.delete(key);
            expected.set(to, value);
          }
          break;
        }
        default:
          wide.setField(new Key(key), i);
          expected.set(key, i);
      }
      expect(wide.get(new Key(to))).toBe(expected.get(to));
    }
    expect(new Map(Array.from(wide.entries(), (entry) => [entry.key, entry.value]))).toEqual(expected);
  });

  it("is copied with traits and warnings, and shares nothing with its copy", () => {
    const made = point(["a", 1]);
    made.setTraits("a", { metricType: 3, unit: "B", description: "" });
    correct(made, "logging");
    const copy = Point.copyOf(made);
    made.delete(new Key("a"));
    expect(list(copy)).toEqual([
      ["a", 1, false],
      ["status", "unknown", false],
    ]);
    expect(copy.traits("a")).toEqual({ metricType: 3, unit: "B", description: "" });
    expect(copy.warnings).toHaveLength(1);
  });
});

describe("equality", () => {
  const base = () => point(["f", new Float(1)], ["t", "v", true], ["a", new PointArray([1])]);

  it("ignores the order of entries", () => {
    expect(
      pointDifference(base(), point(["a", new PointArray([1])], ["t", "v", true], ["f", new Float(1)])),
    ).toBeNull();
  });

  it.each<[string, (made: Point) => void, string]>([
    ["time", (made) => (made.time = 2n), "timestamp not equal(1 <> 2)"],
    ["name", (made) => (made.name = "n"), "measurement not equla(m <> n)"],
    ["tags", (made) => made.delete(new Key("t")), "tag count not equal(1 <> 0)"],
    ["fields", (made) => made.delete(new Key("f")), "field: count not equal(2 <> 1)"],
    ["kind", (made) => made.setField(new Key("f"), 1), 'field: "f" value not deep equal(1 <> 1)'],
    ["key", (made) => made.rename(new Key("t"), new Key("u")), "tag: t not exists"],
    [
      "unit",
      (made) => made.setTraits("f", { metricType: 0, unit: "s", description: "" }),
      'field: "f" value not deep equal(1 <> 1)',
    ],
  ])("reports a different %s", (_, change, reason) => {
    const other = base();
    change(other);
    expect(pointDifference(base(), other)).toBe(reason);
  });

  it("ignores the name and the keys that the options list", () => {
    const other = base();
    other.time = 2n;
    other.name = "n";
    other.setField(new Key("f"), 1);
    expect(pointDifference(base(), other, { ignoreName: true, ignoreKeys: ["time", "f"] })).toBeNull();
    other.setField(new Key("g"), 1);
    expect(pointDifference(base(), other, { ignoreName: true, ignoreKeys: ["time", "f"] })).toBe("field: g not exists");
  });
});
