// Reads a Loki push in JSON: `{"streams":[{"stream":{"job":"a"},"values":[["<ns>","line",{"trace":"t"}]]}]}`.

import { JsonNumber, JsonSyntaxError, type JsonValue, readJson } from "../../../../lib/text/index.ts";
import { ConversionError } from "../../ingest/converter.ts";
import { reasonNotToParse } from "../pbjson/json-extent.ts";
import { textOfJson } from "../pbjson/json-values.ts";
import type { Label, LokiEntry, LokiStream } from "./streams.ts";

/** Yields the streams (logs with the same labels) of a push to Loki. Throws ConversionError. */
export function* readLokiJson(bytes: Uint8Array): Iterable<LokiStream> {
  const reason = reasonNotToParse(bytes);
  if (reason !== undefined) throw new ConversionError(reason);
  const streams = member(parsed(bytes), "streams");
  if (!Array.isArray(streams)) throw new ConversionError('a member "streams" with a list is expected');
  for (const stream of streams) {
    const labels = member(stream, "stream");
    const values = member(stream, "values");
    if (!(labels instanceof Map)) throw new ConversionError('each stream needs a member "stream" with its labels');
    if (!Array.isArray(values)) throw new ConversionError('each stream needs a member "values" with a list');
    yield { labels: labelsOf(labels), entries: entriesOf(values) };
  }
}

function parsed(bytes: Uint8Array): JsonValue {
  try {
    return readJson(new TextDecoder().decode(bytes));
  } catch (error) {
    if (error instanceof JsonSyntaxError) throw new ConversionError(error.message);
    throw error;
  }
}

function member(value: JsonValue, name: string): JsonValue | undefined {
  return value instanceof Map ? value.get(name) : undefined;
}

function labelsOf(object: ReadonlyMap<string, JsonValue>): Label[] {
  return Array.from(object, ([name, value]) => [name, textOfJson(value)] as const);
}

function* entriesOf(values: readonly JsonValue[]): Iterable<LokiEntry | string> {
  for (const value of values) yield entryOf(value);
}

/** Parses a JSON value as a log entry. Returns the entry, or the reason why the value is not a log entry. */
function entryOf(value: JsonValue): LokiEntry | string {
  if (!Array.isArray(value) || value.length < 2) return "an entry must be a list of a time and a line";
  const [sent, line, metadata = null] = value;
  const time = sent instanceof JsonNumber ? sent.text : sent;
  if (typeof time !== "string" || !/^\d{1,20}$/.test(time)) return "the time of an entry must be digits (nanoseconds)";
  if (typeof line !== "string") return "the line of an entry must be a text";
  if (metadata !== null && !(metadata instanceof Map)) return "the metadata of an entry must be an object";
  return { time: BigInt(time), line, metadata: metadata === null ? [] : labelsOf(metadata) };
}
