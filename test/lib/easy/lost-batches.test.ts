// Tests batches that the caller never released. When JavaScript collects such a batch as garbage, the memory of
// the batch is freed and one warning is logged.

import { expect, it, vi } from "vitest";
import { createMillrace } from "../../../lib/index.ts";
import { wasmBytes } from "../wasm/load.ts";

/** Stands in for FinalizationRegistry, so that the test decides when garbage is collected. */
class ControlledRegistry {
  static all: ControlledRegistry[] = [];
  readonly held = new Map<object, unknown>();
  readonly registered: object[] = [];
  private readonly clean: (held: unknown) => void;

  constructor(clean: (held: unknown) => void) {
    this.clean = clean;
    ControlledRegistry.all.push(this);
  }

  register(target: object, held: unknown): void {
    this.held.set(target, held);
    this.registered.push(target);
  }

  static collect(): void {
    for (const registry of ControlledRegistry.all) {
      for (const held of registry.held.values()) registry.clean(held);
      registry.held.clear();
    }
  }
}

it("frees garbage-collected batches, warns once, and ignores batches that were released", async () => {
  vi.stubGlobal("FinalizationRegistry", ControlledRegistry);
  const warnings: string[] = [];
  const mill = await createMillrace({ wasm: await wasmBytes(), warn: (text) => warnings.push(text) });
  vi.unstubAllGlobals();
  const before = mill.memory().used;
  mill.decode("cpu load=1").release();
  ControlledRegistry.collect();
  expect([mill.memory().used, warnings]).toEqual([before, []]);
  mill.decode("cpu load=1");
  mill.decodePoints("cpu load=1");
  expect(mill.memory().used).toBeGreaterThan(before);
  ControlledRegistry.collect();
  expect(mill.memory().used).toBe(before);
  expect(warnings).toEqual([expect.stringContaining("garbage collected without release()")]);
});

it("frees garbage-collected batches of every size, without a warning when no warn function is given", async () => {
  vi.stubGlobal("FinalizationRegistry", ControlledRegistry);
  const mill = await createMillrace({ wasm: await wasmBytes() });
  vi.unstubAllGlobals();
  const before = mill.memory().used;
  const large = "cpu load=1\n".repeat(2000);
  // A group (small batches that share one registered object) has at most 64 batches, so these 200 batches are several
  // groups.
  const kept = Array.from({ length: 200 }, (_, i) => mill.decodePoints(i % 50 === 0 ? large : "cpu load=1"));
  const used = mill.memory().used;
  for (const batch of kept.slice(0, 100)) batch.release();
  expect(mill.memory().used).toBeLessThan(used);
  // The collector must not free a batch that was already released, because other batches now use its memory.
  const others = Array.from({ length: 100 }, () => mill.decodePoints("mem free=2"));
  ControlledRegistry.collect();
  expect(mill.memory().used).toBe(before);
  expect(others.length).toBe(100);
});

it("registers one finalizer object for each large batch, but only a few for many small batches", async () => {
  vi.stubGlobal("FinalizationRegistry", ControlledRegistry);
  const mill = await createMillrace({ wasm: await wasmBytes() });
  vi.unstubAllGlobals();
  const { registered } = ControlledRegistry.all.at(-1)!;
  const counts = ["cpu load=1", "cpu load=1\n".repeat(2000)].map((body) => {
    const before = registered.length;
    for (let i = 0; i < 200; i++) mill.decodePoints(body).release();
    return registered.length - before;
  });
  expect(counts).toEqual([8, 200]);
});
