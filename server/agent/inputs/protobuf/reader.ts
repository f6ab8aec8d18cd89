// Reads protobuf messages field by field, without copying their bytes. The caller limits how deeply messages may be
// nested.

import { ConversionError } from "../../ingest/converter.ts";

// The wire types of protobuf. A wire type says how the value of a field is encoded.
const varintType = 0;
const fixed64Type = 1;
const bytesType = 2;
const fixed32Type = 5;

/** The bytes that a reader and the readers of its nested messages share. */
interface Source {
  readonly bytes: Buffer;
  readonly view: DataView;
}

/**
 * Iterates over the fields of one protobuf message. The value of a field may be read once; `next` skips a value that
 * was not read.
 */
export class ProtobufReader {
  private readonly source: Source;
  private at: number;
  private readonly end: number;
  private number = 0;
  private type = 0;
  private isRead = true;

  private constructor(source: Source, at: number, end: number) {
    this.source = source;
    this.at = at;
    this.end = end;
  }

  static of({ buffer, byteOffset, length }: Uint8Array): ProtobufReader {
    const source = { bytes: Buffer.from(buffer, byteOffset, length), view: new DataView(buffer, byteOffset, length) };
    return new ProtobufReader(source, 0, length);
  }

  /**
   * Returns a second reader of the same message, which begins at the position of this reader. Reading with one of the
   * two readers does not move the other.
   */
  fork(): ProtobufReader {
    return new ProtobufReader(this.source, this.at, this.end);
  }

  next(): boolean {
    if (!this.isRead) this.skip();
    if (this.at >= this.end) return false;
    const tag = this.varint();
    this.number = Math.floor(tag / 8);
    this.type = tag % 8;
    if (this.number === 0 || this.number > maxField) throw new ConversionError(`byte ${this.at}: illegal tag ${tag}`);
    this.isRead = false;
    return true;
  }

  /** Number of the protobuf field that the reader is at. */
  get field(): number {
    return this.number;
  }

  get isVarint(): boolean {
    return this.type === varintType;
  }

  get isFixed64(): boolean {
    return this.type === fixed64Type;
  }

  /**
   * Whether the value of the current field begins with its length. This is the case for strings, bytes, messages
   * and packed numbers.
   */
  get isBytes(): boolean {
    return this.type === bytesType;
  }

  get isFixed32(): boolean {
    return this.type === fixed32Type;
  }

  /** Reads the value of a string field. Replaces invalid UTF-8 with U+FFFD. */
  text(): string {
    const length = this.taken(this.varint());
    return this.source.bytes.toString("utf8", this.at - length, this.at);
  }

  hex(): string {
    const length = this.taken(this.varint());
    return this.source.bytes.toString("hex", this.at - length, this.at);
  }

  bytes(): Uint8Array {
    const length = this.taken(this.varint());
    return this.source.bytes.subarray(this.at - length, this.at);
  }

  /**
   * Returns a reader for the nested message or the packed numbers in the current field. Packed numbers are then read
   * one by one with the methods for numbers.
   */
  message(): ProtobufReader {
    const length = this.taken(this.varint());
    return new ProtobufReader(this.source, this.at - length, this.at);
  }

  /**
   * Whether the reader of packed numbers has reached their end. (Packed numbers follow each other without field
   * numbers.)
   */
  get isAtEnd(): boolean {
    return this.at >= this.end;
  }

  double(): number {
    this.taken(8);
    return this.source.view.getFloat64(this.at - 8, true);
  }

  fixed64(): bigint {
    this.taken(8);
    return this.source.view.getBigUint64(this.at - 8, true);
  }

  sfixed64(): bigint {
    this.taken(8);
    return this.source.view.getBigInt64(this.at - 8, true);
  }

  uint32(): number {
    this.isRead = true;
    return this.varint();
  }

  /** Reads the value of a field that holds a signed integer in zigzag encoding. */
  sint32(): number {
    const value = this.uint32();
    return value % 2 === 0 ? value / 2 : -(value + 1) / 2;
  }

  uint64(): bigint {
    this.isRead = true;
    return BigInt.asUintN(64, this.varint64());
  }

  int64(): bigint {
    this.isRead = true;
    return BigInt.asIntN(64, this.varint64());
  }

  private skip(): void {
    if (this.type === varintType) this.uint32();
    else if (this.type === bytesType) this.taken(this.varint());
    else if (this.type === fixed64Type) this.taken(8);
    else if (this.type === fixed32Type) this.taken(4);
    else throw new ConversionError(`byte ${this.at}: wire type ${this.type}`);
  }

  /** Advances by `length` bytes and returns `length`. Throws ConversionError when there are fewer bytes. */
  private taken(length: number): number {
    if (length > this.end - this.at) throw new ConversionError(`byte ${this.at}: ${length} bytes are missing`);
    this.isRead = true;
    this.at += length;
    return length;
  }

  /**
   * Reads a varint (an integer of variable length). The result is exact only up to 2^53. Lengths and field numbers are
   * always smaller.
   */
  private varint(): number {
    const { bytes } = this.source;
    let value = 0;
    let scale = 1;
    for (let count = 0; count < maxVarintBytes && this.at < this.end; count++) {
      const byte = bytes[this.at++];
      value += (byte & 0x7f) * scale;
      if (byte < 0x80) return value;
      scale *= 128;
    }
    throw new ConversionError(`byte ${this.at}: no integer`);
  }

  private varint64(): bigint {
    const begin = this.at;
    const value = this.varint();
    if (value <= Number.MAX_SAFE_INTEGER) return BigInt(value);
    let exact = 0n;
    for (let at = this.at - 1; at >= begin; at--) exact = (exact << 7n) | BigInt(this.source.bytes[at] & 0x7f);
    return exact;
  }
}

const maxVarintBytes = 10;
const maxField = 2 ** 29 - 1;
