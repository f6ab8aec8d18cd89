// Converts the samples of a Prometheus remote write to points in PBJSON, the JSON form of the agent's protobuf points
// (docs/reference/agent.md#prometheus-remote-write). Each sample becomes one point. The part of the metric's name
// before the first `_` is the measurement of the point; the part after it is the field key.

import { decompressed } from "../protobuf/snappy.ts";
import { readWriteRequest, type Series } from "./write-request.ts";

/**
 * Returns the points of a remote write. `isSnappy`: whether the body is compressed as a Snappy block. Throws
 * ConversionError.
 */
export function prometheusPoints(body: Uint8Array, isSnappy: boolean, maxBytes: number): Uint8Array {
  const points = readWriteRequest(isSnappy ? decompressed(body, maxBytes) : body).flatMap(pointsOf);
  return new TextEncoder().encode(`[${points.join(",")}]`);
}

function pointsOf({ labels, samples }: Series): string[] {
  const metric = labels.find(([name]) => name === "__name__")?.[1] ?? "";
  if (metric === "") return [];
  const { measurement, field } = namesOf(metric);
  const tags = labels
    .filter(([name, value]) => name !== "__name__" && name !== "" && value !== "")
    .map(([name, value]) => `,{"key":${JSON.stringify(name)},"s":${JSON.stringify(value)},"is_tag":true}`)
    .join("");
  const head = `{"name":${JSON.stringify(measurement)},"fields":[{"key":${JSON.stringify(field)},"f":`;
  return samples
    .filter(({ value }) => !Number.isNaN(value))
    .map(({ value, time }) => {
      const number = Number.isFinite(value) ? `${value}` : `"${value}"`;
      return `${head}${number}}${tags}],"time":"${time * 1000000n}"}`;
    });
}

/**
 * Splits a metric name: `node_load1` has the measurement `node` and the field `load1`. A name without `_`, or with `_`
 * only at its start or end, is both the measurement and the field.
 */
export function namesOf(metric: string): { readonly measurement: string; readonly field: string } {
  const at = metric.indexOf("_");
  if (at <= 0 || at === metric.length - 1) return { measurement: metric, field: metric };
  return { measurement: metric.slice(0, at), field: metric.slice(at + 1) };
}
