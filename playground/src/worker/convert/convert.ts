// Converts a body of points to every wire form (line protocol, JSON, PBJSON, protobuf).

import { PointError, type Points } from "../../../../lib/index.ts";
import type { Instance } from "../instance.ts";
import { BinaryTextError, bodyBytes, detectForm } from "./body-text.ts";
import {
  type Conversion,
  type ConversionJob,
  type Correction,
  type ProtobufField,
  type Refused,
  type WireForm,
  type Written,
  wireForms,
} from "./conversion.ts";
import { faultsOf, LineCounter } from "./faults.ts";
import { readFields } from "./protobuf-fields.ts";

/** Largest number of corrections (changes that the decoder made to points) that are sent to the page. */
const mostCorrections = 200;
/** Largest number of fields of the protobuf body that are sent to the page. */
export const mostFields = 600;

/** Converts the body of a job. For a body with errors, the result lists the errors; the function does not throw. */
export async function convert(mill: Instance, job: ConversionJob): Promise<Conversion> {
  const form = job.form ?? detectForm(job.text);
  let body: ReturnType<typeof bodyBytes>;
  try {
    body = bodyBytes(job.text, form);
  } catch (error) {
    if (!(error instanceof BinaryTextError)) throw error;
    return refusedText(job.text, form, error);
  }
  let points: Points;
  try {
    const { category, precision } = job;
    const now = job.now === null ? {} : { now: job.now };
    points = mill.decodePoints(body.bytes, { category, form, precision, ...now });
  } catch (error) {
    if (!(error instanceof PointError)) throw error;
    const faults = faultsOf(error, job.text, body, form);
    return { kind: "refused", form, faults, failed: Math.max(error.failed, faults.length) };
  }
  try {
    const { corrections, corrected } = correctionsOf(points);
    const bodies = wireForms.map((each) => written(mill, points, each));
    const packed = await Promise.all([body.bytes, ...bodies.map(({ bytes }) => bytes)].map(gzipSize));
    return {
      kind: "converted",
      form,
      points: points.length,
      size: body.bytes.length,
      packed: packed[0]!,
      written: bodies.map((each, index) => ({ ...each, packed: packed[index + 1]! })),
      fields: protobufFields(bodies),
      corrections,
      corrected,
    };
  } finally {
    points.release();
  }
}

function refusedText(text: string, form: WireForm, { index, message }: BinaryTextError): Refused {
  const place = new LineCounter(text).at(index);
  const fault = { ...place, byte: index, from: index, to: index + 1, reason: message };
  return { kind: "refused", form, faults: [fault], failed: 1 };
}

function correctionsOf(points: Points): { corrections: readonly Correction[]; corrected: number } {
  const corrections: Correction[] = [];
  let corrected = 0;
  for (let index = 0; index < points.length; index++) {
    const point = points.at(index);
    for (const { type, message } of point.warnings ?? []) {
      corrected++;
      if (corrections.length < mostCorrections)
        corrections.push({ point: index + 1, measurement: point.name, type, message });
    }
  }
  return { corrections, corrected };
}

function written(mill: Instance, points: Points, form: WireForm): Omit<Written, "packed"> {
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  const count = mill.encodeTo(points, form, (chunk) => void chunks.push(chunk.slice()));
  const bytes = new Uint8Array(chunks.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, at);
    at += chunk.length;
  }
  return { form, bytes, leftOut: points.length - count };
}

function protobufFields(bodies: readonly Omit<Written, "packed">[]): readonly ProtobufField[] {
  const { bytes } = bodies.find(({ form }) => form === "pb")!;
  return readFields(bytes, mostFields).fields;
}

async function gzipSize(bytes: Uint8Array): Promise<number> {
  const packed = new Blob([bytes as Uint8Array<ArrayBuffer>]).stream().pipeThrough(new CompressionStream("gzip"));
  return (await new Response(packed).arrayBuffer()).byteLength;
}
