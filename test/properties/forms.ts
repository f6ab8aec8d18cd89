// Properties of the wire formats: when the same points are sent in different formats, the decoders must return
// equal points with equal corrections, for every category, limit and unit of time.

import fc from "fast-check";
import { type CategoryName, type Form, type Millrace, Point, PointError, type PointView } from "../../lib/index.ts";
import { categories } from "../../lib/point/category.ts";
import { correct, correctJsonName, receivedEntries } from "../../lib/point/correct.ts";
import { defaultLimits, type Limits } from "../../lib/point/limits.ts";
import { resolveTime } from "../../lib/point/precision.ts";
import { Float, PointArray, type PointValue, type Scalar, Uint } from "../../lib/point/value.ts";
import type { EntryTraits } from "../../lib/point/view.ts";
import { integer } from "../../lib/text/integer.ts";
import { compareText } from "../../lib/text/utf8.ts";
import * as baseline from "../baseline/encode.ts";
import { encodeWithProtobufjs } from "../baseline/protobuf.ts";
import { canonical } from "./canonical.ts";
import type { Property } from "./properties.ts";
import { same } from "./same.ts";

const now = 1700000000000000001n;
const encoder = new TextEncoder();

interface How {
  readonly category: CategoryName;
  readonly precision: string;
  readonly limits: Limits;
}

const how: fc.Arbitrary<How> = fc.record({
  category: fc.constantFrom(...categories),
  precision: fc.constantFrom("", "n", "u", "ms", "s", "m", "h", "ns"),
  limits: fc.constantFrom<Limits>(
    defaultLimits,
    { ...defaultLimits, noUint: true },
    { ...defaultLimits, maxTags: 1, maxFields: 2 },
    { ...defaultLimits, maxTagKey: 3, maxFieldKey: 2, maxTagValue: 4, maxFieldValue: 3, maxMeasurement: 3 },
    { maxTags: 0, maxFields: 0, maxTagKey: 0, maxFieldKey: 0, maxTagValue: 0, maxFieldValue: 0, maxMeasurement: 0 },
  ),
});

const times = fc.oneof(
  fc.constantFrom(0n, 1n, -1n, 9999999999n, 10000000000n, 9999999999999n, 10n ** 13n, 10n ** 16n - 1n, 10n ** 16n),
  fc.constantFrom(
    9223372036n,
    9223372037n,
    2n ** 63n - 2n,
    2n ** 63n - 1n,
    -(2n ** 63n),
    2562047n,
    2562048n,
    153722867n,
    153722868n,
  ),
  fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
);
const anyName = fc.constantFrom("m", "", "cpu", "é中😀", "a\n", "\\", "long name", "n\\\n", "__default", "a,b c=d");
/** Keys that every wire format can carry. Rules of some categories, or length limits, apply to some of them. */
const commonKeys = "a,b,a.b,a_b,..,status,name,source,class,date,abc,abcd,é中,a b".split(",");
const anyKey = fc.constantFrom(...commonKeys, "", "中中", "a\nb", "k\\");
const anyText = fc.constantFrom(
  "",
  "x",
  "12345",
  "aéé",
  "中中",
  "v\\",
  "v\nw",
  "\\",
  'q"q',
  "\u2028\u0000",
  "x".repeat(1100),
);
const float = fc
  .constantFrom(0, -0, 1, -1.5, 0.1, 1e21, 1e-7, 5e-324, 1.7976931348623157e308, Number.NaN, Infinity, -Infinity)
  .map((value) => new Float(value));
const int = fc.constantFrom(0n, -1n, 2n ** 53n + 1n, 2n ** 63n - 1n, -(2n ** 63n)).map((value) => integer(value));
const uint = fc
  .constantFrom(0n, 7n, 2n ** 63n - 1n, 2n ** 63n, 2n ** 64n - 1n)
  .map((value) => new Uint(integer(value)));
const binary = fc.uint8Array({ maxLength: 6 });
const scalars: readonly fc.Arbitrary<Scalar>[] = [float, int, uint, fc.boolean(), anyText, binary];
const value: fc.Arbitrary<PointValue> = fc.oneof(
  ...scalars,
  ...scalars.map((each) => fc.array(each, { maxLength: 3 }).map((elements) => new PointArray(elements))),
  fc.constant(null),
);
const traits: fc.Arbitrary<EntryTraits | undefined> = fc.option(
  fc.record({ metricType: fc.constantFrom(0, 3, 42, 7), unit: anyText, description: fc.constantFrom("", "d") }),
  { nil: undefined },
);

/** A point as a sender may send it; it may have the same key several times. */
const sent: fc.Arbitrary<() => Point> = fc
  .tuple(anyName, times, fc.array(fc.tuple(anyKey, fc.oneof(value, anyText), fc.boolean(), traits), { maxLength: 6 }))
  .map(([name, time, entries]) => () => {
    const point = new Point(name, time);
    for (const [key, each, isTag, its] of entries) {
      // Encoders find the traits (metric type, unit, description) of a field by the field's key. So a field must not
      // have traits when its key occurs twice in the point.
      const isOnly = entries.filter(([other]) => other === key).length === 1;
      point.append(key, each, isTag && typeof each === "string", isOnly ? its : undefined);
    }
    return point;
  });

/** Returns the complete result of a decoder: the points in order with their warnings, or the reason of the refusal. */
function said(read: () => readonly Point[]): unknown {
  try {
    return read().map((point) => [canonical(point, true), Array.from(point.entries(), ({ key }) => key)]);
  } catch (error) {
    if (!(error instanceof PointError)) throw error;
    // Each wire format describes the position of the error in its own words, so only the reason is compared.
    if (error.message.includes(outside)) return outside;
    throw error;
  }
}

const outside = "time outside range -9223372036854775806 - 9223372036854775806";

export function formProperties(mill: Millrace): Property[] {
  const decode = (body: Uint8Array, form: Form, { category, precision, limits }: How): Point[] => {
    const batch = mill.decodePoints(body, { category, form, precision, limits, now });
    try {
      return Array.from({ length: batch.length }, (_, at) => batch.point(at));
    } finally {
      batch.release();
    }
  };
  /**
   * Does in JavaScript the same as a decoder does with the points of a body: computes their times in nanoseconds and
   * corrects them. Returns the corrected points.
   */
  const corrected = (points: readonly Point[], { category, precision, limits }: How): Point[] =>
    points.map((point, at) => {
      const time = resolveTime(point.time, precision, now);
      if (time === undefined) {
        throw new PointError(`point ${at}: ${outside}`, "json");
      }
      point.time = time;
      correctJsonName(point);
      correct(point, category, limits, receivedEntries(point.entries()));
      return point;
    });
  return [
    {
      name: "PBJSON, protobuf and points of JavaScript are corrected alike",
      runs: 1500,
      property: fc.property(fc.array(sent, { maxLength: 3 }), how, (makers, way) => {
        const make = (): Point[] => makers.map((each) => each());
        const expected = said(() => corrected(make(), way));
        same(
          said(() => decode(encoder.encode(baseline.encodePbjson(make())), "pbjson", way)),
          expected,
        );
        same(
          said(() => decode(encodeWithProtobufjs(make()), "pb", way)),
          expected,
        );
      }),
    },
    {
      name: "a line and the same point in PBJSON are corrected alike",
      runs: 1000,
      property: fc.property(lineSent, how, (point, way) => {
        const line = mill.encodePoints([point], "lp");
        // A decoded line has its fields before its tags, both in the order of the line. The encoder has sorted fields
        // and tags by key, so this code also sorts the expected fields and tags by key.
        const asRead = new Point(point.name, point.time);
        for (const isTag of [false, true]) {
          const some = [...point.entries()].filter((entry) => entry.isTag === isTag);
          some.sort((left, right) => compareText(left.key, right.key));
          for (const { key, value: each } of some) asRead.append(key, each, isTag);
        }
        same(
          said(() => decode(encoder.encode(baseline.encodePbjson([asRead])), "json", way)),
          said(() => decode(line, "lp", way)),
        );
      }),
    },
    {
      name: "simple JSON and the same point in PBJSON are corrected alike",
      runs: 1000,
      property: fc.property(sent, how, (make, way) => {
        const point = make();
        const [fields, tags] = [new Map<string, PointValue>(), new Map<string, string>()];
        for (const { key, value: each, isTag } of point.entries()) {
          if (isTag) tags.set(key, each as string);
          else if (!tags.has(key)) fields.set(key, simpleValue(each));
        }
        for (const key of tags.keys()) fields.delete(key);
        const plain = new Point(point.name, point.time);
        for (const [key, each] of fields) plain.append(key, each, false);
        for (const [key, each] of tags) plain.append(key, each, true);
        const text = simpleJson(plain.name, fields, tags, plain.time);
        same(
          said(() => decode(encoder.encode(text), "json", way)),
          said(() => decode(encoder.encode(baseline.encodePbjson([plain])), "pbjson", way)),
        );
      }),
    },
    {
      name: "what was corrected once is right, in every form",
      runs: 600,
      property: fc.property(sent, how, fc.constantFrom<Form>("pbjson", "pb", "json", "lp"), (make, any, form) => {
        // Length limits are switched off, because a required key that the corrections add may be longer than such a
        // limit.
        const way = { ...any, limits: { ...defaultLimits, noUint: any.limits.noUint === true } };
        const first = said(() => corrected([make()], way));
        if (typeof first === "string") return;
        const points = corrected([make()], way);
        // Two types of warnings are not compared. Decoding a nil value always causes a warning. And when a wire format
        // cannot express the value of a required key, the body lacks this key, so the corrections add the key again
        // with a warning.
        const again = decodeAgain(mill, points, form, way);
        for (const { warnings } of again) {
          same(
            warnings.filter(({ type }) => !["nil_field", "add_required_kv"].includes(type)),
            [],
          );
        }
      }),
    },
  ];
}

function decodeAgain(mill: Millrace, points: readonly PointView[], form: Form, { category, limits }: How): Point[] {
  const body = mill.encodePoints(points, form);
  if (body.length === 0) return [];
  const batch = mill.decodePoints(body, { category, form, precision: "n", limits, now });
  try {
    return Array.from({ length: batch.length }, (_, at) => batch.point(at));
  } finally {
    batch.release();
  }
}

/**
 * Keys for points that line protocol can express. They include hard cases for a parser, but no newlines and no
 * backslashes.
 */
const lineKey = fc.constantFrom(...commonKeys, "a,b=c");
const finite = float.filter((each) => Number.isFinite(each.value));
const lineValues: readonly fc.Arbitrary<Scalar>[] = [finite, int, uint, fc.boolean(), anyText, binary];
const lineSent: fc.Arbitrary<Point> = fc
  .tuple(
    fc.constantFrom("m", "cpu", "é中😀", "long name", "a,b"),
    times.filter((time) => time > 0n && time < 2n ** 63n - 1n),
    fc.uniqueArray(
      fc.tuple(
        lineKey,
        fc.oneof(
          ...lineValues,
          ...lineValues.map((each) => fc.array(each, { minLength: 1, maxLength: 3 }).map((e) => new PointArray(e))),
        ),
        fc.boolean(),
      ),
      { maxLength: 6, selector: ([key]) => key },
    ),
  )
  .map(([name, time, entries]) => {
    const point = new Point(name, time);
    point.append("always", true, false);
    for (const [key, each, isTag] of entries) {
      // A string with a newline or a backslash becomes a field, because line protocol cannot have such a string as the
      // value of a tag.
      const tag = isTag && typeof each === "string" && each !== "" && !/[\n\\]/.test(each);
      point.append(key, each, tag);
    }
    return point;
  });

/** Returns the value that a receiver reads after this value was sent as simple JSON. */
function simpleValue(each: PointValue): PointValue {
  if (typeof each === "string" || typeof each === "boolean") return each;
  if (each instanceof Float) return Number.isFinite(each.value) ? each : null;
  if (each instanceof Uint) return new Float(Number(each.value));
  if (typeof each === "number" || typeof each === "bigint") return new Float(Number(each));
  if (!(each instanceof PointArray)) return null;
  const elements = each.elements.map((element) => simpleValue(element));
  return elements.some((element) => element === null) ? null : new PointArray(elements as Scalar[]);
}

function simpleJson(
  name: string,
  fields: ReadonlyMap<string, PointValue>,
  tags: ReadonlyMap<string, string>,
  time: bigint,
): string {
  const shown = (each: PointValue): string => {
    if (each instanceof Float) return Object.is(each.value, -0) ? "-0" : JSON.stringify(each.value);
    if (each instanceof PointArray) return `[${each.elements.map(shown).join(" , ")}]`;
    return JSON.stringify(each);
  };
  const members = (map: ReadonlyMap<string, PointValue>): string =>
    Array.from(map, ([key, each]) => `${JSON.stringify(key)}:${shown(each)}`).join(",");
  return `[{"time":${time},"tags":{${members(tags)}},"fields":{${members(fields)}},"measurement":${JSON.stringify(name)}}]`;
}
