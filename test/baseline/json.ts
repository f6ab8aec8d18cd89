// Decodes whole JSON bodies into points in plain JavaScript, one element at a time. Tests compare the JSON scanner in
// WebAssembly with this decoder.

import type { BodyOptions } from "../../lib/point/codec/body.ts";
import { checkBody, pointOf } from "../../lib/point/codec/json.ts";
import type { Point } from "../../lib/point/point.ts";
import { type JsonValue, readJson } from "../../lib/text/json-text.ts";

const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
const encoder = new TextEncoder();

/** Returns the points of a JSON body. Throws a `PointError` at the first mistake. */
export function decodeJson(body: Uint8Array | string, options: BodyOptions): Point[] {
  const text = typeof body === "string" ? body : decoder.decode(body);
  checkBody(text, typeof body === "string" ? encoder.encode(body) : body);
  return (readJson(text) as JsonValue[]).map((element, i) => pointOf(element, i, options));
}
