// Encodes a point as JSON for the script-debugging interface: integers stay exact, and members have a fixed order
// (docs/reference/agent.md#script-debugging).

import type { PlError } from "../../../lib/pipeline/index.ts";
import { Float, PointArray, type PointValue, Uint } from "../../../lib/point/index.ts";
import { isBytes } from "../../../lib/text/index.ts";
import { safeJson } from "../../http/errors.ts";
import type { Created, PointView } from "../engine.ts";

export function resultJson(point: PointView, dropped: boolean, created: readonly Created[]): string {
  const made =
    created.length === 0
      ? "null"
      : `[${created.map((each) => pointJson(each.point, each.dropped === true)).join(",")}]`;
  return `{"point":${pointJson(point, dropped)},"dropped":${dropped},"create_point":${made},"run_error":null}`;
}

export function failureJson(error: PlError): string {
  return `{"point":null,"dropped":false,"create_point":null,"run_error":${safeJson(error)}}`;
}

function pointJson(point: PointView, dropped: boolean): string {
  const tags: string[] = [];
  const fields: string[] = [];
  for (const { key, value, isTag } of point.entries()) {
    (isTag ? tags : fields).push(`${JSON.stringify(key)}:${valueJson(value)}`);
  }
  const second = 1_000_000_000n;
  const rest = ((point.time % second) + second) % second;
  return (
    `{"dropped":${dropped},"name":${JSON.stringify(point.name)},"tags":{${tags.join(",")}},"fields":{${fields.join(",")}},` +
    `"time":${(point.time - rest) / second},"time_ns":${rest}}`
  );
}

function valueJson(value: PointValue): string {
  if (value === null) return "null";
  if (value instanceof Float) return Number.isFinite(value.value) ? numberJson(value.value) : "null";
  if (value instanceof Uint) return String(value.value);
  if (value instanceof PointArray) return `[${value.elements.map(valueJson).join(",")}]`;
  if (value instanceof Uint8Array) return JSON.stringify(Buffer.from(value).toString("base64"));
  if (isBytes(value) || typeof value === "string") return JSON.stringify(value.toString());
  return String(value);
}

function numberJson(value: number): string {
  return Object.is(value, -0) ? "-0" : JSON.stringify(value);
}
