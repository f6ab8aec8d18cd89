// Simple JSON in, beyond the worked examples of the points document, and the reader of JSON text below it.

import { describe, expect, it } from "vitest";
import { JsonNumber, readJson } from "../../../lib/point/codec/json-text.ts";
import { PointError } from "../../../lib/point/errors.ts";
import { decodeJson } from "../../baseline/json.ts";

const now = 1700000000000000000n;
const decode = (body: string | Uint8Array, precision = "") => decodeJson(body, { category: "tracing", now, precision });

function refusal(body: string, precision = ""): string {
  try {
    decode(body, precision);
  } catch (error) {
    if (error instanceof PointError && error.form === "json") return error.message;
    throw error;
  }
  throw new Error("the body was accepted");
}

describe("simple JSON", () => {
  it("says which element is wrong and why", () => {
    expect(refusal('[{"measurement":"m"},{"measurement":1}]')).toBe(
      "point 1: measurement must be a string, got a number",
    );
    expect(refusal('[{"tags":{"é":[]}}]')).toBe('point 0: tags: value of "é" must be a string, got an array');
    expect(refusal('[{"fields":{"a":[1,1e999]}}]')).toBe('point 0: fields: "a": number 1e999 is out of range');
    expect(refusal('[{"time":9223372037}]')).toBe(
      "point 0: time outside range -9223372036854775806 - 9223372036854775806",
    );
  });

  it("counts bytes in the place of a syntax error", () => {
    expect(refusal('[{"é":x}]')).toBe('invalid character "x" looking for beginning of value at byte 7');
    expect(refusal("[")).toBe("unexpected end of JSON input at byte 1");
  });

  it("keeps fields and then tags in document order, a tag in the place of the field of its name", () => {
    const body = '[{"tags":{"z":"1","b":"2"},"fields":{"y":1,"b":2,"a":3}}]';
    expect([...decode(body)[0]!.entries()].map((entry) => entry.key)).toEqual(["y", "b", "a", "z"]);
  });

  it("keeps all 64 bits of a time", () => {
    expect(decode('[{"time":1700000001123456789}]', "n")[0]!.time).toBe(1700000001123456789n);
  });

  it("adjusts newlines and final backslashes of a measurement", () => {
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
  it("reads what JSON.parse reads", () => {
    const texts = [
      ' { "a" : [ 1 , { } , [ ] , null ] , "b" : { "c" : true , "d" : false } } ',
      String.raw`["\"\\\/\b\f\n\r\t\u0041\ud83c\udf0a"]`,
      "[-0,0.5,1e5,1E-5,123456789]",
      '""',
      "{}",
    ];
    for (const text of texts) expect(plain(readJson(text))).toEqual(JSON.parse(text));
  });

  it("refuses what JSON.parse refuses", () => {
    const texts = ["", "[1,]", '{"a":1,}', "{a:1}", "[01]", "[1.]", "[.5]", "[+1]", "[1 2]", '["\\x"]', '["\\u12"]'];
    texts.push('["a\nb"]', '["a', '["a\\', "tru", "nul", "[]]", "{]", "[}", '{"a"}', '{"a":}', "//", "[\u00a0]", "'a'");
    for (const text of texts) {
      expect(() => JSON.parse(text), text).toThrow();
      expect(() => readJson(text), text).toThrow();
    }
  });

  it("keeps the digits of numbers", () => {
    expect(readJson("18446744073709551615")).toEqual(new JsonNumber("18446744073709551615"));
  });

  it("replaces a surrogate without a partner", () => {
    expect(readJson(String.raw`"\ud800a\udc00\ud83c\udf0a"`)).toBe("\ufffda\ufffd\u{1f30a}");
  });

  it("takes the last of two members, at the place of the first", () => {
    expect([...(readJson('{"a":"1","b":"2","a":"3"}') as Map<string, unknown>)]).toEqual([
      ["a", "3"],
      ["b", "2"],
    ]);
  });

  it("bounds nesting without using the call stack", () => {
    expect(() => readJson("[".repeat(9_999) + "]".repeat(9_999))).not.toThrow();
    expect(() => readJson("[".repeat(5_000_000))).toThrow("nested deeper than 10000 at byte 10001");
  });
});

function plain(value: ReturnType<typeof readJson>): unknown {
  if (value instanceof JsonNumber) return Number(value.text);
  if (Array.isArray(value)) return value.map(plain);
  return value instanceof Map ? Object.fromEntries([...value].map(([key, member]) => [key, plain(member)])) : value;
}
