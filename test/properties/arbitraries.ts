// Random points for the property tests: every type of value with its edge cases, and the keys and strings that each
// wire format can carry.

import fc from "fast-check";
import { Point } from "../../lib/point/point.ts";
import { Float, PointArray, type PointValue, type Scalar, Uint } from "../../lib/point/value.ts";
import type { EntryTraits } from "../../lib/point/view.ts";
import { integer } from "../../lib/text/integer.ts";
import { OwnedBytes } from "../../lib/text/utf8.ts";

const edgeInts = [
  0n,
  1n,
  -1n,
  2n ** 53n,
  -(2n ** 53n),
  2n ** 53n + 1n,
  2n ** 63n - 1n,
  -(2n ** 63n),
  99999999n,
  10n ** 16n,
];
const int = fc
  .oneof(fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }), fc.integer().map(BigInt), fc.constantFrom(...edgeInts))
  .map((value) => integer(value));

const edgeUints = [0n, 1n, 2n ** 53n, 2n ** 63n, 2n ** 64n - 1n, 10n ** 19n];
const uint = fc
  .oneof(fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }), fc.constantFrom(...edgeUints))
  .map((value) => new Uint(integer(value)));

/** Doubles that printers or parsers have handled wrongly, in this project or in others. */
export const hardDoubles: readonly number[] = [
  ...[0, -0, 1, -1, 0.1, 0.3, 1 / 3, 5e-324, 1.5e-323, 2.2250738585072014e-308, 2.225073858507201e-308],
  ...[1.7976931348623157e308, 9007199254740991, 9007199254740992, 9007199254740994, 2 ** 63, 2 ** 64],
  ...[
    1e21, 1e22, 1e23, 9.5e-3, 4.35, 1e-6, 9.99999999999999e-7, 1e-7, 123456789012345680000, 8.41e21,
    2.0919495182368195e19,
  ],
  ...[2.6102423014348e-19, 1.8446744073709552e19, 4.4501363245856945e-308, 4.9406564584124654e-324, 9.5367431640625e-7],
  ...[
    1.0e-292,
    5.0e-293,
    6.8985865317742005e180,
    1.4757395258967641e20,
    2 ** -1022,
    2 ** 1023,
    0.000001,
    7.0385307e-26,
  ],
];

const double = fc.oneof(
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc
    .tuple(fc.integer({ min: -99999999, max: 99999999 }), fc.integer({ min: -12, max: 12 }))
    .map(([n, e]) => Number(`${n}e${e}`)),
  fc.constantFrom(...hardDoubles),
);
const float = double.map((value) => new Float(value));

const piece = fc.constantFrom(
  ...[
    "a",
    "key",
    "_",
    '"',
    "\\",
    "\\\\",
    '\\"',
    ",",
    " ",
    "=",
    "é",
    "中文",
    "\u{1f30a}",
    "\0",
    "\n",
    "\r\n",
    "\t",
    "\x1f",
    "\x7f",
    "\u2028",
  ],
  "a text that is longer than one block of sixteen bytes",
  "sixteen bytes...",
);
/** Generator of any well-formed Unicode string. */
const text = fc.oneof(
  fc.string({ unit: "binary", maxLength: 40 }),
  fc.array(piece, { maxLength: 30 }).map((parts) => parts.join("")),
);

/** Generator of byte sequences. Some of them are valid UTF-8, others are not. */
export const rawText = fc
  .array(
    fc.oneof(
      text.map((each) => new TextEncoder().encode(each)),
      fc.uint8Array({ maxLength: 5 }),
      fc.constantFrom([0xff], [0xc3], [0xed, 0xa0, 0x80], [0xf0, 0x9f, 0x98], [0xe0, 0x80], [0xf4, 0x90, 0x80, 0x80]),
    ),
    { maxLength: 6 },
  )
  .map((parts) => new Uint8Array(parts.flatMap((part) => [...part])));
const bytesText = rawText.map((bytes) => new OwnedBytes(bytes));

const binary = fc.uint8Array({ maxLength: 20 });

const arrayOf = (element: fc.Arbitrary<Scalar>) =>
  fc.array(element, { minLength: 1, maxLength: 4 }).map((elements) => new PointArray(elements));

/**
 * Generator of keys that no category corrects, and that stay the same after encoding and decoding in every wire format.
 */
const key = fc
  .oneof(
    fc.string({ unit: "binary", minLength: 1, maxLength: 12 }),
    fc.array(piece, { minLength: 1, maxLength: 3 }).map((p) => p.join("")),
  )
  .map((each) => each.replace(/[.\\\n\r]/g, "_"))
  .filter((each) => each.trim() === each && !/^[#\0]/.test(each) && each !== "");

const traits: fc.Arbitrary<EntryTraits> = fc.record({
  metricType: fc.constantFrom(0, 1, 3, 10, 42, 99, 2147483647),
  unit: fc.oneof(fc.constant(""), text),
  description: fc.oneof(fc.constant(""), text),
});

interface What {
  readonly value: fc.Arbitrary<PointValue>;
  readonly tag: fc.Arbitrary<string | OwnedBytes>;
  readonly withTraits?: boolean;
}

/**
 * Returns an arbitrary (a generator of random values) for points whose values and tags come from the given arbitraries.
 * Each point has a time above 0 and at least one field.
 */
function pointOf({ value, tag, withTraits = false }: What): fc.Arbitrary<Point> {
  const field = fc.tuple(key, value, withTraits ? fc.option(traits, { nil: undefined }) : fc.constant(undefined));
  return fc
    .tuple(
      key,
      fc.bigInt({ min: 1n, max: 2n ** 63n - 2n }),
      fc.array(field, { minLength: 1, maxLength: 8 }),
      fc.array(fc.tuple(key, tag), { maxLength: 4 }),
    )
    .map(([name, time, fields, tags]) => {
      const point = new Point(name, time);
      for (const [each, content] of tags) point.set(each, content, true);
      for (const [each, content] of fields) point.set(each, content, false);
      for (const [each, , more] of fields) if (more !== undefined) point.setTraits(each, more);
      return point;
    });
}

const tagText = text.map((each) => each.replace(/[\\\n]/g, "_"));
const tagBytes = rawText.map(
  (bytes) => new OwnedBytes(bytes.map((byte) => (byte === 0x0a || byte === 0x5c ? 0x5f : byte))),
);
const lineTag = fc.oneof(tagText, tagBytes).filter((each) => each.length > 0);

const scalars: readonly fc.Arbitrary<Scalar>[] = [int, uint, float, fc.boolean(), text];
const wireScalars: readonly fc.Arbitrary<Scalar>[] = [...scalars, bytesText, binary];
const all = (list: readonly fc.Arbitrary<Scalar>[]) => fc.oneof(...list, ...list.map((each) => arrayOf(each)));

/**
 * Generators of points, one for each wire format. The points are unchanged after encoding and decoding in the wire
 * format of their generator.
 */
export const pointsFor: Readonly<Record<"lp" | "json" | "pbjson" | "pb", fc.Arbitrary<Point>>> = {
  lp: pointOf({ value: all(wireScalars), tag: lineTag }),
  json: pointOf({ value: all([float, fc.boolean(), text]), tag: tagText }),
  pbjson: pointOf({ value: all([...scalars, binary]), tag: tagText, withTraits: true }),
  pb: pointOf({
    value: fc.oneof(all(wireScalars), fc.constant(null)),
    tag: fc.oneof(tagText, tagBytes),
    withTraits: true,
  }),
};

const notFinite = fc
  .constantFrom(Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY)
  .map((value) => new Float(value));
const anyKey = fc.oneof(key, fc.constantFrom("", "a.b", "a\\", "a\nb", "é=", "k".repeat(300)));

/** Points with any key, name and value that a script can write. Not every wire format can express all of them. */
export const anyPoint: fc.Arbitrary<Point> = fc
  .tuple(
    fc.oneof(key, text),
    fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
    fc.array(fc.tuple(anyKey, fc.oneof(all([...wireScalars, notFinite]), fc.constantFrom(null, new PointArray([])))), {
      maxLength: 8,
    }),
    fc.array(fc.tuple(anyKey, fc.oneof(text, bytesText)), { maxLength: 4 }),
    fc.array(fc.record({ type: text, message: text }), { maxLength: 2 }),
  )
  .map(([name, time, fields, tags, warnings]) => {
    const point = new Point(name, time);
    for (const [each, content] of tags) point.set(each, content, true);
    for (const [each, content] of fields) point.set(each, content, false);
    point.warnings.push(...warnings);
    return point;
  });

/** Generators of values and strings with which tests overwrite parts of existing points. */
export const anyValue: fc.Arbitrary<PointValue> = fc.oneof(all(wireScalars), fc.constant(null));
export const anyText = fc.oneof(text, bytesText);
export { double, key as anyPlainKey };
