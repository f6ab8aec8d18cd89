// For any bytes and every wire format, a decoder returns points or throws the documented error. It takes at most 64
// steps per byte of the body. Steps are counted in the WebAssembly module and in JavaScript together, including those
// for finding errors and writing their messages.

import "../same-seed.ts";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { CategoryName } from "../../lib/point/category.ts";
import type { Form } from "../../lib/point/codec/encode.ts";
import { stepsOf } from "./steps.ts";

// The counted code must be loaded after the step counter is installed. So it is imported dynamically.
const { loadCounting } = await import("../lib/wasm/load.ts");
const { decodeInWindows, decodePoints } = await import("../../lib/point/codec/decode.ts");
const { PointError } = await import("../../lib/point/errors.ts");
const { categories } = await import("../../lib/point/category.ts");
const { module, steps } = await loadCounting();
const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text);

/**
 * Number of steps that the decoding of a body may take in addition to the steps for its bytes: for settings, first
 * lookups and an error message.
 */
const constantSteps = 8192;

interface How {
  readonly category?: CategoryName;
  /**
   * Number of entries (tags and fields) after which a window (the part of a body that is in memory at once) ends.
   * Without this option the whole body is decoded at once.
   */
  readonly window?: number;
}

/**
 * Decodes a body and reads the warnings. Returns the number of steps that this takes, also when the decoder
 * refuses the body.
 */
function decoding(body: Uint8Array, form: Form, { category = "logging", window }: How = {}): number {
  const options = { category, now: 1700000000000000000n } as const;
  return stepsOf(() => {
    try {
      const batches =
        window === undefined
          ? [decodePoints(module, body, form, options)]
          : decodeInWindows(module, body, form, options, window);
      for (const batch of batches) {
        for (let at = 0; at < batch.length; at++) batch.warnings(at);
        batch.release();
      }
    } catch (error) {
      if (!(error instanceof PointError)) throw error;
    }
    expect(module.used).toBe(0);
  }, steps);
}

function expectBounded(body: Uint8Array, form: Form, how?: How): void {
  expect(decoding(body, form, how)).toBeLessThanOrEqual(64 * body.length + constantSteps);
}

// The WebAssembly module makes its table of powers of ten when it first parses a number with many digits. This call
// makes the table before the tests count steps.
decoding(utf8("m f=2212239449728585270 1"), "lp");

const many = (count: number, make: (at: number) => string): string =>
  Array.from({ length: count }, (_, at) => make(at)).join(",");
const simple = (fields: string): string => `[{"measurement":"m","fields":{${fields}}}]`;
const pbjson = (entries: string): string => `[{"name":"m","fields":[${entries}]}]`;
const array = (elements: string): string =>
  pbjson(`{"key":"a","a":{"@type":"type.googleapis.com/point.Array","arr":[${elements}]}}`);
/**
 * Members of a JSON element, one of them twice. The WebAssembly module leaves such an element to the JavaScript reader.
 */
const odd = '"odd":1,"odd":1';
const oddPoint = `{"measurement":"m","fields":{${odd}}}`;

const hardJson: readonly [name: string, body: () => string][] = [
  ["empty points", () => `[${many(20_000, () => "{}")}]`],
  ["points without fields", () => `[${many(10_000, () => '{"name":""}')}]`],
  ["points that JavaScript reads", () => `[${many(5000, () => oddPoint)}]`],
  ["a list of numbers", () => simple(`"a":[${many(20_000, String)}]`)],
  ["a list of texts", () => simple(`"a":[${many(20_000, (at) => `"${at}"`)}]`)],
  ["lists of one", () => simple(many(10_000, (at) => `"${at}":[1]`))],
  ["lists in lists", () => simple(`"a":[${many(20_000, () => "[1]")}]`)],
  ["a list that is deep", () => simple(`"a":${"[".repeat(9000)}${"]".repeat(9000)}`)],
  ["objects that are deep", () => simple(`"a":${'{"a":'.repeat(9000)}1${"}".repeat(9000)}`)],
  ["a deep value beside one that JavaScript reads", () => simple(`${odd},"a":${"[".repeat(9000)}${"]".repeat(9000)}`)],
  ["values that are too deep", () => simple(`"a":${"[".repeat(20_000)}${"]".repeat(20_000)}`)],
  ["brackets that are never closed", () => `${"[".repeat(50_000)}`],
  ["keys of their own", () => simple(many(20_000, (at) => `"k${at}":1`))],
  ["keys of their own that JavaScript reads", () => simple(`${odd},${many(20_000, (at) => `"k${at}":1`)}`)],
  ["one key over and over", () => simple(many(20_000, () => '"k":1'))],
  [
    "tags of their own that JavaScript reads",
    () => `[{"tags":{${many(10_000, (at) => `"k${at}":"v"`)}},"fields":{${odd}}}]`,
  ],
  ["fields without value", () => simple(many(20_000, (at) => `"k${at}":null`))],
  ["dots in keys", () => simple(many(10_000, (at) => `"k.${at}":1`))],
  ["dots in keys that JavaScript reads", () => simple(`${odd},${many(10_000, (at) => `"k.${at}":1`)}`)],
  ["a key of dots that JavaScript reads", () => simple(`${odd},"${".".repeat(100_000)}":1`)],
  ["keys that differ behind their cut", () => simple(`${odd},${many(300, (at) => `"${"k".repeat(300)}${at}":1`)}`)],
  ["escapes", () => simple(`"a":"${"\\u00e9".repeat(20_000)}"`)],
  ["escapes in a list", () => simple(`"a":["${"\\ud83d\\ude00".repeat(10_000)}"]`)],
  ["escapes that JavaScript reads", () => simple(`${odd},"a":"${"\\ud800\\n".repeat(10_000)}"`)],
  ["control characters in the name of a fault", () => simple(`"${"\\u0001".repeat(20_000)}":1e999`)],
  ["long numbers", () => simple(`"a":${"1".repeat(50_000)},"b":0.${"1".repeat(50_000)}`)],
  ["long numbers that are too great", () => simple(`"a":[${many(100, () => "9".repeat(400))}]`)],
  ["a time of many digits", () => `[{"measurement":"m","fields":{},"time":${"1".repeat(50_000)}}]`],
  ["numbers that leave a doubt", () => simple(`"a":[${many(3000, () => "1.00000000000000011102230246251565404")}]`)],
  ["white space", () => `[${" \n".repeat(50_000)}]`],
  ["entries of one key", () => pbjson(many(10_000, () => '{"key":"k","i":"1"}'))],
  ["entries that are empty", () => pbjson(many(20_000, () => "{}"))],
  [
    "entries with types",
    () => pbjson(many(5000, (at) => `{"key":"k${at}","i":1,"type":"EXPONENTIAL_HISTOGRAM_START_TIME"}`)),
  ],
  ["entries that JavaScript reads", () => pbjson(many(5000, (at) => `{"key":"k${at}","f":"1"}`))],
  ["an array of integers", () => array(many(20_000, () => '{"i":"1"}'))],
  ["an array of infinities", () => array(many(10_000, () => '{"f":"Infinity"}'))],
  ["an array of binaries", () => array(many(10_000, () => '{"d":"AAEC"}'))],
  ["a long binary", () => array(`{"d":"${"AAEC".repeat(30_000)}"}`)],
  ["an array that JavaScript reads", () => array(many(10_000, () => '{"f":"1"}'))],
  ["an array whose last element is another kind", () => array(`${many(10_000, () => '{"i":1}')},{"f":1}`)],
  ["a body that is not closed", () => `[${many(20_000, () => "{}")}`],
  ["a body that is not closed behind points that JavaScript reads", () => `[${many(5000, () => oddPoint)}`],
  ["a last point that is wrong", () => `[${many(20_000, () => "{}")},1]`],
  ["a last point that is wrong behind points that JavaScript reads", () => `[${many(5000, () => oddPoint)},1]`],
  ["a string that is not closed", () => `["${"\\\\".repeat(50_000)}`],
];

/** Returns the bytes of a length-delimited protobuf field with the given number and content. */
const field = (number: number, bytes: readonly number[]): number[] => [
  (number << 3) | 2,
  ...varint(bytes.length),
  ...bytes,
];
const varint = (value: number): number[] => (value < 0x80 ? [value] : [(value & 0x7f) | 0x80, ...varint(value >>> 7)]);
const times = (count: number, bytes: readonly number[]): number[] => Array.from({ length: count }, () => bytes).flat();
const letters = (text: string): number[] => [...utf8(text)];
const arrayUrl = letters("type.googleapis.com/point.Array");
const arrayField = (elements: readonly number[]): number[] =>
  field(2, [...field(1, [0x61]), ...field(7, [...field(1, arrayUrl), ...field(2, elements)])]);

const hardProtobuf: readonly [name: string, body: () => readonly number[]][] = [
  ["empty points", () => times(30_000, [0x0a, 0])],
  ["empty fields", () => times(5000, field(1, times(5, [0x12, 0])))],
  ["empty fields of one point", () => field(1, times(30_000, [0x12, 0]))],
  ["one key over and over", () => field(1, times(10_000, field(2, [...field(1, [0x61]), 0x10, 1])))],
  [
    "keys of their own",
    () => field(1, Array.from({ length: 10_000 }, (_, at) => field(2, field(1, letters(`${at}`)))).flat()),
  ],
  ["names with newlines", () => times(5000, field(1, field(1, letters("\n\\"))))],
  ["floats that are not finite", () => field(1, times(5000, field(2, [0x21, 0, 0, 0, 0, 0, 0, 0xf0, 0x7f])))],
  ["empty arrays", () => field(1, times(2000, arrayField([])))],
  ["an array of many", () => field(1, arrayField(times(20_000, field(1, [8, 1]))))],
  ["an array of infinities", () => field(1, arrayField(times(10_000, field(1, [0x19, 0, 0, 0, 0, 0, 0, 0xf0, 0xff]))))],
  [
    "arrays, of which the last counts",
    () => field(1, field(2, times(1000, field(7, [...field(1, arrayUrl), ...field(2, times(10, [10, 0]))])))),
  ],
  ["groups in groups", () => [...times(50_000, [0x7b]), ...times(50_000, [0x7c])]],
  ["groups that are not closed", () => times(50_000, [0x7b])],
  ["fields that nobody knows", () => times(30_000, [0x78, 1])],
  ["a body that ends early", () => [...times(20_000, [0x0a, 0]), 0x0a, 5]],
  ["a last point that is wrong", () => [...times(20_000, [0x0a, 0]), ...field(1, field(2, [0x40, 1]))]],
  ["a name that is not UTF-8", () => field(1, field(1, times(50_000, [0xff, 0x0a])))],
];

const repeated = (count: number, make: (at: number) => string): string =>
  Array.from({ length: count }, (_, at) => make(at)).join("");

const hardLines: readonly [name: string, body: () => string][] = [
  ["lines that fail", () => "m\n".repeat(30_000)],
  ["lines that fail behind comments", () => "#c\n\nm\n".repeat(20_000)],
  ["a long line that fails", () => `m f="${"\\\\".repeat(50_000)}`],
  ["numbers that are too great", () => "m f=9223372036854775808i\n".repeat(5000)],
  ["equal tags", () => "m,a=1,a=2,a=3 f=1\n".repeat(5000)],
  ["equal tags of one line", () => `m${",a=1".repeat(16_000)} f=1`],
  ["corrections", () => 'm,a.b=1 c.d=2,source=3,e.f="x"\n'.repeat(3000)],
  ["bytes that cannot be printed", () => "\u200b\u0001\n".repeat(20_000)],
  ["arrays", () => "m f=[]\n".repeat(10_000)],
  [
    // Lines that are costly for a parser that remembers the keys of earlier lines. Each of the first 250 lines has a
    // longer key than the lines before it. All later lines are equal except for their last key.
    "lines that grow",
    () =>
      repeated(250, (at) => `m a=1,b=1,c=1,${"y".repeat(16 * (at + 1))}=1\n`) +
      repeated(40_000, (at) => `m a=1,b=1,c=1,z${(at % 1296).toString(36)}=1\n`),
  ],
];

describe("steps of decoding", () => {
  it("are counted, in the module and in JavaScript", () => {
    const text = "m f=1 1\n".repeat(1000);
    const before = steps();
    const all = decoding(utf8(text), "lp");
    const inModule = steps() - before;
    expect(inModule).toBeGreaterThan(1000);
    expect(all).toBeGreaterThan(inModule + 1000);
    // Each point has a member that occurs twice. The WebAssembly module leaves such points to the JavaScript reader, so
    // decoding takes many steps in JavaScript for each point.
    expect(decoding(utf8(`[${many(500, () => oddPoint)}]`), "json")).toBeGreaterThan(500 * 50);
  });

  it.each(hardJson)("are at most 64 a byte: JSON, %s", (_, make) => {
    const body = utf8(make());
    expectBounded(body, "json");
    expectBounded(body, "pbjson", { category: "metric", window: 1000 });
    // The test cuts the body off and appends a byte that is not UTF-8.
    expectBounded(Uint8Array.of(...body.subarray(0, 60_000), 0xff), "json");
  });

  it.each(hardProtobuf)("are at most 64 a byte: protobuf, %s", (_, make) => {
    const body = Uint8Array.from(make());
    expectBounded(body, "pb");
    expectBounded(body, "pb", { category: "metric", window: 1000 });
  });

  it.each(hardLines)("are at most 64 a byte: line protocol, %s", (_, make) => {
    const body = utf8(make());
    expectBounded(body, "lp");
    expectBounded(body, "lp", { category: "metric", window: 1000 });
  });

  const pieces: Readonly<Record<Form, readonly string[]>> = {
    lp: [
      ...'m cpu a.b f= ,t=v ,a=b =1 =1i =t \\ " [ ] , = # 1e5 -'.split(" "),
      " ",
      "\n",
      " f=1 1\n",
      '="x"',
      "=[1,2]",
      "\\\n",
    ],
    json: [
      ...'[ ] { } : , " [{ }] }, null true 1 -0.5 1e999 "" "a" "\\u00e9" "\\ud800" \\ é {} [] "a":1 "a":null "a":[1,2]'.split(
        " ",
      ),
      ...[
        '"measurement":"m",',
        '"name":',
        '"fields":{',
        '"fields":[',
        '"tags":{',
        '"time":',
        simple('"a":1'),
        pbjson(""),
        " ",
      ],
    ],
    pbjson: [
      ...'[ ] { } , {"key":"a" ,"i":"1"} ,"f":1} ,"f":"NaN"} ,"s":"x" ,"is_tag":true ,"type":"GAUGE" ,"unit":"" ,"a": null 1'.split(
        " ",
      ),
      ...[
        '[{"name":"m","fields":[',
        "]}]",
        '{"@type":"type.googleapis.com/point.Array","arr":[',
        '{"i":1},',
        "]}}",
        '},{"fields":[',
      ],
    ],
    pb: [
      "\n",
      "\0",
      "\x12\0",
      "\n\x02\x12\0",
      "\x12\x05\n\x01a\x10\x01",
      "\x18\x01",
      "\x7b",
      "\x7c",
      "\x3a",
      "\x21",
      "a",
      "\n\x05",
      "\x40\x01",
    ],
  };

  it.each(["lp", "json", "pbjson", "pb"] as const)("are at most 64 a byte for any bytes: %s", (form) => {
    const soup = fc
      .array(fc.constantFrom(...pieces[form]), { minLength: 1, maxLength: 120 })
      .map((parts) =>
        utf8((form === "json" ? "[" : form === "pbjson" ? '[{"name":"m","fields":[' : "") + parts.join("")),
      );
    const body = fc.oneof(fc.uint8Array({ minLength: 1, maxLength: 200 }), { weight: 3, arbitrary: soup });
    const how = fc.record({ category: fc.constantFrom(...categories), window: fc.constantFrom(undefined, 1, 5) });
    fc.assert(
      fc.property(body, how, (bytes, way) => expectBounded(bytes, form, way)),
      { numRuns: 250 },
    );
  });
});
