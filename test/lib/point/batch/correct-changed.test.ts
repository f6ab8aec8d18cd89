// Changes points in WebAssembly memory and corrects them again. The same changes to points in JavaScript must give the
// same result.

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type CategoryName, categories } from "../../../../lib/point/category.ts";
import { decodePoints } from "../../../../lib/point/codec/decode.ts";
import { encodePoints } from "../../../../lib/point/codec/encode.ts";
import { correct } from "../../../../lib/point/correct.ts";
import { defaultLimits, type Limits } from "../../../../lib/point/limits.ts";
import type { Point } from "../../../../lib/point/point.ts";
import { Float, PointArray, type PointValue, Uint } from "../../../../lib/point/value.ts";
import { Key, type PointView, type Warning } from "../../../../lib/point/view.ts";
import { canonical } from "../../../properties/canonical.ts";
import { loadModule } from "../../wasm/load.ts";

const module = await loadModule();
const now = 1700000000000000000n;
const utf8 = new TextEncoder();

const keyText = fc.constantFrom(
  ...["a", "b", "c.d", "c_d", "status", "name", "source", "date", "class", "x\ny", "x y", "end\\", "", "k".repeat(9)],
);
const text = fc.constantFrom("", "v", "two\nlines", "tail\\", "long text \u4e2d\u6587", "'\"'");
const value: fc.Arbitrary<PointValue> = fc.oneof(
  text,
  fc.constantFrom<PointValue>(
    ...[1, true, null, new Float(1.5), new Float(Number.NaN), new Float(Number.POSITIVE_INFINITY), new Uint(7)],
    ...[new Uint(2n ** 63n), new Uint8Array(9), new PointArray([]), new PointArray([1, 2])],
    new PointArray([new Float(1), new Float(Number.NEGATIVE_INFINITY)]),
  ),
);
type Edit = (point: PointView) => void;
const edit: fc.Arbitrary<Edit> = fc.oneof(
  fc.tuple(keyText, value).map(
    ([key, to]): Edit =>
      (point) =>
        point.setField(new Key(key), to),
  ),
  fc.tuple(keyText, text).map(
    ([key, to]): Edit =>
      (point) =>
        point.setTag(new Key(key), to),
  ),
  keyText.map(
    (key): Edit =>
      (point) =>
        void point.delete(new Key(key)),
  ),
  fc.tuple(keyText, keyText).map(
    ([from, to]): Edit =>
      (point) =>
        void point.rename(new Key(from), new Key(to)),
  ),
  fc.constantFrom("", "m2", "a long measurement").map(
    (name): Edit =>
      (point) => {
        point.name = name;
      },
  ),
);
const line = fc.constantFrom(
  "m,a=1,b=2 c=3i 1",
  'm,status=ok a="x",b=t 2',
  'm c.d=1,c_d=2,e="long text here",f=[1,2],g="YWJj"b 3',
  "m,a=1,a=2 x=1u",
);
const small = fc.constantFrom(0, 3, 5, 8);
const limits: fc.Arbitrary<Limits> = fc.oneof(
  fc.constant(defaultLimits),
  fc.record({
    ...{ maxTags: fc.constantFrom(0, 1, 2), maxFields: fc.constantFrom(0, 1, 2), maxTagKey: small, maxFieldKey: small },
    ...{ maxTagValue: small, maxFieldValue: small, maxMeasurement: small, noUint: fc.boolean() },
  }),
);

function expected(point: Point, category: CategoryName, its: Limits): Warning[] {
  const before = point.warnings.splice(0);
  correct(point, category, its);
  const isNew = (made: Warning) => !before.some((known) => known.type === made.type && known.message === made.message);
  return [...before, ...point.warnings.filter(isNew)];
}

describe("points that were changed on the tape", () => {
  it("are corrected like points in JavaScript", () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(line, fc.array(edit, { maxLength: 6 })), { minLength: 1, maxLength: 4 }),
        fc.constantFrom(...categories),
        limits,
        (list, category, its) => {
          const body = utf8.encode(list.map(([each]) => each).join("\n"));
          const batch = decodePoints(module, body, "lp", { category, now, limits: its });
          const copies = list.map((_, at) => batch.point(at));
          for (const [at, [, edits]] of list.entries())
            for (const each of edits) for (const point of [batch.at(at), copies[at]!]) each(point);
          // Decoding the second body changes the settings in the module. The points of the first batch must still be
          // corrected by the settings of the first batch.
          decodePoints(module, utf8.encode("z z=1"), "lp", { category: "metric", now }).release();
          for (const at of list.keys()) batch.correct(at);
          for (const [at, copy] of copies.entries()) {
            const warnings = expected(copy, category, its);
            expect(batch.warnings(at)).toEqual(warnings);
            const point = batch.point(at);
            expect(Array.from(point.entries(), ({ key }) => key)).toEqual(Array.from(copy.entries(), ({ key }) => key));
            expect(canonical(point)).toEqual(canonical(copy));
            copy.warnings.splice(0, copy.warnings.length, ...warnings);
          }
          expect(encodePoints(module, batch, "pbjson")).toEqual(encodePoints(module, copies, "pbjson"));
          batch.release();
          expect(module.used).toBe(0);
        },
      ),
      { numRuns: 600 },
    );
  });

  it("stay unchanged when nothing is wrong, however often they are corrected", () => {
    const batch = decodePoints(module, utf8.encode("m,t=a.b c.d=1 1\nm status=2"), "lp", { category: "logging", now });
    const before = [0, 1].map((at) => canonical(batch.point(at)));
    const warnings = [0, 1].map((at) => batch.warnings(at));
    for (const at of [0, 1, 1, 0]) batch.correct(at);
    expect([0, 1].map((at) => canonical(batch.point(at)))).toEqual(before);
    expect([0, 1].map((at) => batch.warnings(at))).toEqual(warnings);
    batch.release();
  });

  it("keep their positions while other points are corrected", () => {
    const batch = decodePoints(module, utf8.encode("m a=1 1\nm a=2 2"), "lp", { category: "logging", now });
    const key = new Key("x.y");
    for (const at of [1, 0]) {
      batch.at(at).setField(key, at);
      batch.correct(at);
    }
    const lines = new TextDecoder().decode(encodePoints(module, batch, "lp"));
    expect(lines).toBe('m a=1,status="unknown",x_y=0i 1000000000\nm a=2,status="unknown",x_y=1i 2000000000');
    expect(batch.warnings(0).map(({ type }) => type)).toEqual(["add_required_kv", "dot_in_key"]);
    batch.release();
  });
});
