// JSON bodies read as a whole in JavaScript, an element at a time: what the scan of the module is compared with.

import type { BodyOptions } from "../../lib/point/codec/body.ts";
import { checkBody, pointOf } from "../../lib/point/codec/json.ts";
import { type JsonValue, readJson } from "../../lib/point/codec/json-text.ts";
import type { Point } from "../../lib/point/point.ts";

const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
const encoder = new TextEncoder();

/** The points of a JSON body. Throws a `PointError` at the first fault. */
export function decodeJson(body: Uint8Array | string, options: BodyOptions): Point[] {
  const text = typeof body === "string" ? body : decoder.decode(body);
  checkBody(text, typeof body === "string" ? encoder.encode(body) : body);
  return (readJson(text) as JsonValue[]).map((element, i) => pointOf(element, i, options));
}
