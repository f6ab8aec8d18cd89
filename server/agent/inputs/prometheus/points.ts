// Samples of a Prometheus remote write as points in their PBJSON form (docs/reference/agent.md#prometheus-remote-write): a point a sample,
// named by the metric's
// name before its first `_`, its field named by the rest.

import { decompressed } from "./snappy.ts";
import { readWriteRequest, type Series } from "./write-request.ts";

/** Throws ProtobufError and SnappyError. `isSnappy`: the body is a block of Snappy. */
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

/** `node_load1`: measurement `node`, field `load1`. A name without `_`, or with nothing on one side of it, is both. */
function namesOf(metric: string): { readonly measurement: string; readonly field: string } {
  const at = metric.indexOf("_");
  if (at <= 0 || at === metric.length - 1) return { measurement: metric, field: metric };
  return { measurement: metric.slice(0, at), field: metric.slice(at + 1) };
}
