// Frees the memory of batches that were garbage collected without `release`.

import type { PointBatch } from "../point/batch/batch.ts";
import { Batch } from "../point/batch/batch.ts";
import type { WasmModule } from "../wasm/module.ts";

const warning =
  "a batch of points was garbage collected without release(). Its memory is free again only now, and a program that " +
  "decodes faster than garbage is collected runs out of memory. Write `using points = mill.decode(body)`, or call " +
  "points.release(). This warning is given once.";

/**
 * Returns a function that watches a batch until it is released. When a watched batch is garbage collected before that,
 * its memory is freed; the first time that this happens, `warn` is called. In hosts without FinalizationRegistry, such
 * as some edge environments, batches are not watched.
 */
export function watchBatches(
  module: WasmModule,
  warn?: (message: string) => void,
): <B extends PointBatch>(batch: B) => B {
  if (typeof FinalizationRegistry === "undefined") return (batch) => batch;
  let hasWarned = warn === undefined;
  const registry = new FinalizationRegistry<number>((base) => {
    module.exports.freeBatch(base);
    if (hasWarned) return;
    hasWarned = true;
    warn!(warning);
  });
  const released = (batch: Batch): void => {
    registry.unregister(batch);
  };
  return (batch) => {
    if (batch instanceof Batch) {
      registry.register(batch, batch.base, batch);
      batch.onRelease = released;
    }
    return batch;
  };
}
