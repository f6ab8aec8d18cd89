// The body of a Prometheus remote write, read from its protobuf form (prometheus/prompb, WriteRequest): series of samples.
// What else a request may hold, such as metadata, exemplars and histograms, is passed over.

import { ProtobufReader } from "../protobuf/reader.ts";

export interface Series {
  readonly labels: readonly (readonly [name: string, value: string])[];
  readonly samples: readonly Sample[];
}

export interface Sample {
  readonly value: number;
  /** Milliseconds. */
  readonly time: bigint;
}

/** Throws ProtobufError. */
export function readWriteRequest(bytes: Uint8Array): Series[] {
  const all: Series[] = [];
  const message = ProtobufReader.of(bytes);
  while (message.next()) if (message.field === 1 && message.isBytes) all.push(readSeries(message.message()));
  return all;
}

function readSeries(message: ProtobufReader): Series {
  const labels: [string, string][] = [];
  const samples: Sample[] = [];
  while (message.next()) {
    if (!message.isBytes) continue;
    if (message.field === 1) labels.push(readLabel(message.message()));
    else if (message.field === 2) samples.push(readSample(message.message()));
  }
  return { labels, samples };
}

function readLabel(message: ProtobufReader): [string, string] {
  let name = "";
  let value = "";
  while (message.next()) {
    if (!message.isBytes) continue;
    if (message.field === 1) name = message.text();
    else if (message.field === 2) value = message.text();
  }
  return [name, value];
}

function readSample(message: ProtobufReader): Sample {
  let value = 0;
  let time = 0n;
  while (message.next()) {
    if (message.field === 1 && message.isFixed64) value = message.double();
    else if (message.field === 2 && message.isVarint) time = message.int64();
  }
  return { value, time };
}
