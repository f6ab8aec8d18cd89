// Decoding simple JSON, beyond the worked examples of docs/reference/points.md, and the parser of JSON text that the
// decoder uses.

import { describe, expect, it } from "vitest";
import { PointError } from "../../../../lib/point/errors.ts";
import { checkJson, JsonNumber, readJson } from "../../../../lib/text/json-text.ts";
import { decodeJson } from "../../../baseline/json.ts";

const now = 1700000000000000000n;
const decode = (body: string | Uint8Array, precision = "") => decodeJson(body, { category: "tracing", now, precision });

function refusal(body: string | Uint8Array, precision = ""): string {
  try {
    decode(body, precision);
  } catch (error) {
    if (error instanceof PointError && error.form === "json") return error.message;
    throw error;
  }
  throw new Error("the body was accepted");
}

describe("simple JSON", () => {
  it("reports which element is wrong and why", () => {
    expect(refusal('[{"measurement":"m"},{"measurement":1}]')).toBe(
      "point 1: measurement must be a string, got a number",
    );
    expect(refusal('[{"tags":{"é":[]}}]')).toBe('point 0: tags: value of "é" must be a string, got an array');
    expect(refusal('[{"fields":{"a":[1,1e999]}}]')).toBe('point 0: fields: "a": number 1e999 is out of range');
    expect(refusal('[{"time":9223372037}]')).toBe(
      "point 0: time outside range -9223372036854775806 - 9223372036854775806",
    );
  });

  it("reports the position of a syntax error in bytes", () => {
    expect(refusal('[{"é":x}]')).toBe('invalid character "x" looking for beginning of value at byte 7');
    expect(refusal("[")).toBe("unexpected end of JSON input at byte 1");
  });

  it("reports positions in the sent bytes, also when they are not valid UTF-8", () => {
    const sent = (...parts: readonly (string | number)[]): Uint8Array =>
      Uint8Array.from(
        parts.flatMap((part) => (typeof part === "number" ? [part] : [...new TextEncoder().encode(part)])),
      );
    expect(refusal(sent('["', 0xff, 0xfe, '", x'))).toBe(
      'invalid character "x" looking for beginning of value at byte 7',
    );
    expect(refusal(sent('["', 0xe4, 0xb8, "é", 0xf0, 0x9f, 0x98, 0xc3, '"'))).toBe(
      "unexpected end of JSON input at byte 11",
    );
  });

  it("stores no values when a text is only checked", () => {
    expect(checkJson('[{"a":[1,{}]},"b"]')).toEqual([]);
    expect(checkJson('{"a":1}')).toEqual(new Map());
    expect(() => checkJson("[1,{}")).toThrow("unexpected end of JSON input at byte 5");
  });

  it("keeps fields and then tags in document order, a tag in place of the field with its name", () => {
    const body = '[{"tags":{"z":"1","b":"2"},"fields":{"y":1,"b":2,"a":3}}]';
    expect([...decode(body)[0]!.entries()].map((entry) => entry.key)).toEqual(["y", "b", "a", "z"]);
  });

  it("keeps all 64 bits of a time", () => {
    expect(decode('[{"time":1700000001123456789}]', "n")[0]!.time).toBe(1700000001123456789n);
  });

  it.each([
    ["1700000000.123456789", "", 1700000000123456789n],
    ["1700000000.1", "", 1700000000100000000n],
    ["1700000000123.25", "", 1700000000123250000n],
    ["1700000000123456.5", "", 1700000000123456500n],
    ["1700000000123456789.9", "", 1700000000123456789n],
    ["1.7e18", "", 1700000000000000000n],
    ["1.7E+09", "", 1700000000000000000n],
    ["17000000000e-1", "", 1700000000000000000n],
    ["0.000000001", "", 1n],
    ["0.0000000001", "", now],
    ["0.0", "", now],
    ["-1.5", "", now],
    ["1.5e-99999999999", "", now],
    ["1700000000.1234567899", "s", 1700000000123456789n],
    ["1700000000123.000001", "ms", 1700000000123000001n],
    ["1.5", "us", 1500n],
    ["1.5", "ns", 1n],
    ["0.5", "h", 1800000000000n],
    ["1700000000", "us", 1700000000000n],
    ["1700000000", "ns", 1700000000n],
    [`1.${"0".repeat(100_000)}1`, "s", 1000000000n],
  ])("reads the time %s in %j exactly", (time, precision, expected) => {
    expect(decode(`[{"measurement":"m","time":${time}}]`, precision)[0]!.time).toBe(expected);
  });

  it.each(["1e30", "1.7e19", "9.3e999999999999", "9223372036.9"])(
    "refuses the time %s, which is out of range",
    (time) => {
      expect(refusal(`[{"time":${time}}]`)).toMatch(/^point 0: time outside range/);
    },
  );

  it.each(['{"level":"warn","message":"x"}', '{"a":null}', '{"time":1,"fields":null,"msg":"x"}', '{"Fields":{}}'])(
    "refuses %s, which has no member of a point, and shows an example",
    (element) => {
      expect(refusal(`[{},${element}]`)).toBe(
        'point 1: has none of measurement, tags and fields; a point is {"measurement":"app","tags":{"host":"web01"},"fields":{"message":"text"},"time":1700000000}',
      );
    },
  );

  it.each([
    "{}",
    '{"time":1}',
    '{"measurement":"m","level":"warn"}',
    '{"name":"m","level":"warn"}',
    '{"tags":{},"x":1}',
    '{"fields":{},"x":1}',
  ])("accepts %s", (element) => {
    expect(decode(`[${element}]`)).toHaveLength(1);
  });

  it("replaces newlines and removes final backslashes in a measurement", () => {
    const [point] = decode(String.raw`[{"measurement":"a\nb\\"}]`);
    expect(point!.name).toBe("a b");
    expect(point!.warnings).toEqual([
      { type: "invalid_measurement", message: String.raw`invalid measurement "a\nb\\", found \n or tail \ `.trimEnd() },
    ]);
  });

  it("replaces bytes that are not UTF-8", () => {
    const body = new Uint8Array([...new TextEncoder().encode('[{"measurement":"m"}]')]);
    body[17] = 0xff;
    expect(decode(body)[0]!.name).toBe("\ufffd");
  });
});

describe("JSON text", () => {
  it("reads the same values as JSON.parse", () => {
    const texts = [
      ' { "a" : [ 1 , { } , [ ] , null ] , "b" : { "c" : true , "d" : false } } ',
      String.raw`["\"\\\/\b\f\n\r\t\u0041\ud83c\udf0a"]`,
      "[-0,0.5,1e5,1E-5,123456789]",
      '""',
      "{}",
    ];
    for (const text of texts) expect(plain(readJson(text))).toEqual(JSON.parse(text));
  });

  it("refuses the texts that JSON.parse refuses", () => {
    const texts = ["", "[1,]", '{"a":1,}', "{a:1}", "[01]", "[1.]", "[.5]", "[+1]", "[1 2]", '["\\x"]', '["\\u12"]'];
    texts.push('["a\nb"]', '["a', '["a\\', "tru", "nul", "[]]", "{]", "[}", '{"a"}', '{"a":}', "//", "[\u00a0]", "'a'");
    for (const text of texts) {
      expect(() => JSON.parse(text), text).toThrow();
      expect(() => readJson(text), text).toThrow();
    }
  });

  it("keeps all digits of numbers", () => {
    expect(readJson("18446744073709551615")).toEqual(new JsonNumber("18446744073709551615"));
  });

  it("replaces a lone surrogate with U+FFFD", () => {
    expect(readJson(String.raw`"\ud800a\udc00\ud83c\udf0a"`)).toBe("\ufffda\ufffd\u{1f30a}");
  });

  it("keeps the last of two equal members, at the position of the first", () => {
    expect([...(readJson('{"a":"1","b":"2","a":"3"}') as Map<string, unknown>)]).toEqual([
      ["a", "3"],
      ["b", "2"],
    ]);
  });

  it("limits nesting without using the call stack", () => {
    expect(() => readJson("[".repeat(9_999) + "]".repeat(9_999))).not.toThrow();
    expect(() => readJson("[".repeat(5_000_000))).toThrow("nested deeper than 10000 at byte 10001");
  });
});

function plain(value: ReturnType<typeof readJson>): unknown {
  if (value instanceof JsonNumber) return Number(value.text);
  if (Array.isArray(value)) return value.map(plain);
  return value instanceof Map ? Object.fromEntries([...value].map(([key, member]) => [key, plain(member)])) : value;
}
