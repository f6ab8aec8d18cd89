// Writes samples as points in line protocol. Samples with the same labels, the same time and the same measurement
// become fields of one point. The measurement comes from the name of the metric or from the configuration.

import { LineBody } from "../delivery/line-body.ts";
import { namesOf } from "../prometheus/points.ts";
import { putKey } from "../syslog/write-message.ts";
import type { Sample } from "./parse-text.ts";

export interface Points {
  /** Adds a sample. Skips a sample whose value is NaN or infinite, because points cannot contain such values. */
  add(sample: Sample): void;
  end(): Uint8Array;
}

/**
 * Returns an object that turns samples into points. `measurement`: the measurement of all points; the whole name
 * of each metric then becomes a field key. When `measurement` is empty, the name of each metric is split into a
 * measurement and a field key, as for Prometheus remote writes. `time`: the time that samples without a time
 * get, in nanoseconds since 1970.
 */
export function createPoints(measurement: string, time: bigint): Points {
  const groups = new Map<string, { readonly head: readonly string[]; readonly fields: Map<string, number> }>();
  return {
    add: (sample) => {
      if (!Number.isFinite(sample.value)) return;
      const names =
        measurement === "" ? namesOf(sample.name) : { measurement: bytesText(measurement), field: sample.name };
      const head = [names.measurement];
      for (const [name, value] of sample.labels) if (name !== "__name__" && value !== "") head.push(name, value);
      // The values of labels may contain line feeds. Therefore, in the key that identifies a series, each part begins
      // with its length, so that two series with different labels get different keys.
      const key = `${sample.time ?? ""}\n${head.map((part) => `${part.length}\n${part}`).join("")}`;
      let group = groups.get(key);
      if (group === undefined) groups.set(key, (group = { head, fields: new Map() }));
      if (!group.fields.has(names.field)) group.fields.set(names.field, sample.value);
    },
    end: () => {
      const body = new LineBody();
      for (const [key, { head, fields }] of groups) {
        const ms = key.slice(0, key.indexOf("\n"));
        writePoint(body, head, fields, ms === "" ? time : BigInt(ms) * 1_000_000n);
      }
      return body.body();
    },
  };
}

function writePoint(
  body: LineBody,
  [measurement, ...tags]: readonly string[],
  fields: ReadonlyMap<string, number>,
  time: bigint,
): void {
  body.startLine();
  putText(body, measurement!);
  for (let at = 0; at < tags.length; at += 2) {
    body.putAscii(",");
    putText(body, tags[at]!);
    body.putAscii("=");
    putText(body, tags[at + 1]!);
  }
  let before = " ";
  for (const [field, value] of fields) {
    body.putAscii(before);
    putText(body, field);
    body.putAscii(`=${value}`);
    before = ",";
  }
  body.putAscii(` ${time}`);
  body.endLine();
}

/** Writes a measurement, a key or a tag value to the body. Each character of `text` stands for one byte. */
function putText(body: LineBody, text: string): void {
  const bytes = Buffer.from(text, "latin1");
  putKey(body, bytes, { from: 0, to: bytes.length });
}

/** Returns the UTF-8 bytes of a text as a text with one character for each byte (latin1). */
const bytesText = (text: string) => Buffer.from(text).toString("latin1");
