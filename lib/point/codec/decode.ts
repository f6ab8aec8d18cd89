// Decodes a body of any wire format into points in the WebAssembly module's memory: all points at once, or in windows
// (parts of the body).

import type { WasmModule } from "../../wasm/module.ts";
import type { Batch } from "../batch/batch.ts";
import { type BodyForm, type BodyOptions, BodyWindows, decodeBody } from "./body.ts";
import type { Form } from "./encode.ts";
import { jsonBody } from "./json.ts";
import { lineProtocol } from "./line-protocol.ts";
import { protobuf } from "./protobuf.ts";

const forms: Readonly<Record<Form, BodyForm>> = {
  lp: lineProtocol(true),
  json: jsonBody,
  pbjson: jsonBody,
  pb: protobuf,
};

/**
 * Decodes all points of a body into one batch. Throws a PointError when any part of the body is invalid; no points are
 * returned then. The caller must call `release` of the batch, which frees the memory of its points.
 *
 * @example
 * const module = await instantiate(await defaultWasm());
 * const body = new TextEncoder().encode("cpu load=1");
 * const points = decodePoints(module, body, "lp", { category: "metric", now: 0n });
 * points.length; // 1
 * points.release();
 */
export function decodePoints(module: WasmModule, body: Uint8Array, form: Form, options: BodyOptions): Batch {
  return decodeBody(module, body, forms[form], options);
}

/**
 * Decodes the points of a body in windows (parts of the body) of about `entries` tags and fields each. Memory is taken
 * when the first window is requested.
 *
 * @example
 * const module = await instantiate(await defaultWasm());
 * const body = new TextEncoder().encode("cpu load=1");
 * const windows = decodeInWindows(module, body, "lp", { category: "metric", now: 0n });
 * windows.next()?.length; // 1
 * windows.release();
 */
export function decodeInWindows(
  module: WasmModule,
  body: Uint8Array,
  form: Form,
  options: BodyOptions,
  entries?: number,
): BodyWindows {
  return new BodyWindows(module, body, forms[form], options, entries);
}
