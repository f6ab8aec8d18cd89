// Engines that are made when they are first used, because a script or a file of rules may contain thousands of
// expressions and needs only a few of them for a point or a request.

import type { WasmModule } from "../../wasm/module.ts";
import type { Engine, ModuleEngine } from "./engine.ts";
import type { KernelEngine } from "./kernel-engine.ts";

/** An engine of tier 1 (state tables) without WebAssembly, which is made when it is first used. */
export class LazyTables implements Engine {
  readonly slots: number;
  private readonly make: () => Engine;
  private made: Engine | null = null;

  constructor(slots: number, make: () => Engine) {
    this.slots = slots;
    this.make = make;
  }

  exec(bytes: Uint8Array, start: number, end: number, from: number, slots: Int32Array): boolean {
    return this.engine.exec(bytes, start, end, from, slots);
  }

  test(bytes: Uint8Array, start: number, end: number, from: number): boolean {
    return this.engine.test(bytes, start, end, from);
  }

  free(): void {
    this.made?.free();
  }

  private get engine(): Engine {
    this.made ??= this.make();
    return this.made;
  }
}

export class LazyEngine implements ModuleEngine {
  readonly slots: number;
  readonly module: WasmModule;
  private readonly make: () => KernelEngine;
  private made: KernelEngine | null = null;

  /** Makes a lazy engine; `slots` is the number of slots (start and end of each group) that the engine will have. */
  constructor(slots: number, module: WasmModule, make: () => KernelEngine) {
    this.slots = slots;
    this.module = module;
    this.make = make;
  }

  exec(bytes: Uint8Array, start: number, end: number, from: number, slots: Int32Array): boolean {
    return this.engine.exec(bytes, start, end, from, slots);
  }

  test(bytes: Uint8Array, start: number, end: number, from: number): boolean {
    return this.engine.test(bytes, start, end, from);
  }

  execLines(base: number, lines: number, count: number, out: number): void {
    this.engine.execLines(base, lines, count, out);
  }

  searchAt(address: number, length: number): number {
    return this.engine.searchAt(address, length);
  }

  get machineAt(): number {
    return this.made === null ? 0 : this.made.machineAt;
  }

  get slotsAt(): number {
    return this.made === null ? 0 : this.made.slotsAt;
  }

  countOne(): void {
    this.made?.countOne();
  }

  free(): void {
    this.made?.free();
  }

  private get engine(): KernelEngine {
    if (this.made === null) this.made = this.make();
    return this.made;
  }
}
