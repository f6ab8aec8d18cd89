// The encoders of the WebAssembly module as functions from points to strings, for tests that compare encoded points.

import { encodePoints, type Form } from "../../../lib/point/codec/encode.ts";
import type { PointView } from "../../../lib/point/view.ts";
import type { WasmModule } from "../../../lib/wasm/module.ts";

export function encodersOf(module: WasmModule) {
  const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
  const as =
    (form: Form) =>
    (points: Iterable<PointView>, precision?: string): string =>
      decoder.decode(encodePoints(module, points, form, precision === undefined ? {} : { precision }));
  return { encodeLineProtocol: as("lp"), encodeJson: as("json"), encodePbjson: as("pbjson") };
}
