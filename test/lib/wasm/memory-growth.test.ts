// The WebAssembly module's memory grows in large steps, because the JavaScript engine may collect garbage at each
// growth. It never grows beyond its limit.

import { describe, expect, it } from "vitest";
import { pageSize, type WasmModule } from "../../../lib/wasm/module.ts";
import { loadLimited, loadModule } from "./load.ts";

/**
 * Takes pages one by one until `most` are taken or none is left. Returns how many pages were taken and how often memory
 * grew.
 */
function takeOneByOne({ exports }: WasmModule, most: number): { taken: number; growths: number } {
  let growths = 0;
  let taken = 0;
  let { buffer } = exports.memory;
  for (; taken < most && exports.takePages(1) !== 0; taken++) {
    if (exports.memory.buffer !== buffer) growths++;
    ({ buffer } = exports.memory);
  }
  return { taken, growths };
}

describe("the memory of the module", () => {
  // Each growth makes the memory one eighth larger. So the memory grows about ln(4000 / 16) / ln(9 / 8) = 47 times from
  // 16 to 4,000 pages, and a few times more because the first steps are smaller.
  it("grows 60 times at most for 4,000 pages that are taken one by one", async () => {
    const { taken, growths } = takeOneByOne(await loadModule(), 4000);
    expect(taken).toBe(4000);
    expect(growths).toBeLessThanOrEqual(60);
  });

  it("grows 60 times at most for 4,000 chunks of a batch's heap", async () => {
    const { exports } = await loadModule();
    const batch = exports.createBatch(0);
    let growths = 0;
    for (let at = 0; at < 4000; at++) {
      const { buffer } = exports.memory;
      exports.heapTake(batch, pageSize - 100);
      if (exports.memory.buffer !== buffer) growths++;
    }
    exports.freeBatch(batch);
    expect(exports.pagesInUse()).toBe(0);
    expect(growths).toBeLessThanOrEqual(60);
  });

  it("grows once and by no extra page when many pages are allocated together", async () => {
    const { exports } = await loadModule();
    exports.takePages(1);
    const before = exports.memory.buffer.byteLength;
    const address = exports.takePages(2000) >>> 0;
    expect(exports.memory.buffer.byteLength).toBeGreaterThan(before);
    expect(exports.memory.buffer.byteLength).toBe(address + 2000 * pageSize);
  });

  it.each([40, 100, 1000, 4000])("is at most one eighth larger than the pages in use: %i pages", async (pages) => {
    const { exports } = await loadModule();
    let last = 0;
    for (let at = 0; at < pages; at++) last = exports.takePages(1) >>> 0;
    expect(exports.memory.buffer.byteLength).toBeLessThanOrEqual((last + pageSize) * (9 / 8));
  });

  // The module needs some pages of memory for itself. The number of these pages does not depend on the limit of
  // the memory, so the test measures it once, with a limit of 20 pages.
  it.each([24, 30, 47, 100, 333, 1000])("can be used completely up to its limit of %i pages", async (limit) => {
    const module = await loadLimited(limit);
    const least = await loadLimited(20);
    const own = 20 - takeOneByOne(least, 100).taken;
    const { taken, growths } = takeOneByOne(module, 2000);
    expect(taken).toBe(limit - own);
    expect(module.exports.memory.buffer.byteLength).toBe(limit * pageSize);
    expect(growths).toBeLessThanOrEqual(60);
  });
});
