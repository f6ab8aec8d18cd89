// The WebAssembly scan of JSON has faster code for frequent cases: PBJSON entries as encoders write them, long numbers,
// and keys that were seen before. The points must equal those of the decoder in JavaScript.

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { decodePoints } from "../../../../lib/point/codec/decode.ts";
import { PointError } from "../../../../lib/point/errors.ts";
import { defaultLimits, type Limits } from "../../../../lib/point/limits.ts";
import type { Point } from "../../../../lib/point/point.ts";
import { Float } from "../../../../lib/point/value.ts";
import { Key } from "../../../../lib/point/view.ts";
import { decodeJson } from "../../../baseline/json.ts";
import { canonical } from "../../../properties/canonical.ts";
import { loadModule } from "../../wasm/load.ts";

const module = await loadModule();
const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text);
const options = { category: "tracing", now: 1700000000000000000n, limits: defaultLimits } as const;

function answer(decode: () => readonly Point[]): unknown {
  try {
    return decode().map((point) => [canonical(point), Array.from(point.entries(), ({ key }) => key), point.warnings]);
  } catch (error) {
    if (!(error instanceof PointError)) throw error;
    return error.message;
  }
}

/**
 * Decodes the body with the decoder in WebAssembly and with the one in JavaScript, and expects equal results. Returns
 * the points, or the error message.
 */
function agreed(body: Uint8Array, limits: Limits = defaultLimits): unknown {
  const expected = answer(() => decodeJson(body, { ...options, limits }));
  const onTape = (): Point[] => {
    const batch = decodePoints(module, body, "json", { ...options, limits });
    const points = Array.from({ length: batch.length }, (_, i) => batch.point(i));
    batch.release();
    return points;
  };
  expect(answer(onTape)).toEqual(expected);
  return expected;
}

const pbjson = (entry: string): string => `[{"name":"m","fields":[${entry}],"time":"1"}]`;

/** Entries (tags and fields) of PBJSON: first some as encoders write them, then some with one unusual detail each. */
const entries: readonly string[] = [
  '{"key":"k","f":1.5}',
  '{"key":"k","i":"-9223372036854775808"}',
  '{"key":"k","i":7}',
  '{"key":"k","u":"18446744073709551615"}',
  '{"key":"k","b":true}',
  '{"key":"k","b":false}',
  '{"key":"k","s":"text"}',
  '{"key":"k","s":"a\\"b\\\\c\\u00e9"}',
  '{"key":"k","d":"AAEC"}',
  '{"key":"k","f":"NaN"}',
  '{"key":"k","a":{"@type":"type.googleapis.com/point.Array","arr":[{"i":"1"},{"i":"2"}]}}',
  '{"key":"k","s":"web","is_tag":true}',
  '{"key":"k","s":"web\\\\","is_tag":true}',
  '{"key":"k","s":"web","is_tag":false}',
  '{"key":"k","s":"web","is_tag":true,"unit":"B"}',
  '{"key":"k","s":"web","is_tag":true,"is_tag":true}',
  '{"key":"k","s":"web","is_tag":true }',
  '{"key":"k","s":"web","is_tag":truE}',
  '{"key":"k","f":1.5,"is_tag":true}',
  '{"key":"k","f":1.5,"unit":"B","description":"d","type":"GAUGE"}',
  '{"key":"k","f":1.5,"f":2.5}',
  '{"key":"k","f":1.5,"key":"l"}',
  '{"key":"k","f":1.5,"i":"1"}',
  '{"key":"k","f":1.5,"other":[1,{"a":2}]}',
  '{"key":"k","f":null}',
  '{"key":"k","f":null,"i":"1"}',
  '{"key":"k","f":nul}',
  '{"key":"k","x":1}',
  '{"key":"k","f" :1.5}',
  '{"key":"k","f": 1.5}',
  '{"key":"k", "f":1.5}',
  '{"key":"k","f":1.5 }',
  '{ "key":"k","f":1.5}',
  '{"key": "k","f":1.5}',
  '{"key":"k"}',
  '{"key":"k",}',
  '{"key":"k"',
  '{"key":"","f":1.5}',
  '{"key":"a\\nb","f":1.5}',
  '{"key":"\\u006b","f":1.5}',
  '{"key":"k","f":01.5}',
  '{"key":"k","f":1.}',
  '{"key":"k","f":true}',
  '{"key":"k","b":"true"}',
  '{"key":"k","s":5}',
  '{"key":7,"f":1.5}',
  '{"key":null,"f":1.5}',
  '{"key":"k","f":1.5},{"key":"k","f":2.5}',
  '{"key":"k","s":"a","is_tag":true},{"key":"k","f":2.5}',
  "{}",
];

describe("an entry of PBJSON", () => {
  it.each(entries)("is read as JavaScript reads it: %s", (entry) => {
    agreed(utf8(pbjson(entry)));
  });

  it("is refused wherever it is cut off", () => {
    const body = pbjson('{"key":"host","s":"web","is_tag":true},{"key":"f","f":-12.5},{"key":"i","i":"12"}');
    for (let length = 1; length < body.length; length++)
      expect(typeof agreed(utf8(body.slice(0, length)))).toBe("string");
  });

  it("is read as JavaScript reads it when any byte is damaged", () => {
    const body = pbjson(entries.slice(0, 13).join(",").replaceAll('"k"', '"key"'));
    fc.assert(
      fc.property(
        fc.nat(body.length - 1),
        fc.constantFrom(...'"\\{}[]:,nt0a -.\u0001'),
        fc.boolean(),
        (at, c, isPut) => {
          agreed(utf8(body.slice(0, at) + c + body.slice(isPut ? at : at + 1)));
        },
      ),
      { numRuns: 1500 },
    );
  });
});

const digits = (count: number): string => "1234567890".repeat(4).slice(0, count);

/**
 * Numbers in all notations, valid and invalid. Their lengths are around the limits at which the scan switches to other
 * code.
 */
const numbers: readonly string[] = [
  ...[
    "0",
    "-0",
    "0.0",
    "-",
    "-a",
    "01",
    "-01",
    "1.",
    ".5",
    "1.e5",
    "1e",
    "1e+",
    "1e5",
    "1E-5",
    "-1.5e300",
    "1e400",
    "0e0",
    "1.5.5",
  ],
  ...[14, 15, 16, 17, 18, 19, 20, 21, 29, 30, 31, 32, 33].flatMap((count) => [
    digits(count),
    `-${digits(count)}`,
    `0.${digits(count)}`,
    `-0.${digits(count)}`,
    `${digits(count)}.5`,
    `1.${digits(count)}`,
    `12345678.${digits(count)}`,
    `${digits(count)}e3`,
    `1.${digits(count)}e-7`,
    `${digits(count)}i`,
    `0${digits(count)}`,
  ]),
  ...[
    "9007199254740993",
    "9007199254740993.0",
    "9223372036854775807",
    "9223372036854775808",
    "18446744073709551615",
    "18446744073709551616",
  ],
  ...[
    "0.1000000000000000055511151231257827",
    "2.2250738585072011e-308",
    "1.7976931348623157e308",
    "4.35671234567890123",
  ],
];

describe("a number", () => {
  const inJson = (number: string): string => `[{"measurement":"m","fields":{"f":${number}}}]`;

  it.each(numbers)("is read as JavaScript reads it: %s", (number) => {
    agreed(utf8(inJson(number)));
    agreed(utf8(inJson(`${number},"g":${"1".repeat(40)}`)));
    for (const letter of "fiu") {
      agreed(utf8(pbjson(`{"key":"k","${letter}":${number}}`)));
      agreed(utf8(pbjson(`{"key":"k","${letter}":"${number}"}`)));
    }
    agreed(utf8(`[{"measurement":"m","fields":{"f":1},"time":${number}}]`));
    agreed(utf8(`[{"name":"m","fields":[{"key":"f","f":1}],"time":"${number}"}]`));
    // The body ends with the number, so the scan must not read beyond the number.
    agreed(utf8(`[${number}`));
    agreed(utf8(`[${number}]`));
  });

  it("is read as the same double as in JavaScript", () => {
    const number = fc
      .tuple(fc.constantFrom("", "-"), fc.bigInt({ min: 0n, max: 10n ** 21n }), fc.nat(21))
      .map(([sign, value, fraction]) => {
        const text = String(value).padStart(fraction + 1, "0");
        const whole = text.slice(0, text.length - fraction);
        return `${sign}${whole}${fraction > 0 ? `.${text.slice(-fraction)}` : ""}`;
      });
    fc.assert(
      fc.property(number, (text) => {
        const batch = decodePoints(module, utf8(inJson(text)), "json", options);
        expect(batch.point(0).get(new Key("f"))).toEqual(new Float(Number(text)));
        batch.release();
      }),
      { numRuns: 3000 },
    );
  });
});

describe("a key", () => {
  it.each([
    ["of up to 40 bytes", Array.from({ length: 40 }, (_, i) => "k".repeat(i + 1))],
    ["that differs in its last byte only", Array.from({ length: 40 }, (_, i) => `${"k".repeat(i % 20)}${i}`)],
    ["with NUL at its end", ["a", "a\0", "a\0\0", "\0", "\0\0"]],
    ["of letters beyond ASCII", ["é", "日志", "журнал", "🌊wave"]],
    ["among more keys than are cached", Array.from({ length: 6000 }, (_, i) => `key${i}`)],
  ])("keeps its index number: %s", (_, keys) => {
    const element = `{"measurement":"m","fields":{${keys.map((key, i) => `${JSON.stringify(key)}:${i}`).join(",")}}}`;
    const limits = { ...defaultLimits, maxFields: 10_000 };
    agreed(utf8(`[${element},${element}]`), limits);
    // The first point has the keys in reverse order, so the module gives the keys other index numbers than for the
    // previous body. The module must not use the index numbers of the previous body again.
    const reversed = `{"measurement":"m","fields":{${keys
      .map((key, i) => `${JSON.stringify(key)}:${i}`)
      .reverse()
      .join(",")}}}`;
    agreed(utf8(`[${reversed},${element}]`), limits);
  });
});
