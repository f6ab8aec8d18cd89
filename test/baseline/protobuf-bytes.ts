// Encodes points as protobuf byte by byte. The WebAssembly encoder must write the same bytes, with the protobuf fields
// in the same order; tests compare the two (docs/reference/points.md#protobuf).

import { arrayTypeUrl } from "../../lib/point/codec/pbjson.ts";
import { Float, PointArray, type PointValue, Uint } from "../../lib/point/value.ts";
import type { PointView } from "../../lib/point/view.ts";
import { isBytes, type Text } from "../../lib/text/bytes.ts";
import type { Integer } from "../../lib/text/integer.ts";

const utf8 = new TextEncoder();
const none = new Uint8Array(0);

export function protobufBytes(points: Iterable<PointView>): Uint8Array {
  return joined(Array.from(points, (point) => message(0x0a, pointBytes(point))));
}

function pointBytes(point: PointView): Uint8Array {
  return joined([
    optional(0x0a, bytesOf(point.name)),
    ...Array.from(point.entries(), ({ key, value, isTag }) => {
      const { metricType = 0, unit = "", description = "" } = point.traits?.(key) ?? {};
      const content = joined([
        optional(0x0a, bytesOf(key)),
        isTag ? Uint8Array.of(0x40, 1) : none,
        metricType === 0 ? none : varint(0x48, metricType),
        optional(0x52, bytesOf(unit)),
        optional(0x62, bytesOf(description)),
        value === null ? none : valueBytes(value, fieldTags),
      ]);
      return message(0x12, content);
    }),
    point.time === 0n ? none : varint(0x18, point.time),
    ...(point.warnings ?? []).map(({ type, message: text }) =>
      message(0x22, joined([optional(0x0a, bytesOf(type)), optional(0x12, bytesOf(text))])),
    ),
  ]);
}

interface Tags {
  readonly int: number;
  readonly uint: number;
  readonly float: number;
  readonly bool: number;
  readonly binary: number;
  readonly string: number;
}

const fieldTags: Tags = { int: 0x10, uint: 0x18, float: 0x21, bool: 0x28, binary: 0x32, string: 0x5a };
const elementTags: Tags = { int: 0x08, uint: 0x10, float: 0x19, bool: 0x20, binary: 0x2a, string: 0x32 };

function valueBytes(value: NonNullable<PointValue>, tags: Tags): Uint8Array {
  if (value instanceof PointArray) {
    const elements = joined(value.elements.map((each) => message(0x0a, valueBytes(each, elementTags))));
    return message(0x3a, joined([message(0x0a, bytesOf(arrayTypeUrl)), optional(0x12, elements)]));
  }
  if (value instanceof Float) {
    return joined([Uint8Array.of(tags.float), new Uint8Array(Float64Array.of(value.value).buffer)]);
  }
  if (value instanceof Uint) return varint(tags.uint, value.value);
  if (typeof value === "boolean") return Uint8Array.of(tags.bool, value ? 1 : 0);
  if (typeof value === "number" || typeof value === "bigint") return varint(tags.int, value);
  if (value instanceof Uint8Array) return message(tags.binary, value);
  return message(tags.string, bytesOf(value));
}

function optional(tag: number, content: Uint8Array): Uint8Array {
  return content.length === 0 ? none : message(tag, content);
}

function message(tag: number, content: Uint8Array): Uint8Array {
  return joined([varint(tag, content.length), content]);
}

/** Returns a protobuf field: its tag byte, then the number as a varint (groups of 7 bits, the lowest first). */
function varint(tag: number, value: Integer): Uint8Array {
  const bytes = [tag];
  let left = BigInt.asUintN(64, BigInt(value));
  for (; left > 0x7fn; left >>= 7n) bytes.push(Number(left & 0x7fn) | 0x80);
  return Uint8Array.of(...bytes, Number(left));
}

function bytesOf(text: Text): Uint8Array {
  return isBytes(text) ? text.view().slice() : utf8.encode(text);
}

export function joined(parts: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}
