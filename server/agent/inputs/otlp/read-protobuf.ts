// Reads an OTLP request in protobuf. Skips unknown fields, and fields whose wire type is not the declared one.

import { ConversionError } from "../../ingest/converter.ts";
import { ProtobufReader } from "../protobuf/reader.ts";
import { type Field, maxDepth, type Read, type ScalarKind, type Shape } from "./shape.ts";

/**
 * Reads an OTLP request. Throws ConversionError. The messages of a field that is declared with `each` are not read at
 * once, but one by one as the caller iterates over them. This iteration may also throw ConversionError.
 */
export function readProtobuf<S extends Shape>(bytes: Uint8Array, shape: S): Read<S> {
  return readMessage(ProtobufReader.of(bytes), shape, 0, { left: maxItems }) as Read<S>;
}

/**
 * Largest number of messages and numbers that all lists of one span, log record or data point may hold together. The
 * limit bounds memory, since all of these messages and numbers are in memory at the same time.
 */
export const maxItems = 1_000_000;

interface Budget {
  left: number;
}

function take(budget: Budget): void {
  if (budget.left-- === 0) throw new ConversionError(`more than ${maxItems} values in one record`);
}

type Values = Record<string, unknown>;

function readMessage(reader: ProtobufReader, { byNumber }: Shape, depth: number, budget: Budget): Values {
  if (depth > maxDepth) throw new ConversionError(`messages within each other, deeper than ${maxDepth}`);
  const values: Values = {};
  const whole = reader.fork();
  while (reader.next()) {
    const known = byNumber[reader.field];
    if (known === undefined) continue;
    const [name, field] = known;
    if (field.many === "each") values[name] ??= new Each(whole, field, depth);
    else if (field.many === "list") readInto((values[name] ??= []) as unknown[], reader, field, depth, budget);
    else if (field.kind === "message") {
      if (reader.isBytes) values[name] = readMessage(reader.message(), field.of!(), depth + 1, budget);
    } else if (isOf(reader, field.kind)) values[name] = scalarOf(reader, field.kind);
  }
  return values;
}

function readInto(all: unknown[], reader: ProtobufReader, field: Field<unknown>, depth: number, budget: Budget): void {
  take(budget);
  if (field.kind === "message") {
    if (reader.isBytes) all.push(readMessage(reader.message(), field.of!(), depth + 1, budget));
  } else if (isOf(reader, field.kind)) all.push(scalarOf(reader, field.kind));
  else if (reader.isBytes) {
    const packed = reader.message();
    for (; !packed.isAtEnd; take(budget)) all.push(scalarOf(packed, field.kind));
  }
}

/** The OTLP messages in a repeated protobuf field. Each message is read when the iteration reaches it. */
class Each implements Iterable<Values> {
  private readonly message: ProtobufReader;
  private readonly field: Field<unknown>;
  private readonly depth: number;

  /**
   * `message`: a reader that is at the first value of the field `field`. Each iteration works with a copy of this
   * reader, so the reader itself stays at that position.
   */
  constructor(message: ProtobufReader, field: Field<unknown>, depth: number) {
    this.message = message;
    this.field = field;
    this.depth = depth;
  }

  *[Symbol.iterator](): Iterator<Values> {
    const { field, depth } = this;
    const reader = this.message.fork();
    const shape = field.of!();
    while (reader.next()) {
      if (reader.field !== field.number || !reader.isBytes) continue;
      yield readMessage(reader.message(), shape, depth + 1, { left: maxItems });
    }
  }
}

function isOf(reader: ProtobufReader, kind: ScalarKind): boolean {
  switch (kind) {
    case "text":
    case "id":
    case "bytes":
      return reader.isBytes;
    case "double":
    case "fixed64":
    case "sfixed64":
      return reader.isFixed64;
    default:
      return reader.isVarint;
  }
}

function scalarOf(reader: ProtobufReader, kind: ScalarKind): unknown {
  switch (kind) {
    case "text":
      return reader.text();
    case "id":
      return reader.hex();
    case "bytes":
      return reader.bytes();
    case "bool":
      return reader.uint32() !== 0;
    case "enum":
      return reader.uint32();
    case "sint32":
      return reader.sint32();
    case "int64":
      return reader.int64();
    case "uint64":
      return reader.uint64();
    case "fixed64":
      return reader.fixed64();
    case "sfixed64":
      return reader.sfixed64();
    case "double":
      return reader.double();
  }
}
