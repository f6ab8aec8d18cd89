// Encodes and decodes points with the library protobufjs, as a reference for the WebAssembly codec. 64-bit integers use
// the Long type of protobufjs.

import protobuf from "protobufjs";
import { arrayTypeUrl } from "../../lib/point/codec/pbjson.ts";
import { Point } from "../../lib/point/point.ts";
import { Float, PointArray, type PointValue, type Scalar, Uint } from "../../lib/point/value.ts";
import type { PointView } from "../../lib/point/view.ts";
import { isBytes, type Text } from "../../lib/text/bytes.ts";
import { integer } from "../../lib/text/integer.ts";
import { OwnedBytes } from "../../lib/text/utf8.ts";

// The schema declares strings as `bytes`, which have the same wire format as strings. So strings that are not
// UTF-8 stay unchanged.
const schema = `
syntax = "proto3";
package point;
message PBPoints { repeated PBPoint arr = 1; }
message PBPoint { bytes name = 1; repeated Field fields = 2; int64 time = 3; repeated Warn warns = 4; repeated Debug debugs = 5; }
message Field {
  bytes key = 1;
  oneof val { int64 i = 2; uint64 u = 3; double f = 4; bool b = 5; bytes d = 6; Any a = 7; bytes s = 11; }
  bool is_tag = 8;
  int32 type = 9;
  bytes unit = 10;
  bytes description = 12;
}
message Any { string type_url = 1; bytes value = 2; }
message Warn { bytes type = 1; bytes msg = 2; }
message Debug { string info = 1; }
message Array { repeated BasicTypes arr = 1; }
message BasicTypes { oneof x { int64 i = 1; uint64 u = 2; double f = 3; bool b = 4; bytes d = 5; bytes s = 6; } }
`;

const { root } = protobuf.parse(schema, { keepCase: true });
const pbPoints = root.lookupType("point.PBPoints");
const array = root.lookupType("point.Array");

const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

type Message = Record<string, unknown>;

export function encodeWithProtobufjs(points: Iterable<PointView>): Uint8Array {
  return pbPoints.encode(messageOf(points)).finish();
}

/** Returns the points as the message object that protobufjs encodes. */
export function messageOf(points: Iterable<PointView>): protobuf.Message {
  return pbPoints.create({ arr: Array.from(points, pointMessage) });
}

export function encodeMessage(message: protobuf.Message): Uint8Array {
  return pbPoints.encode(message).finish();
}

function pointMessage(point: PointView): Message {
  return {
    name: bytesOf(point.name),
    time: long(point.time),
    fields: Array.from(point.entries(), ({ key, value, isTag }) => {
      const traits = point.traits?.(key);
      return {
        key: bytesOf(key),
        ...(value === null ? {} : valueMember(value)),
        is_tag: isTag,
        type: traits?.metricType ?? 0,
        unit: bytesOf(traits?.unit ?? ""),
        description: bytesOf(traits?.description ?? ""),
      };
    }),
    warns: Array.from(point.warnings ?? [], ({ type, message }) => ({ type: bytesOf(type), msg: bytesOf(message) })),
  };
}

function valueMember(value: Scalar | PointArray): Message {
  if (!(value instanceof PointArray)) return scalarMember(value);
  const bytes = array.encode(array.create({ arr: value.elements.map(scalarMember) })).finish();
  return { a: { type_url: arrayTypeUrl, value: bytes } };
}

function scalarMember(value: Scalar): Message {
  if (typeof value === "boolean") return { b: value };
  if (value instanceof Float) return { f: value.value };
  if (value instanceof Uint) return { u: long(BigInt(value.value), true) };
  if (value instanceof Uint8Array) return { d: value };
  if (typeof value === "string" || isBytes(value)) return { s: bytesOf(value) };
  return { i: long(BigInt(value)) };
}

/** Returns a 64-bit integer as two halves of 32 bits, the type that protobufjs takes for 64-bit integers. */
function long(value: bigint, unsigned = false): { low: number; high: number; unsigned: boolean } {
  return { low: Number(value & 0xffffffffn) | 0, high: Number(BigInt.asIntN(32, value >> 32n)), unsigned };
}

function bytesOf(text: Text): Uint8Array {
  return typeof text === "string" ? encoder.encode(text) : text.view();
}

export function decodeWithProtobufjs(bytes: Uint8Array): Point[] {
  const { arr = [] } = pbPoints.decode(bytes) as unknown as { arr?: Message[] };
  return arr.map((message) => {
    const point = new Point(textOf(message.name), bigintOf(message.time, false));
    for (const field of (message.fields ?? []) as Message[]) {
      const key = textOf(field.key);
      point.append(key, fieldValue(field), field.is_tag === true, {
        metricType: field.type as number,
        unit: textOf(field.unit),
        description: textOf(field.description),
      });
    }
    for (const { type, msg } of (message.warns ?? []) as Message[]) {
      point.warnings.push({ type: textOf(type), message: textOf(msg) });
    }
    return point;
  });
}

/**
 * Decodes bytes as UTF-8. The bytes are first copied into a Uint8Array, because protobufjs represents an absent
 * string by an empty array, which the text decoder does not accept.
 */
function textOf(bytes: unknown): string {
  return decoder.decode(new Uint8Array(bytes as Uint8Array));
}

function fieldValue(field: Message): PointValue {
  if (!Object.hasOwn(field, "a")) return scalarOf(field);
  const { type_url: url, value } = field.a as { type_url: string; value: Uint8Array };
  if (url !== arrayTypeUrl) throw new Error(`type URL ${url}`);
  const { arr = [] } = array.decode(value) as unknown as { arr?: Message[] };
  return new PointArray(arr.map((element) => scalarOf(element) as Scalar));
}

/**
 * Returns the value that a decoded message holds. Members that the sender has encoded are own properties of the
 * message; members that the message inherits from its prototype are defaults.
 */
function scalarOf(message: Message): Scalar | null {
  if (Object.hasOwn(message, "i")) return integer(bigintOf(message.i, false));
  if (Object.hasOwn(message, "u")) return new Uint(integer(bigintOf(message.u, true)));
  if (Object.hasOwn(message, "f")) return new Float(message.f as number);
  if (Object.hasOwn(message, "b")) return message.b as boolean;
  if (Object.hasOwn(message, "d")) return new Uint8Array(message.d as Uint8Array);
  if (Object.hasOwn(message, "s")) return new OwnedBytes(new Uint8Array(message.s as Uint8Array));
  return null;
}

function bigintOf(value: unknown, unsigned: boolean): bigint {
  const { low, high } = value as { low: number; high: number };
  const bits = (BigInt(high >>> 0) << 32n) | BigInt(low >>> 0);
  return unsigned ? bits : BigInt.asIntN(64, bits);
}
