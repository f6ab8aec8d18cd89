// Batches that the caller never released: when JavaScript collects such a batch as garbage, its memory is freed and one
// warning is logged.

import { expect, it, vi } from "vitest";
import { createMillrace } from "../../../lib/index.ts";
import { wasmBytes } from "../wasm/load.ts";

/** Replaces FinalizationRegistry, so that the test decides when garbage is collected. */
class ControlledRegistry {
  static all: ControlledRegistry[] = [];
  readonly held = new Map<object, unknown>();
  private readonly clean: (held: unknown) => void;

  constructor(clean: (held: unknown) => void) {
    this.clean = clean;
    ControlledRegistry.all.push(this);
  }

  register(target: object, held: unknown): void {
    this.held.set(target, held);
  }

  unregister(target: object): void {
    this.held.delete(target);
  }

  static collect(): void {
    for (const registry of ControlledRegistry.all) {
      for (const held of registry.held.values()) registry.clean(held);
      registry.held.clear();
    }
  }
}

it("frees lost batches, warns once, and leaves released batches alone", async () => {
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

it("watches batches of the fast layer from 16 KB on when nobody asks for warnings", async () => {
  vi.stubGlobal("FinalizationRegistry", ControlledRegistry);
  const mill = await createMillrace({ wasm: await wasmBytes() });
  vi.unstubAllGlobals();
  const { held } = ControlledRegistry.all.at(-1)!;
  const bodies = ["cpu load=1", "cpu load=1\n".repeat(2000)];
  const sizes = bodies.map((body) => {
    const before = held.size;
    mill.decodePoints(body);
    return held.size - before;
  });
  expect(sizes).toEqual([0, 1]);
});
