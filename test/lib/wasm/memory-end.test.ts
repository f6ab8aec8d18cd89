// The WebAssembly module runs out of memory: the caller gets an error, no memory is lost, and the instance still works.

import { describe, expect, it } from "vitest";
import { decodeInWindows, decodePoints } from "../../../lib/point/codec/decode.ts";
import { encodePoints, type Form } from "../../../lib/point/codec/encode.ts";
import { Point } from "../../../lib/point/point.ts";
import { Key } from "../../../lib/point/view.ts";
import { MemoryError } from "../../../lib/wasm/memory-error.ts";
import { pageSize, type WasmModule } from "../../../lib/wasm/module.ts";
import { loadLimited, loadModule } from "./load.ts";

const options = { category: "logging", now: 1700000000000000000n } as const;
const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text);
const times = (count: number, make: (at: number) => string, between = "\n"): string =>
  Array.from({ length: count }, (_, at) => make(at)).join(between);

/** Returns the number of free pages: pages that `takePages` can still allocate. */
function freePages(module: WasmModule): number {
  const taken: number[] = [];
  for (;;) {
    const address = module.exports.takePages(1) >>> 0;
    if (address === 0) break;
    taken.push(address);
  }
  for (const address of taken) module.givePages(address, 1);
  module.refresh();
  return taken.length;
}

function expectUsable(module: WasmModule): void {
  const batch = decodePoints(module, utf8('m,t=v f=1i,s="x" 1'), "lp", options);
  expect(batch.point(0).get(new Key("f"))).toBe(1);
  batch.release();
  expect(module.used).toBe(0);
}

const manyShapes = times(3000, (at) => `m${at},key${at}=1 f${at}x=2 17`);
const bodies: readonly [what: string, form: Form, body: string][] = [
  ["a long body", "lp", `m s="${"x".repeat(3 * 1024 * 1024)}" 1`],
  ["dense lines", "lp", times(30_000, () => "m f=1")],
  ["lines of their own shapes", "lp", manyShapes],
  ["a line of many keys", "lp", `m ${times(20_000, (at) => `f${at}=1`, ",")}`],
  ["a line of many tags", "lp", `m,${times(9000, (at) => `t${at}=1`, ",")} f=1`],
  ["lines that fail", "lp", times(20_000, () => "m")],
  ["lines to correct", "lp", times(20_000, () => "m a.b=1,c.d=2")],
  ["JSON", "json", `[${times(20_000, () => '{"measurement":"m","fields":{"a":1}}', ",")}]`],
  ["JSON of many tags", "json", `[{"measurement":"m","tags":{${times(9000, (at) => `"t${at}":"v"`, ",")}}}]`],
  ["a list", "json", `[{"measurement":"m","fields":{"a":[${times(90_000, () => "1", ",")}]}}]`],
  ["points that JavaScript reads", "json", `[${times(9000, () => '{"fields":{"a":1,"a":2}}', ",")}]`],
];

describe("a module that runs out of memory", () => {
  it.each(bodies)(
    "throws a MemoryError and loses no page, at whichever allocation memory ends: %s",
    async (_, form, text) => {
      const body = utf8(text);
      let refused = 0;
      // The module needs 13 pages for its static data, so decoding fails with the smallest limits of memory. The test
      // raises the limit until decoding succeeds.
      for (let pages = 13; ; pages += 1 + (pages >> 3)) {
        const module = await loadLimited(pages);
        const free = freePages(module);
        const attempt = (read: () => void): boolean => {
          try {
            read();
          } catch (error) {
            if (!(error instanceof MemoryError)) expect(String(error)).toMatch("invalid lineprotocol");
            else {
              expect(error.message).toBe(
                `the module's memory is at its end, while a body of ${body.length} bytes was read`,
              );
              expect(module.used).toBe(0);
              expect(freePages(module)).toBe(free);
              return false;
            }
          }
          return true;
        };
        const isRead = attempt(() => decodePoints(module, body, form, options).release());
        attempt(() => {
          for (const batch of decodeInWindows(module, body, form, options, 1000))
            expect(batch.length).toBeGreaterThan(0);
        });
        // Decoding needs seven free pages even for the smallest body.
        if (free >= 7) expectUsable(module);
        if (isRead) break;
        refused++;
      }
      expect(refused).toBeGreaterThan(3);
    },
  );

  it("throws a MemoryError when points are encoded", async () => {
    const module = await loadLimited(40);
    const point = new Point("m", 1n);
    point.append("text", "x".repeat(4 * 1024 * 1024), false);
    expect(() => encodePoints(module, [point], "lp")).toThrow(MemoryError);
    expectUsable(module);
  });

  it("refuses a body of 4 GiB or more, whose length exceeds 32 bits", async () => {
    const module = await loadModule();
    const body = { length: 2 ** 32 + 7 } as Uint8Array;
    expect(() => decodePoints(module, body, "lp", options)).toThrow("larger than the module's memory");
    expect(module.used).toBe(0);
  });

  it("traps for sizes whose sums or products exceed 32 bits", async () => {
    const module = await loadModule();
    const { exports } = module;
    for (const length of [0xffffff00, 0xffffffbf, 0xffffffff]) {
      expect(() => exports.createBatch(length)).toThrow(WebAssembly.RuntimeError);
    }
    const base = exports.createBatch(0) >>> 0;
    const taken = exports.pagesInUse() * pageSize;
    for (const length of [0xffffffe0, 0xffffffef, 0xffffffff]) {
      expect(() => exports.heapTake(base, length)).toThrow(WebAssembly.RuntimeError);
    }
    // Each of these lengths is so large that the end address of the first heap chunk plus this length exceeds 32 bits,
    // so that the sum would wrap around. The module must refuse to take a chunk of such a length.
    const first = exports.heapTake(base, 8) >>> 0;
    for (const length of [0xffffffe0 - first, 0xffffffe8]) {
      expect(() => exports.heapTake(base, length)).toThrow(WebAssembly.RuntimeError);
    }
    expect(exports.pagesInUse() * pageSize).toBe(taken + pageSize);
    exports.freeBatch(base);
    expect(module.used).toBe(0);
  });

  it("traps for a value of 2 GiB, and then still allocates a small value", async () => {
    const batch = decodePoints(await loadLimited(40), utf8("m f=1"), "lp", options);
    const first = batch.take(8);
    expect(() => batch.take(2 ** 31)).toThrow(WebAssembly.RuntimeError);
    expect(batch.take(8)).toBeGreaterThan(first);
    batch.release();
  });

  it("builds no JSON index that would fill memory or overflow, and leaves the text to JavaScript", async () => {
    const { exports } = await loadModule();
    const base = exports.createBatch(0) >>> 0;
    for (const length of [0x08000001, 357_913_940, 0xffffff00]) expect(exports.indexJson(base, base, length)).toBe(0);
    exports.freeBatch(base);
    expect(exports.pagesInUse()).toBe(0);
  });
});
