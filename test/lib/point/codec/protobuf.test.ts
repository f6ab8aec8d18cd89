// Tests decoding and encoding of protobuf against docs/reference/points.md#protobuf. Also tests the rules that
// protobuf and PBJSON share: corrections, limits, refused values.

import { describe, expect, it } from "vitest";
import type { CategoryName } from "../../../../lib/point/category.ts";
import type { BodyOptions } from "../../../../lib/point/codec/body.ts";
import { decodePoints } from "../../../../lib/point/codec/decode.ts";
import { encodePoints } from "../../../../lib/point/codec/encode.ts";
import { PointError } from "../../../../lib/point/errors.ts";
import { defaultLimits, type Limits } from "../../../../lib/point/limits.ts";
import { Point } from "../../../../lib/point/point.ts";
import { Float, PointArray, type PointValue, Uint } from "../../../../lib/point/value.ts";
import { Key } from "../../../../lib/point/view.ts";
import { OwnedBytes } from "../../../../lib/text/utf8.ts";
import { encodeWithProtobufjs } from "../../../baseline/protobuf.ts";
import { loadModule } from "../../wasm/load.ts";
import { encodersOf } from "../encoders.ts";
import table from "../worked-examples.jsonl?raw";

const module = await loadModule();
const { encodePbjson } = encodersOf(module);
const now = 1700000000000000000n;

function decode(body: Uint8Array, options: Partial<BodyOptions> = {}): Point[] {
  const batch = decodePoints(module, body, "pb", { category: "tracing", now, ...options });
  try {
    return Array.from({ length: batch.length }, (_, i) => batch.point(i));
  } finally {
    batch.release();
  }
}

function refusal(body: Uint8Array, options: Partial<BodyOptions> = {}): string {
  try {
    decode(body, options);
  } catch (error) {
    if (error instanceof PointError && error.form === "protobuf") return error.message;
    throw error;
  }
  throw new Error("the body was accepted");
}

const hex = (text: string) =>
  new Uint8Array((text.replaceAll(" ", "").match(/../g) ?? []).map((byte) => Number.parseInt(byte, 16)));

function pointWith(key: string, value: PointValue, isTag = false): Point {
  const point = new Point("m", now);
  point.set(key, value, isTag);
  return point;
}

const gauge = pointWith("c", 0);
gauge.setTraits("c", { metricType: 3, unit: "B", description: "" });

describe("worked examples", () => {
  const time = "18 8080a8b1e39fe7cb17";
  it.each([
    ["P1", pointWith("i", -1), `0a1d 0a016d 120e 0a0169 10ffffffffffffffffff01 ${time}`],
    ["P2", pointWith("u", new Uint(300)), `0a15 0a016d 1206 0a0175 18ac02 ${time}`],
    ["P3", pointWith("f", new Float(1.5)), `0a1b 0a016d 120c 0a0166 21000000000000f83f ${time}`],
    ["P4", pointWith("b", true), `0a14 0a016d 1205 0a0162 2801 ${time}`],
    ["P5", pointWith("d", new Uint8Array([0x68, 0x69])), `0a16 0a016d 1207 0a0164 32026869 ${time}`],
    ["P6", pointWith("s", "hi"), `0a16 0a016d 1207 0a0173 5a026869 ${time}`],
    ["P7", pointWith("t", "v", true), `0a17 0a016d 1208 0a0174 4001 5a0176 ${time}`],
    ["P8", gauge, `0a19 0a016d 120a 0a0163 4803 520142 1000 ${time}`],
    [
      "P9",
      pointWith("a", new PointArray([1, 2])),
      `0a3f 0a016d 1230 0a0161 3a2b 0a1f747970652e676f6f676c65617069732e636f6d2f706f696e742e4172726179 1208 0a020801 0a020802 ${time}`,
    ],
  ])("%s", (_, point, bytes) => {
    expect(encodePoints(module, [point], "pb")).toEqual(hex(bytes));
    expect(encodePbjson(decode(hex(bytes)))).toBe(encodePbjson([point]));
  });
});

describe("decoding protobuf accepts", () => {
  it("fields in any order, skips unknown fields and uses the last value", () => {
    // The message has these parts, in this order: the time; an unknown group (field 9) that contains a varint; an
    // unknown fixed32 (field 20); a field of the point, whose members are s, an unknown fixed64 (field 15), i and
    // key; the name, twice.
    const point = "1801 4b 0801 4c a5010a0b0c0d 1211 5a0178 790102030405060708 1005 0a0161 0a0178 0a016d";
    const body = hex(`0a${(hex(point).length).toString(16)} ${point}`);
    expect(encodePbjson(decode(body))).toBe('[{"name":"m","fields":[{"key":"a","i":"5"}],"time":"1000000000"}]');
  });

  it("an empty message as no points, and an empty point with corrections", () => {
    expect(decode(new Uint8Array())).toEqual([]);
    const [point] = decode(hex("0a00"));
    expect([point!.name, point!.time, point!.warnings.map(({ message }) => message)]).toEqual([
      "__default",
      now,
      ["empty measurement, use __default"],
    ]);
  });

  it("warnings of the sender, but does not keep them", () => {
    const sent = pointWith("a", 1);
    sent.warnings.push({ type: "t", message: "x" });
    expect(decode(encodePoints(module, [sent], "pb"))[0]!.warnings).toEqual([]);
  });

  it.each([
    ["", 1n, 1000000000n],
    ["ms", 1700000000123n, 1700000000123000000n],
    ["n", 5n, 5n],
    ["s", 0n, now],
    ["", -5n, now],
  ])("precision %j, time %d", (precision, sent, time) => {
    const point = pointWith("a", 1);
    point.time = sent;
    expect(decode(encodePoints(module, [point], "pb"), { precision })[0]!.time).toBe(time);
  });

  it("concatenated payloads as one list of points", () => {
    const one = encodePoints(module, [pointWith("a", 1)], "pb");
    expect(decode(new Uint8Array([...one, ...one]))).toHaveLength(2);
  });
});

describe("decoding protobuf refuses", () => {
  it.each([
    ["a point that is cut off", "0a05 0a016d", "unexpected EOF"],
    ["a varint that is cut off", "0a80", "unexpected EOF"],
    ["a double that is cut off", "0a06 1204 21 000000", "unexpected EOF"],
    ["an unknown field that is cut off", "1d 0000", "unexpected EOF"],
    ["tag 0", "00", "proto: PBPoints: illegal tag 0 (wire type 0)"],
    ["tag 0 in a field", "0a04 1202 0200", "proto: Field: illegal tag 0 (wire type 2)"],
    ["a varint of 11 bytes", "0a ffffffffffffffffffff01", "proto: integer overflow"],
    ["a negative length", "0a ffffffffffffffffff01", "proto: negative length found during unmarshaling"],
    ["the end of a group", "0a01 0c", "proto: PBPoint: wiretype end group for non-group"],
    ["wire type 7", "0a02 37 00", "proto: illegal wireType 7"],
    ["a name that is a number", "0a02 0801", "proto: wrong wireType = 0 for field Name"],
    ["a description that is a number", "0a04 1202 6001", "proto: wrong wireType = 0 for field Description"],
  ])("%s", (_, bytes, message) => {
    expect(refusal(hex(bytes))).toBe(message);
  });

  const entry = (bytes: string) => {
    const field = hex(bytes).length;
    const two = (size: number) => size.toString(16).padStart(2, "0");
    return hex(`0a${two(2 + field)} 12${two(field)} ${bytes}`);
  };
  const url = "747970652e676f6f676c65617069732e636f6d2f706f696e742e4172726179";
  const any = (array: string) => {
    const size = hex(array).length;
    const two = (length: number) => length.toString(16).padStart(2, "0");
    return entry(`3a${two(35 + size)} 0a1f${url} 12${two(size)} ${array}`);
  };
  it.each([
    ["a tag that is no text", entry("0a0161 1001 4001"), "point 0: fields[0]: tag value must be a string"],
    ["a tag without value", entry("0a0161 4001"), "point 0: fields[0]: tag value must be a string"],
    ["another type URL", entry("3a05 0a03 782f79"), 'point 0: fields[0]: unknown type "x/y"'],
    ["no type URL", entry("3a00"), 'point 0: fields[0]: unknown type ""'],
    [
      "an array of two kinds",
      any("0a020801 0a021001"),
      "point 0: fields[0]: mixed type elements found in array([0]: i <> [1]: u)",
    ],
    ["an element without value", any("0a020801 0a00"), "point 0: fields[0]: got nil(index: 1) within array"],
    ["a broken element", any("0a020a01"), "proto: wrong wireType = 2 for field I"],
  ])("%s", (_, body, message) => {
    expect(refusal(body)).toBe(message);
  });

  it("a wrong value, with an error that names the point and the field", () => {
    const bad = pointWith("a", 1);
    bad.set("b", 2, true);
    const body = encodePoints(module, [pointWith("x", 1), bad], "pb");
    expect(refusal(body)).toBe("point 1: fields[1]: tag value must be a string");
  });

  it("a time out of range", () => {
    const point = pointWith("a", 1);
    point.time = 9223372037n;
    const message = "point 0: time outside range -9223372036854775806 - 9223372036854775806";
    expect(refusal(encodePoints(module, [point], "pb"), { precision: "s" })).toBe(message);
  });

  it("a broken body, and frees its memory", () => {
    expect(() => decode(hex("0a05 0a016d"))).toThrow();
    expect(module.used).toBe(0);
  });
});

interface Row {
  readonly id: string;
  readonly form: string;
  readonly body: string;
  readonly category?: CategoryName;
  readonly limits?: Partial<Limits>;
  readonly pbjson?: readonly { readonly time: string }[];
}

interface SentPoint {
  readonly name?: string;
  readonly fields: readonly Record<string, never>[];
}

/**
 * Returns the point that a client sends in a test case. A test case is a row of worked-examples.jsonl, and its
 * JSON `body` describes the point. The decoder would correct such a point, for example replace a dot in a key;
 * this function returns it uncorrected.
 */
function sent({ body }: Row): Point {
  const [{ name = "", fields }] = JSON.parse(body) as [SentPoint];
  const point = new Point(name, 1n);
  for (const entry of fields) {
    const { key = "", is_tag: isTag = false, i, u, f, b, s, d, a } = entry;
    let value: PointValue = null;
    if (i !== undefined && i !== null) value = Number(i);
    else if (u !== undefined) value = new Uint(BigInt(u));
    else if (f !== undefined) value = new Float(Number(f));
    else if (b !== undefined) value = b;
    else if (s !== undefined) value = s;
    else if (d !== undefined) value = Uint8Array.from(atob(d), (each) => each.charCodeAt(0));
    else if (a !== undefined) value = new PointArray([]);
    const { type, unit, description } = entry;
    const traits = {
      metricType: Number({ GAUGE: 3 }[type as string] ?? type ?? 0),
      unit: unit ?? "",
      description: description ?? "",
    };
    point.append(key, value, isTag, traits);
  }
  return point;
}

const rows = table
  .trim()
  .split("\n")
  .map((line) => JSON.parse(line) as Row)
  // Leaves out the rows of the table whose body has an array with elements; other tests cover such arrays.
  .filter(({ body, pbjson }) => pbjson !== undefined && !body.includes('"arr":[{'));

describe("corrections of protobuf points, as in PBJSON", () => {
  it.each(rows)("$id $body", (row) => {
    const body = encodeWithProtobufjs([sent(row)]);
    const limits = { ...defaultLimits, ...row.limits };
    const points = decode(body, { category: row.category ?? "tracing", limits });
    // The rows of the table do not say which time their points have. The test sets the time of every point to
    // 1970-01-01 00:00:01 UTC.
    expect(JSON.parse(encodePbjson(points))).toEqual(row.pbjson!.map((point) => ({ ...point, time: "1000000000" })));
  });

  it("keep metric type, unit and description when the key is corrected", () => {
    const point = pointWith("a.b", 1);
    point.setTraits("a.b", { metricType: 25, unit: "B", description: "d" });
    expect(encodePbjson(decode(encodePoints(module, [point], "pb")))).toContain(
      '{"key":"a_b","i":"1","type":"HISTOGRAM_BUCKET_BOUNDS","unit":"B","description":"d"}',
    );
  });

  it("replace newlines and remove final backslashes in a measurement", () => {
    const point = pointWith("a", 1);
    point.name = "a\nb\\";
    const [read] = decode(encodePoints(module, [point], "pb"));
    expect([read!.name, read!.warnings.map(({ type }) => type)]).toEqual(["a b", ["invalid_measurement"]]);
  });

  it("add the key that a category requires, with a warning", () => {
    const batch = decodePoints(module, encodePoints(module, [pointWith("a", 1)], "pb"), "pb", {
      category: "logging",
      now,
    });
    expect(encodePbjson(batch)).toContain(
      '{"key":"status","s":"unknown"}],"time":"1700000000000000000","warns":[{"type":"add_required_kv"',
    );
    batch.release();
  });

  it("keep invalid UTF-8 of a point", () => {
    const point = pointWith("a.b", 1);
    point.setField(new Key("s"), new OwnedBytes(new Uint8Array([0xff, 0x61])));
    point.setField(new Key("l"), new PointArray([new OwnedBytes(new Uint8Array([0xfe]))]));
    const batch = decodePoints(module, encodePoints(module, [point], "pb"), "pb", { category: "tracing", now });
    const out = encodePoints(module, batch, "pb");
    batch.release();
    expect([out.includes(0xff), out.includes(0xfe)]).toEqual([true, true]);
  });
});
