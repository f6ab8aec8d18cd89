// Reads the protobuf body of a Prometheus remote write (prometheus/prompb, WriteRequest). Returns the series with their
// labels and samples. Skips metadata, exemplars and histograms.

import { ProtobufReader } from "../protobuf/reader.ts";

export interface Series {
  readonly labels: readonly (readonly [name: string, value: string])[];
  readonly samples: readonly Sample[];
}

export interface Sample {
  readonly value: number;
  /** Time of the sample in milliseconds since 1970. */
  readonly time: bigint;
}

/** Reads the body of a remote write. Throws ConversionError. */
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
