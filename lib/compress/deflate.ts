// DEFLATE (RFC 1951) in the module: larger than zlib's first level makes it by some percent, in half the time.

import type { Sink } from "../point/codec/encode.ts";
import type { WasmModule } from "../wasm/module.ts";

const chunkBytes = 256 * 1024;

/** Hands the compressed bytes to `sink` in chunks, each good until it returns. */
export function deflateTo(module: WasmModule, bytes: Uint8Array, sink: Sink): void {
  const { exports } = module;
  const input = exports.startDeflate() >>> 0;
  module.refresh();
  try {
    const output = exports.deflated() >>> 0;
    for (let from = 0; ; from += chunkBytes) {
      const chunk = bytes.subarray(from, from + chunkBytes);
      const isLast = from + chunkBytes >= bytes.length;
      module.u8.set(chunk, input);
      const length = exports.deflateChunk(chunk.length, isLast ? 1 : 0);
      sink(module.u8.subarray(output, output + length));
      if (isLast) return;
    }
  } finally {
    exports.stopDeflate();
  }
}
