// The body of a Prometheus remote write, read from its protobuf form (prometheus/prompb, WriteRequest): series of samples.
// What else a request may hold, such as metadata, exemplars and histograms, is passed over.

export interface Series {
  readonly labels: readonly (readonly [name: string, value: string])[];
  readonly samples: readonly Sample[];
}

export interface Sample {
  readonly value: number;
  /** Milliseconds. */
  readonly time: number;
}

/** The bytes are no WriteRequest. */
export class WriteRequestError extends Error {}

const decoder = new TextDecoder();

/** Throws WriteRequestError. */
export function readWriteRequest(bytes: Uint8Array): Series[] {
  const all: Series[] = [];
  const message = new Message(bytes);
  while (message.next()) if (message.is(1, bytesType)) all.push(readSeries(message.bytes()));
  return all;
}

function readSeries(bytes: Uint8Array): Series {
  const labels: [string, string][] = [];
  const samples: Sample[] = [];
  const message = new Message(bytes);
  while (message.next()) {
    if (message.is(1, bytesType)) labels.push(readLabel(message.bytes()));
    else if (message.is(2, bytesType)) samples.push(readSample(message.bytes()));
  }
  return { labels, samples };
}

function readLabel(bytes: Uint8Array): [string, string] {
  let name = "";
  let value = "";
  const message = new Message(bytes);
  while (message.next()) {
    if (message.is(1, bytesType)) name = decoder.decode(message.bytes());
    else if (message.is(2, bytesType)) value = decoder.decode(message.bytes());
  }
  return [name, value];
}

function readSample(bytes: Uint8Array): Sample {
  let value = 0;
  let time = 0;
  const message = new Message(bytes);
  while (message.next()) {
    if (message.is(1, doubleType)) value = message.double();
    else if (message.is(2, varintType)) time = message.int64();
  }
  return { value, time };
}

// Wire types.
const varintType = 0;
const doubleType = 1;
const bytesType = 2;
const floatType = 5;

/** The fields of one message, in turn; each is read once, or passed over by the next `next`. */
class Message {
  private at = 0;
  private field = 0;
  private type = 0;
  private isRead = true;
  private readonly all: Uint8Array;
  private readonly view: DataView;

  constructor(all: Uint8Array) {
    this.all = all;
    this.view = new DataView(all.buffer, all.byteOffset, all.byteLength);
  }

  next(): boolean {
    if (!this.isRead) this.skip();
    if (this.at >= this.all.length) return false;
    const tag = Number(this.varint());
    this.field = Math.floor(tag / 8);
    this.type = tag & 7;
    this.isRead = false;
    return true;
  }

  is(field: number, type: number): boolean {
    return this.field === field && this.type === type;
  }

  bytes(): Uint8Array {
    const length = Number(this.varint());
    return this.taken(length);
  }

  double(): number {
    const { byteOffset } = this.taken(8);
    return this.view.getFloat64(byteOffset - this.all.byteOffset, true);
  }

  int64(): number {
    const value = this.varint();
    this.isRead = true;
    return Number(BigInt.asIntN(64, value));
  }

  private skip(): void {
    if (this.type === varintType) this.varint();
    else if (this.type === bytesType) this.bytes();
    else if (this.type === doubleType) this.taken(8);
    else if (this.type === floatType) this.taken(4);
    else throw new WriteRequestError(`byte ${this.at}: wire type ${this.type}`);
  }

  private taken(length: number): Uint8Array {
    if (length > this.all.length - this.at) throw new WriteRequestError(`byte ${this.at}: ${length} bytes are missing`);
    this.isRead = true;
    this.at += length;
    return this.all.subarray(this.at - length, this.at);
  }

  private varint(): bigint {
    const first = this.all[this.at];
    if (first !== undefined && first < 0x80) {
      this.at++;
      return BigInt(first);
    }
    let value = 0n;
    for (let shift = 0n; shift < 70n; shift += 7n) {
      const byte = this.all[this.at++];
      if (byte === undefined) break;
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
    throw new WriteRequestError(`byte ${this.at}: no integer`);
  }
}
