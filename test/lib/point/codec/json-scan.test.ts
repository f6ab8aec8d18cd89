// Compares the WebAssembly module's scan of JSON bodies with the reader in JavaScript: points, warnings and errors must
// be equal for any document. Also counts the steps of the scan.

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type CategoryName, categories } from "../../../../lib/point/category.ts";
import { decodePoints } from "../../../../lib/point/codec/decode.ts";
import { PointError } from "../../../../lib/point/errors.ts";
import { defaultLimits, type Limits } from "../../../../lib/point/limits.ts";
import type { Point } from "../../../../lib/point/point.ts";
import { head } from "../../../../lib/wasm/tape.ts";
import { decodeJson } from "../../../baseline/json.ts";
import { canonical } from "../../../properties/canonical.ts";
import { loadCounting, loadModule } from "../../wasm/load.ts";

const module = await loadModule();
const { module: counting, steps } = await loadCounting();
const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text);

interface Options {
  readonly category: CategoryName;
  readonly precision?: string;
  readonly now: bigint;
  readonly limits: Limits;
}

const defaults: Options = { category: "tracing", now: 1700000000000000000n, limits: defaultLimits };

/** Returns the complete result of a decoder for a body: its points with their warnings, or its error. */
function answer(decode: () => readonly Point[]): unknown {
  try {
    return decode().map((point) => [canonical(point), Array.from(point.entries(), ({ key }) => key), point.warnings]);
  } catch (error) {
    if (!(error instanceof PointError)) throw error;
    return error.message;
  }
}

function expectAgreement(body: Uint8Array, options: Options): void {
  const expected = answer(() => decodeJson(body, options));
  const onTape = (): Point[] => {
    const batch = decodePoints(module, body, "json", options);
    const points = Array.from({ length: batch.length }, (_, i) => batch.point(i));
    batch.release();
    return points;
  };
  expect(answer(onTape)).toEqual(expected);
}

/** Returns the number of points that the scan in the WebAssembly module decoded without the reader in JavaScript. */
function scanned(text: string, options = defaults): number {
  const batch = decodePoints(module, utf8(text), "json", options);
  try {
    // When the scan in the module has given up, the reader in JavaScript has decoded all points. The batch then does
    // not contain the body, so the length of its body is 0.
    return batch.head(head.length) === 0 ? 0 : batch.length - batch.head(head.attention);
  } finally {
    batch.release();
  }
}

/** Returns a generator (an "arbitrary") of random values: mostly usual values, rarely one of the odd values. */
const mostly = <T>(usual: fc.Arbitrary<T>, ...odd: T[]): fc.Arbitrary<T> =>
  fc.oneof({ weight: 60, arbitrary: usual }, fc.constantFrom(...odd));
const quoted = (text: string): string => `"${text}"`;
const space = fc.constantFrom("", "", "", "", " ", "\n\t", "\r ");
const pieces = fc.constantFrom(
  ...[
    "a",
    "é",
    "😀",
    "\u2028",
    "=",
    ",",
    ".",
    "/",
    "\\/",
    "\\n",
    "\\\\",
    '\\"',
    "\\u0000",
    "\\u00e9",
    "\\ud83d\\ude00",
  ],
  ...["\\ud83d", "\\ude00", "\\uD83Dx", "\\ud83d\\u0041", "x".repeat(30), "\\t", "\\b\\f\\r"],
);
const text = mostly(
  fc.oneof(
    fc.string({ unit: "grapheme", maxLength: 40 }).map((value) => JSON.stringify(value)),
    fc.array(pieces, { maxLength: 6 }).map((parts) => quoted(parts.join(""))),
  ),
  ...['"\\x"', '"\\u12"', '"\u0001"', '"\\"', '"'],
);
const oddNumbers = ["1e999", "1.", ".5", "01", "1e", "+1", "-", "18446744073709551616", "1".repeat(30)];
const integer = mostly(
  fc.oneof(
    fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }).map(String),
    fc.nat().map(String),
    fc.constantFrom("0", "-0", "9223372036854775807", "-9223372036854775808", "18446744073709551615"),
  ),
  ...oddNumbers,
);
const number = fc.oneof(
  integer,
  fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => JSON.stringify(value)),
  fc.tuple(fc.nat(99999), fc.nat(99999)).map(([a, b]) => `${a}.${b}`),
  fc.constantFrom("1.50", "-0.0", "1e5", "1E-7", "2.5e+10", "-1e-999", "0.1234567890123456789"),
);
const truth = fc.constantFrom("true", "false");
const scalar = fc.oneof(
  { weight: 4, arbitrary: text },
  { weight: 4, arbitrary: number },
  mostly(truth, "null", "tru", "nul", "True"),
);
const list = (item: fc.Arbitrary<string>): fc.Arbitrary<string> =>
  fc
    .tuple(fc.array(item, { maxLength: 4 }), space)
    .map(([items, gap]) => `[${gap}${items.join(`${gap},${gap}`)}${gap}]`);
const object = (name: fc.Arbitrary<string>, value: (name: string) => fc.Arbitrary<string>): fc.Arbitrary<string> =>
  fc
    .tuple(
      fc.array(
        name.chain((key) => value(key).map((each) => `"${key}":${each}`)),
        { maxLength: 5 },
      ),
      space,
    )
    .map(([members, gap]) => `{${gap}${members.join(`${gap},${gap}`)}${gap}}`);
const anything = fc.oneof(
  scalar,
  list(scalar),
  object(fc.constantFrom("a", "b"), () => scalar),
  fc.constant("[[[{}]]]"),
);
const key = fc.constantFrom(
  ...["k", "key", "a.b", "status", "type", "source", "long".repeat(80), "é", "", "n\\nl", "\\u006b", "b\\\\"],
);
const time = mostly(
  fc.oneof(
    fc.constantFrom("1700000000", "1700000000000", "1", "-1", "0"),
    fc.nat().map((at) => quoted(`${at}`)),
  ),
  ...["1.5", "1700000000.123456789", "9223372036854775807", "1e3", "null", '"x"', '""', "{}"],
);
const valueMembers: Readonly<Record<string, fc.Arbitrary<string>>> = {
  i: fc.oneof(integer, integer.map(quoted)),
  u: fc.oneof(integer, integer.map(quoted)),
  f: mostly(number, '"NaN"', '"1.5"', '"x"', "true"),
  b: mostly(truth, "null", '"true"', "1"),
  d: mostly(fc.constantFrom('"AAEC"', '"AA=="', '"A\\nA=="', '""', '"AB=="'), '"A"', '"===="', '"é"', "1"),
  s: mostly(text, "1", "null"),
  a: mostly(fc.constant('{"@type":"type.googleapis.com/point.Array","arr":[{"i":"1"}]}'), "[]", "null", "{}"),
};
const entry = fc
  .tuple(
    mostly(key.map(quoted), "1", "null", "[]"),
    fc
      .constantFrom(...Object.keys(valueMembers))
      .chain((name) => valueMembers[name]!.map((value) => `"${name}":${value}`)),
    mostly(
      fc.constant(""),
      ...[',"unit":"B"', ',"description":"d"', ',"type":"GAUGE"', ',"odd":1', ',"key":"2"', ',"s":"2"'],
    ),
    mostly(fc.constantFrom("", ',"is_tag":false'), ',"is_tag":1', ',"is_tag":true'),
    fc.boolean(),
  )
  .map(([name, value, more, tag, isFirst]) =>
    isFirst ? `{"key":${name},${value}${more}${tag}}` : `{${value}${tag}${more},"key":${name}}`,
  );
const tagEntry = fc.tuple(key, text).map(([name, value]) => `{"key":"${name}","is_tag":true,"s":${value}}`);
const entries = list(fc.oneof(entry, tagEntry));
const tags = mostly(
  object(key, () => text),
  '{"a":1}',
  '{"a":null}',
  "null",
  "[]",
);
const fields = mostly(
  fc.oneof(
    { weight: 3, arbitrary: object(key, () => fc.oneof(text, number, truth)) },
    object(key, () => anything),
  ),
  ...["1", "null", '""'],
);
const name = mostly(fc.oneof(fc.constantFrom('"m"', '"cpu"'), text), "1", "null", "[]", '""');
const memberValues: Readonly<Record<string, fc.Arbitrary<string>>> = {
  measurement: name,
  name,
  tags,
  time,
  fields: fc.oneof(fields, entries),
  warns: anything,
  level: anything,
};
const element = fc.oneof(
  fc
    .tuple(name, tags, fields, time)
    .map(([m, t, f, at]) => `{"measurement":${m},"tags":${t},"fields":${f},"time":${at}}`),
  fc
    .tuple(fields, name, time, tags)
    .map(([f, m, at, t]) => `{"fields":${f},"measurement":${m}, "time":${at},"tags":${t}}`),
  fc.tuple(name, entries, time).map(([m, f, at]) => `{"name":${m},"fields":${f},"time":${at}}`),
  object(fc.constantFrom(...Object.keys(memberValues)), (member) => memberValues[member]!),
  mostly(
    object(key, () => anything),
    "null",
    "1",
    "[]",
  ),
);
const document = fc
  .tuple(
    mostly(list(element), "{}", "null", "[,]", "[1", ""),
    space,
    fc.nat(),
    mostly(fc.constant(""), "]", "}", '"', "\\", "é", ","),
  )
  .map(([body, gap, place, edit]) => {
    const at = place % (body.length + 1);
    return gap + body.slice(0, at) + edit + body.slice(at) + gap;
  });

const options = fc.record({
  category: fc.constantFrom(...categories),
  precision: fc.constantFrom("", "n", "s"),
  now: fc.constant(1700000000000000000n),
  limits: fc.constantFrom<Limits>(
    defaultLimits,
    {
      ...defaultLimits,
      maxFields: 2,
      maxTags: 1,
      maxFieldValue: 8,
      maxTagValue: 6,
      maxTagKey: 5,
      maxFieldKey: 5,
      maxMeasurement: 4,
    },
    { ...defaultLimits, noUint: true },
  ),
});

describe("the scan of a JSON body", () => {
  it("returns the same points, warnings and errors as the reader in JavaScript", () => {
    fc.assert(
      fc.property(document, options, (body, options) => expectAgreement(utf8(body), options)),
      { numRuns: 4000 },
    );
  });

  it("returns the same as the reader in JavaScript for any bytes", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 60 }), fc.nat(), (bytes, place) => {
        const body = utf8(
          '[{"measurement":"m","fields":{"é":"😀","b":1},"time":1},{"name":"n","fields":[{"key":"k","s":"v"}]}]',
        );
        body.set(bytes.subarray(0, 3), place % (body.length - 3));
        expectAgreement(body, defaults);
        expectAgreement(bytes, defaults);
      }),
      { numRuns: 1000 },
    );
  });

  it("reads typical bodies of senders without the reader in JavaScript", () => {
    const simple = `{"measurement":"m","tags":{"host":"a\\nb"},"fields":{"f":1.5,"big":12345678901234567,"s":"\\u00e9","b":true},"time":1}`;
    expect(scanned(`[${simple}, ${simple}]`, { ...defaults, category: "logging" })).toBe(2);
    const pbjson = `{"name":"m","fields":[{"key":"host","is_tag":true,"s":"x"},{"key":"i","i":"9223372036854775807"},{"key":"u","u":18446744073709551615},
      {"key":"f","f":1e300,"unit":"B","description":"d"},{"key":"d","d":"AAEC"}],"time":"1700000000000000000"}`;
    expect(scanned(`[${pbjson},${simple}]`)).toBe(2);
  });

  it("passes only unusual points to the reader in JavaScript, not the whole body", () => {
    const odd = '{"measurement":"m","fields":{"twice":1,"twice":2}}';
    expect(scanned(`[${odd},{"measurement":"m","fields":{"f":1}},${odd}]`)).toBe(1);
    expect(scanned(`[{"measurement":"m","fields":{"f":1}}]]`.slice(0, -1))).toBe(1);
  });

  it("limits the nesting depth like the reader in JavaScript", () => {
    for (const depth of [9997, 9998, 9999, 10000]) {
      for (const around of ['[{"measurement":"m","fields":{"a":', '[{"x":', "["]) {
        const closing = around.includes("fields") ? "}}]" : around.includes("x") ? "}]" : "]";
        expectAgreement(utf8(`${around}${"[".repeat(depth)}1${"]".repeat(depth)}${closing}`), defaults);
      }
    }
  });

  it("takes at most 64 steps a byte", () => {
    const stepsOf = (body: Uint8Array): number => {
      const base = counting.exports.createBatch(body.length) >>> 0;
      counting.refresh();
      counting.u8.set(body, counting.u32[(base >>> 2) + head.body]!);
      const before = steps();
      counting.exports.scanJson(base, 0xffffffff);
      const taken = steps() - before;
      counting.exports.freeBatch(base);
      return taken;
    };
    const bound = (body: Uint8Array): number => 64 * body.length + 4096;
    // The module makes its table of powers of ten when it first parses a number with many digits. This call makes the
    // table before the test counts steps.
    expect(stepsOf(utf8('[{"name":"m","fields":[{"key":"a","f":2212239449728585270}]}]'))).toBeLessThan(20_000);
    fc.assert(
      fc.property(document, (body) => {
        expect(stepsOf(utf8(body))).toBeLessThanOrEqual(bound(utf8(body)));
      }),
      { numRuns: 300 },
    );
    const fields = Array.from({ length: 5000 }, (_, i) => `"k${i}":${i}`).join(",");
    for (const body of [
      `[{"measurement":"m","fields":{${fields}}}]`,
      `["${"\\n".repeat(50000)}"]`,
      `[{"measurement":"m","fields":{"a":"${"\\u00e9".repeat(20000)}"}}]`,
      `[{"measurement":"${"\\".repeat(50000)}`,
      `[${"[".repeat(9000)}${"]".repeat(9000)}]`,
      `[${'"é",'.repeat(20000)}1]`,
    ]) {
      const bytes = utf8(body);
      const taken = stepsOf(bytes);
      expect(taken).toBeGreaterThan(bytes.length / 64);
      expect(taken).toBeLessThanOrEqual(bound(bytes));
    }
  });
});
