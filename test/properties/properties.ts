// Properties of every point and every body. `npm test` tries each property a bounded number of times; `npm run fuzz`
// tries it until its time is over.

import fc from "fast-check";
import { type Form, Key, type Millrace, Point, PointError, type PointView } from "../../lib/index.ts";
import { defaultLimits } from "../../lib/point/limits.ts";
import { Float, PointArray, type PointValue } from "../../lib/point/value.ts";
import * as baseline from "../baseline/encode.ts";
import { jsonFloat, plainFloat } from "../baseline/float.ts";
import { decodeWithProtobufjs, encodeWithProtobufjs } from "../baseline/protobuf.ts";
import { anyPlainKey, anyPoint, anyText, anyValue, double, hardDoubles, pointsFor, rawText } from "./arbitraries.ts";
import { canonical } from "./canonical.ts";
import { same } from "./same.ts";

export interface Property {
  readonly name: string;
  /** Number of tries for each property in `npm test`. */
  readonly runs: number;
  readonly property: fc.IRawProperty<unknown>;
}

const now = 1700000000000000000n;
const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
const none = {
  ...defaultLimits,
  maxTags: 0,
  maxFields: 0,
  maxTagKey: 0,
  maxFieldKey: 0,
  maxTagValue: 0,
  maxMeasurement: 0,
};

export function propertiesOf(mill: Millrace): Property[] {
  const decode = (body: Uint8Array, form: Form): Point[] => {
    const batch = mill.decodePoints(body, { category: "tracing", form, precision: "n", now, limits: none });
    try {
      return Array.from({ length: batch.length }, (_, i) => batch.point(i));
    } finally {
      batch.release();
    }
  };
  const encode = (points: Iterable<PointView>, form: Form) => mill.encodePoints(points, form);
  const text = (points: Iterable<PointView>, form: Form) => decoder.decode(encode(points, form));
  const list = (points: Iterable<PointView>) => Array.from(points, (point) => canonical(point));

  const comesBack = (form: Form): Property => ({
    name: `a point comes back from ${form} as it was`,
    runs: 400,
    property: fc.property(fc.array(pointsFor[form], { maxLength: 3 }), (points) => {
      if (points.length === 0 && form === "lp") return;
      same(list(decode(encode(points, form), form)), list(points));
    }),
  });

  return [
    comesBack("lp"),
    comesBack("json"),
    comesBack("pbjson"),
    comesBack("pb"),
    {
      name: "the module and plain JavaScript write the same text",
      runs: 600,
      property: fc.property(fc.array(anyPoint, { maxLength: 4 }), (points) => {
        // The baseline encoder replaces bytes that are not UTF-8. So the test replaces them in the output of Millrace,
        // too.
        const lossy = new TextDecoder("utf-8", { ignoreBOM: true });
        same(lossy.decode(encode(points, "lp")), baseline.encodeLineProtocol(points));
        same(text(points, "json"), baseline.encodeJson(points));
        same(text(points, "pbjson"), baseline.encodePbjson(points));
      }),
    },
    {
      name: "protobufjs reads what the module writes",
      runs: 300,
      property: fc.property(fc.array(anyPoint, { maxLength: 3 }), (points) => {
        const read = decodeWithProtobufjs(encode(points, "pb"));
        same(
          read.map((point) => canonical(point, true)),
          points.map((point) => canonical(point, true)),
        );
      }),
    },
    {
      name: "the module reads what protobufjs writes",
      runs: 300,
      property: fc.property(fc.array(pointsFor.pb, { maxLength: 3 }), (points) => {
        same(list(decode(encodeWithProtobufjs(points), "pb")), list(points));
      }),
    },
    {
      name: "edits on a tape are written as edits of a point are",
      runs: 500,
      property: fc.property(
        fc.array(pointsFor.lp, { minLength: 1, maxLength: 3 }),
        fc.array(edit, { maxLength: 12 }),
        (points, edits) => {
          const batch = mill.decodePoints(encode(points, "lp"), {
            category: "tracing",
            form: "lp",
            precision: "n",
            now,
            limits: none,
          });
          try {
            for (let i = 0; i < batch.length; i++) {
              const copy = batch.point(i);
              for (const change of edits) change(copy);
              for (const change of edits) change(batch.at(i));
              for (const form of ["lp", "json", "pbjson", "pb"] as const) {
                same(mill.encodePoints(batch, form, { from: i, to: i + 1 }), encode([copy], form));
              }
            }
          } finally {
            batch.release();
          }
        },
      ),
    },
    {
      name: "bytes that are not UTF-8 go from lines to protobuf and back",
      runs: 400,
      property: fc.property(lineOfBytes, (line) => {
        const transcode = (body: Uint8Array, from: Form, to: Form) => {
          const batch = mill.decodePoints(body, { category: "metric", form: from, precision: "n", now, limits: none });
          const bytes = mill.encodePoints(batch, to);
          batch.release();
          return bytes;
        };
        same(transcode(line, "lp", "lp"), line);
        same(transcode(transcode(line, "lp", "pb"), "pb", "lp"), line);
      }),
    },
    {
      name: "any bytes as protobuf are points or a PointError",
      runs: 1500,
      property: fc.property(brokenMessage, (bytes) => {
        try {
          decode(bytes, "pb");
        } catch (error) {
          if (!(error instanceof PointError) || error.form !== "protobuf") throw error;
        }
        same(mill.memory().used, 0);
      }),
    },
    {
      name: "parts of a protobuf body are the whole",
      runs: 200,
      property: fc.property(
        fc.array(pointsFor.pb, { maxLength: 3 }),
        fc.array(pointsFor.pb, { maxLength: 3 }),
        (some, more) => {
          same(joined(encode(some, "pb"), encode(more, "pb")), encode([...some, ...more], "pb"));
        },
      ),
    },
    {
      name: "doubles are printed and read as JavaScript does",
      runs: 200,
      property: fc.property(fc.array(fc.oneof(double, anyBits), { minLength: 1, maxLength: 100 }), (values) =>
        agreeOnDoubles(mill, values),
      ),
    },
    {
      name: "the hard doubles",
      runs: 1,
      property: fc.property(fc.constant(hardDoubles), (values) => agreeOnDoubles(mill, values)),
    },
  ];
}

/**
 * Checks that Millrace prints and parses doubles, with and without exponents, in the same way as JavaScript. Throws an
 * error at the first difference.
 */
export function agreeOnDoubles(mill: Millrace, values: readonly number[]): void {
  const point = new Point("m", now);
  point.setField(new Key("f"), new PointArray(values.map((value) => new Float(value))));
  const line = decoder.decode(mill.encodePoints([point], "lp"));
  same(line, `m f=[${values.map(plainFloat).join()}] ${now}`);
  const json = decoder.decode(mill.encodePoints([point], "json"));
  same(json, `[{"measurement":"m","fields":{"f":[${values.map(jsonFloat).join()}]},"time":${now}}]`);
  for (const spelled of [
    plainFloat,
    jsonFloat,
    (value: number) => value.toExponential(20),
    (value: number) => value.toPrecision(17),
  ]) {
    const body = new TextEncoder().encode(`m ${values.map((value, i) => `f${i}=${spelled(value)}`).join()} 1`);
    const batch = mill.decodePoints(body, { category: "metric", form: "lp", now, limits: none });
    try {
      let i = 0;
      for (const { value } of batch.at(0).entries()) {
        const read = (value as Float).value;
        if (!Object.is(read, Number(spelled(values[i]!)))) throw new Error(`${spelled(values[i]!)} read as ${read}`);
        i++;
      }
      same(i, values.length);
    } finally {
      batch.release();
    }
  }
}

const anyBits = fc
  .bigInt({ min: 0n, max: 2n ** 64n - 1n })
  .map((bits) => new Float64Array(new BigUint64Array([bits]).buffer)[0]!)
  .filter(Number.isFinite);

const edit: fc.Arbitrary<(point: PointView) => void> = fc.oneof(
  fc.tuple(anyPlainKey, anyValue).map(
    ([key, value]) =>
      (point: PointView) =>
        point.setField(new Key(key), value as PointValue),
  ),
  fc.tuple(anyPlainKey, anyText).map(
    ([key, value]) =>
      (point: PointView) =>
        point.setTag(new Key(key), value),
  ),
  fc.nat(7).map((place) => (point: PointView) => {
    const entry = [...point.entries()][place];
    if (entry !== undefined) point.delete(new Key(entry.key));
  }),
  fc.tuple(fc.nat(7), anyPlainKey).map(([place, to]) => (point: PointView) => {
    const entry = [...point.entries()][place];
    if (entry !== undefined) point.rename(new Key(entry.key), new Key(to));
  }),
  fc.tuple(fc.nat(7), anyValue).map(([place, value]) => (point: PointView) => {
    const entry = [...point.entries()][place];
    if (entry !== undefined) point.setField(new Key(entry.key), value);
  }),
  anyPlainKey.map((name) => (point: PointView) => {
    point.name = name;
  }),
);

/**
 * A line as the encoder writes it. Its keys and values consist of any bytes except those with a meaning in line
 * protocol.
 */
const token = rawText.map((bytes) =>
  [...bytes].filter((byte) => byte > 0x20 && ![0x22, 0x23, 0x2c, 0x3d, 0x5c].includes(byte)),
);
const lineOfBytes = fc
  .tuple(token, token, token, token)
  .map(
    ([name, key, value, field]) =>
      new Uint8Array([
        ...ascii("m"),
        ...name,
        ...ascii(",t"),
        ...key,
        ...ascii("=v"),
        ...value,
        ...ascii(" f"),
        ...field,
        ...ascii("=1 7"),
      ]),
  );

function ascii(text: string): number[] {
  return [...text].map((each) => each.charCodeAt(0));
}

/** Protobuf messages with bytes changed, removed or added, and random bytes. */
const brokenMessage = fc.oneof(
  fc.uint8Array({ maxLength: 64 }),
  fc
    .tuple(
      fc.array(pointsFor.pb, { minLength: 1, maxLength: 2 }),
      fc.array(fc.tuple(fc.nat(400), fc.nat(255), fc.nat(2)), { minLength: 1, maxLength: 4 }),
    )
    .map(([points, changes]) => {
      const bytes = [...encodeWithProtobufjs(points)];
      for (const [at, byte, how] of changes)
        bytes.splice(at % (bytes.length + 1), how === 0 ? 0 : 1, ...(how === 2 ? [] : [byte]));
      return new Uint8Array(bytes);
    }),
);

function joined(a: Uint8Array, b: Uint8Array): Uint8Array {
  const both = new Uint8Array(a.length + b.length);
  both.set(a);
  both.set(b, a.length);
  return both;
}
