// Reads an OTLP request in JSON. The format is the JSON mapping of proto3, except that ids are hex digits and
// enumerations are numbers. An integer may be a number or a string; all of its 64 bits are kept.

import { JsonNumber, type JsonObject, JsonSyntaxError, type JsonValue, readJson } from "../../../../lib/text/index.ts";
import { extentOf } from "../../../http/body/json-value.ts";
import { ConversionError } from "../../ingest/converter.ts";
import { type Field, maxDepth, type Read, type ScalarKind, type Shape } from "./shape.ts";

/**
 * Largest number of JSON values in a body. The limit is needed because a value takes far more bytes in memory than in
 * the body.
 */
export const maxValues = 4_000_000;

/**
 * Reads an OTLP request. Throws ConversionError. The messages of a field that is declared with `each` are not read at
 * once, but one by one as the caller iterates over them. This iteration may also throw ConversionError.
 */
export function readOtlpJson<S extends Shape>(bytes: Uint8Array, shape: S): Read<S> {
  const { values } = extentOf(bytes);
  if (values > maxValues) throw new ConversionError(`more than ${maxValues} values in one body`);
  let value: JsonValue;
  try {
    value = readJson(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch (error) {
    if (error instanceof JsonSyntaxError) throw new ConversionError(error.message);
    if (error instanceof TypeError) throw new ConversionError("the body is not UTF-8");
    throw error;
  }
  return readMessage(value, shape, "the body", 0) as Read<S>;
}

type Values = Record<string, unknown>;

function readMessage(value: JsonValue, { byName }: Shape, what: string, depth: number): Values {
  if (depth > maxDepth) throw new ConversionError(`objects within each other, deeper than ${maxDepth}`);
  if (!(value instanceof Map)) throw new ConversionError(`${what}: an object is expected`);
  const values: Values = {};
  for (const [name, given] of value as JsonObject) {
    const field = byName.get(name);
    if (field === undefined || given === null) continue;
    if (field.many === "one") values[name] = readOne(given, field, name, depth);
    else {
      if (!Array.isArray(given)) throw new ConversionError(`${name}: a list is expected`);
      values[name] =
        field.many === "each"
          ? new Each(given, field, name, depth)
          : given.map((item) => readOne(item, field, name, depth));
    }
  }
  return values;
}

function readOne(value: JsonValue, { kind, of }: Field<unknown>, name: string, depth: number): unknown {
  return kind === "message" ? readMessage(value, of!(), name, depth + 1) : scalarOf(value, kind, name);
}

/** The OTLP messages in a JSON list. Each message is read when the iteration reaches it. */
class Each implements Iterable<Values> {
  private readonly all: readonly JsonValue[];
  private readonly field: Field<unknown>;
  private readonly name: string;
  private readonly depth: number;

  constructor(all: readonly JsonValue[], field: Field<unknown>, name: string, depth: number) {
    this.all = all;
    this.field = field;
    this.name = name;
    this.depth = depth;
  }

  *[Symbol.iterator](): Iterator<Values> {
    const shape = this.field.of!();
    for (const value of this.all) yield readMessage(value, shape, this.name, this.depth + 1);
  }
}

function scalarOf(value: JsonValue, kind: ScalarKind, name: string): unknown {
  switch (kind) {
    case "text":
      return textOf(value, name);
    case "id":
      return textOf(value, name).toLowerCase();
    case "bytes":
      return new Uint8Array(Buffer.from(textOf(value, name), "base64"));
    case "bool":
      if (typeof value !== "boolean") throw new ConversionError(`${name}: true or false is expected`);
      return value;
    case "enum":
      return Number(integerOf(value, name, 0n, 0xffffffffn));
    case "sint32":
      return Number(integerOf(value, name, -0x80000000n, 0x7fffffffn));
    case "int64":
    case "sfixed64":
      return integerOf(value, name, -(1n << 63n), (1n << 63n) - 1n);
    case "uint64":
    case "fixed64":
      return integerOf(value, name, 0n, (1n << 64n) - 1n);
    case "double":
      return doubleOf(value, name);
  }
}

function textOf(value: JsonValue, name: string): string {
  if (typeof value !== "string") throw new ConversionError(`${name}: a text is expected`);
  return value;
}

function integerOf(value: JsonValue, name: string, min: bigint, max: bigint): bigint {
  const text = value instanceof JsonNumber ? value.text : value;
  // A 64-bit integer has at most twenty digits. Longer strings are refused, since they would make BigInt slow.
  if (typeof text !== "string" || !/^-?\d{1,20}$/.test(text))
    throw new ConversionError(`${name}: an integer is expected`);
  const integer = BigInt(text);
  if (integer < min || integer > max) throw new ConversionError(`${name}: ${text} is out of range`);
  return integer;
}

function doubleOf(value: JsonValue, name: string): number {
  if (value === "NaN" || value === "Infinity" || value === "-Infinity") return Number(value);
  const text = value instanceof JsonNumber ? value.text : value;
  if (typeof text !== "string" || !/^-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?$/.test(text)) {
    throw new ConversionError(`${name}: a number is expected`);
  }
  return Number(text);
}
