// Reads a Loki push in protobuf (logproto.PushRequest). Skips unknown fields, and fields whose wire type is not the
// expected one.

import { ProtobufReader } from "../protobuf/reader.ts";
import { parseLabelSet } from "./label-set.ts";
import type { Label, LokiEntry, LokiStream } from "./streams.ts";

/** Yields the streams (logs with the same labels) of a push to Loki. Throws ConversionError. */
export function* readLokiProtobuf(bytes: Uint8Array): Iterable<LokiStream> {
  const push = ProtobufReader.of(bytes);
  while (push.next()) if (push.field === 1 && push.isBytes) yield streamOf(push.message());
}

function streamOf(stream: ProtobufReader): LokiStream {
  const all = stream.fork();
  let labels = "{}";
  // Searches all fields of the stream for the labels first, because protobuf also allows the labels after the entries.
  while (stream.next()) if (stream.field === 1 && stream.isBytes) labels = stream.text();
  return { labels: parseLabelSet(labels), entries: entriesOf(all) };
}

function* entriesOf(stream: ProtobufReader): Iterable<LokiEntry> {
  while (stream.next()) if (stream.field === 2 && stream.isBytes) yield entryOf(stream.message());
}

function entryOf(entry: ProtobufReader): LokiEntry {
  let time = 0n;
  let line = "";
  const metadata: Label[] = [];
  while (entry.next()) {
    if (!entry.isBytes) continue;
    if (entry.field === 1) time = timeOf(entry.message());
    else if (entry.field === 2) line = entry.text();
    else if (entry.field === 3) metadata.push(pairOf(entry.message()));
  }
  return { time, line, metadata };
}

function timeOf(timestamp: ProtobufReader): bigint {
  let seconds = 0n;
  let nanos = 0;
  while (timestamp.next()) {
    if (!timestamp.isVarint) continue;
    if (timestamp.field === 1) seconds = timestamp.int64();
    else if (timestamp.field === 2) nanos = timestamp.uint32();
  }
  return seconds * 1_000_000_000n + BigInt(nanos);
}

function pairOf(pair: ProtobufReader): Label {
  let name = "";
  let value = "";
  while (pair.next()) {
    if (!pair.isBytes) continue;
    if (pair.field === 1) name = pair.text();
    else if (pair.field === 2) value = pair.text();
  }
  return [name, value];
}
